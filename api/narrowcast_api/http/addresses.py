"""Comparing the addresses of servers."""

from __future__ import annotations

import sys
from collections.abc import Mapping

import httpx2

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names of this machine's loopback interface, which no proxy can reach."""

_DEFAULT_PORTS = {"http": 80, "https": 443}


def origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    """Returns scheme, host and port; a missing port is the scheme's default."""
    return url.scheme, url.host.lower().rstrip("."), url.port or _DEFAULT_PORTS.get(url.scheme)


def may_have_proxy(host: str, environment: Mapping[str, str]) -> bool:
    """Whether connections to a host may go through a proxy of the environment, or of the system where it has some. A
    proxy cannot reach this machine's loopback interface.
    """
    if host in LOOPBACK:
        return False
    return sys.platform in {"darwin", "win32"} or any(name.lower().endswith("_proxy") for name in environment)
