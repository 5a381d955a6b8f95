"""Which addresses of a server mean the same one."""

from __future__ import annotations

import httpx

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Hosts that are this machine, which no proxy can reach for it."""

_DEFAULT_PORTS = {"http": 80, "https": 443}


def origin(url: httpx.URL) -> tuple[str, str, int | None]:
    """Scheme, host and port, with the scheme's own port filled in."""
    return url.scheme, url.host.lower().rstrip("."), url.port or _DEFAULT_PORTS.get(url.scheme)
