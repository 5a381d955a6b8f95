"""A person with a browser who signs in on a page of the embedded server."""

from __future__ import annotations

import html
import re
from pathlib import Path

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


class Desktop:
    """A desktop whose clipboard is a file: a program of the name that is looked for prints it."""

    def __init__(self, folder: Path) -> None:
        programs = folder / "programs"
        programs.mkdir()
        self._clipboard = folder / "clipboard"
        self._clipboard.write_text("zulip://login?of=another")
        program = programs / "xclip"
        program.write_text(f"#!/bin/sh\nexec cat '{self._clipboard}'\n")
        program.chmod(0o755)
        self.environment = {"DISPLAY": ":0", "PATH": f"{programs}:/usr/bin:/bin", "BROWSER": "true"}

    def copy(self, text: str) -> None:
        self._clipboard.write_text(f"{text}\n")
