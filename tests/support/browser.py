"""A person with a browser who signs in on a page of the embedded server."""

from __future__ import annotations

import html
import re

import httpx2

from support import world

_HEADERS = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"}
ADDRESS = re.compile(r"https?://\S+_flow_otp=[0-9a-f]{64}")
"""The address that a program shows."""


async def shown_after_signing_in(address: str, email: str = "ada@demo.example") -> str:
    """What the page at the address shows to be copied after the person has signed in."""
    origin = "/".join(address.split("/")[:3])
    async with httpx2.AsyncClient(trust_env=False, headers={**_HEADERS, "Origin": origin}) as browser:
        assert (await browser.get(address)).status_code == 200
        response = await browser.post(address, data={"username": email, "password": world.PASSWORD})
    assert response.status_code == 200, response.text
    found = re.search(r"<code>(.*?)</code>", response.text)
    assert found is not None
    return html.unescape(found[1])
