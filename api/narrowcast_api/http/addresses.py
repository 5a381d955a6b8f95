"""Comparing the addresses of servers."""

from __future__ import annotations

import httpx2

DEFAULT_PORTS = {"http": 80, "https": 443}


def origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    """Returns scheme, host and port; a missing port is the scheme's default."""
    return url.scheme, url.host.lower().rstrip("."), url.port or DEFAULT_PORTS.get(url.scheme)
