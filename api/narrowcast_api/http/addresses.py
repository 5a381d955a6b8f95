"""Which addresses a client may be sent to."""

from __future__ import annotations

import ipaddress

import httpx

_DEFAULT_PORTS = {"http": 80, "https": 443}


def origin(url: httpx.URL) -> tuple[str, str, int | None]:
    """Scheme, host and port, with the scheme's own port filled in."""
    return url.scheme, url.host.lower().rstrip("."), url.port or _DEFAULT_PORTS.get(url.scheme)


def safe_elsewhere(source: httpx.URL, target: httpx.URL) -> bool:
    """Whether a download may follow a redirect to another origin.

    Only http and https, never from https down to http, and never to an address of this machine or of its
    network that is spelt out as a number.
    """
    if target.scheme not in _DEFAULT_PORTS or (source.scheme == "https" and target.scheme != "https"):
        return False
    host = target.host.lower().rstrip(".")
    if not host or host == "localhost" or host.endswith(".localhost"):
        return False
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        # Names such as 0x7f.1 or 2130706433 are numbers to the resolver of many systems.
        return not all(part.isdigit() or part.startswith("0x") for part in host.split("."))
    return address.is_global
