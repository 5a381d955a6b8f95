"""Network addresses of peers."""

from __future__ import annotations

import ipaddress


def is_local(address: str) -> bool:
    """Whether a peer is on this machine: a local user, or a proxy that serves many."""
    try:
        return address == "" or ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def place_of(address: str) -> str:
    """The place of an address: itself, or for IPv6 its /64 network, which usually belongs to one person."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, 64), strict=False))
