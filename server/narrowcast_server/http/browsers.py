"""Requests that a browser makes for a page: those of other sites' pages are rejected.

Browsers send `Origin` and `Sec-Fetch-Site`, which pages cannot forge; other programs send neither. A page of
another site may use a person's browser to reach a server that the site itself cannot reach, also by resolving
its own name to the server's address (DNS rebinding). So the name in `Host` must be one of the server's.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from narrowcast_server.organization.errors import ServiceError

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_FOREIGN = frozenset({"cross-site", "same-site"})


def check_page(organization: Organization, headers: Headers) -> None:
    """Raises 403 for a request from another site's page."""
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if origin is None and site is None:
        return
    host = headers.get("host", "")
    if not _is_own_name(organization, host):
        raise ServiceError(
            f"This server is not called {_name(host)!r}; its operator sets its address with --url", status=403
        )
    # Links on other sites may lead here.
    if site in _FOREIGN and headers.get("sec-fetch-mode") != "navigate":
        raise ServiceError("Pages of other sites cannot use this server", status=403)
    if origin is not None and _netloc(origin) not in (host, urlsplit(organization.url).netloc):
        raise ServiceError("Pages of other sites cannot use this server", status=403)


def _netloc(origin: str) -> str | None:
    """Host and port of an origin; None if it is malformed."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def _is_own_name(organization: Organization, host: str) -> bool:
    name = _name(host)
    if organization.config.any_name or name in ("localhost", _name(urlsplit(organization.url).netloc)):
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _name(host: str) -> str:
    """A host without its port, in lower case; for an IPv6 address, what is between the brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].rstrip(".").lower()
