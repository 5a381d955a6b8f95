"""Opening links in the user's browser: http and https only, without a shell, never with a leading dash."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from urllib.parse import urlsplit

from narrowcast_api.characters import has_unsafe
from narrowcast_api.errors import InvalidInput


def checked(url: str) -> str:
    """Returns ``url`` if it may be opened. Raises InvalidInput otherwise."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        host, parts = None, urlsplit("")
    if parts.scheme.lower() not in {"http", "https"} or not host:
        raise InvalidInput("Only http and https links are opened.")
    if " " in url or "\\" in url.split("?", 1)[0] or has_unsafe(url):
        raise InvalidInput(
            "The link has control characters, blanks, backslashes or hidden characters in it and is not opened."
        )
    return url


async def open_link(url: str) -> None:
    """Opens ``url`` with $BROWSER or the desktop's program. Raises InvalidInput if there is none."""
    url = checked(url)
    programs = [
        os.environ.get("BROWSER", "").split(":", 1)[0],
        "open" if sys.platform == "darwin" else "xdg-open",
    ]
    program = next((found for name in programs if name and (found := shutil.which(name))), None)
    if program is None:
        raise InvalidInput("No program to open links was found; set $BROWSER, or copy the link instead.")
    await asyncio.create_subprocess_exec(
        program,
        url,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
