"""The proxy through which a server is reached: chosen by variables of the environment, as for other programs.

HTTPS_PROXY, HTTP_PROXY and ALL_PROXY name one, in upper or lower case; NO_PROXY lists the servers that are reached
without it, separated by commas: names (with all names below them), addresses, networks such as 10.0.0.0/8 or fe80::/10,
each but the last with a port if wanted; * stands for all. This machine's own addresses never go through a proxy.
Where no variable names a proxy, the system's settings on macOS and Windows count.
"""

from __future__ import annotations

import sys
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import quote, unquote, urlsplit

from narrowcast_api.errors import UnusableProxy
from narrowcast_api.http.addresses import DEFAULT_PORTS
from narrowcast_api.http.secret import Secret

_PORTS = {"http": 80, "https": 443, "socks": 1080, "socks5": 1080, "socks5h": 1080}
"""The default port of each supported kind of proxy."""
_SYSTEM = "the system's settings"


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy, and the variable that names it."""

    variable: str
    scheme: str
    host: str
    port: int
    user: str | None
    password: Secret

    @property
    def is_socks(self) -> bool:
        """Whether connections are made by SOCKS, which needs packages of its own."""
        return self.scheme.startswith("socks")

    @property
    def url(self) -> str:
        """Its address, with the password."""
        # The proxy resolves names: httpx2 always asks it to, websockets only for this scheme.
        scheme = "socks5h" if self.is_socks else self.scheme
        user = "" if self.user is None else f"{quote(self.user)}:{quote(self.password.reveal(), safe='')}@"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{user}{host}:{self.port}"


def proxy_for(site: str, environment: Mapping[str, str]) -> Proxy | None:
    """The proxy for connections to an address; None if they are made directly.

    Raises UnusableProxy, which names the variable that is invalid, or what a SOCKS proxy lacks.
    """
    url = urlsplit(site)
    host = (url.hostname or "").rstrip(".")
    if _is_this_machine(host):
        return None
    scheme = {"ws": "http", "wss": "https"}.get(url.scheme, url.scheme)
    found = _named(environment, f"{scheme}_proxy") or _named(environment, "all_proxy")
    if found is None:
        found = _of_the_system(host, scheme)
    elif _goes_direct(host, url.port or DEFAULT_PORTS[scheme], environment):
        return None
    if found is None:
        return None
    proxy = _parsed(*found)
    if proxy.is_socks and not (find_spec("socksio") and find_spec("python_socks")):
        raise UnusableProxy(
            proxy.variable, "a SOCKS proxy needs the extra 'socks', which is not installed", "socks"
        )
    return proxy


def _is_this_machine(host: str) -> bool:
    address = _address(host)
    return host.lower() == "localhost" if address is None else address.is_loopback


def _named(environment: Mapping[str, str], variable: str) -> tuple[str, str] | None:
    """A variable and its value, if it has one; its name in lower case comes first."""
    for name in (variable, variable.upper()):
        if value := environment.get(name, "").strip():
            return name, value
    return None


def _of_the_system(host: str, scheme: str) -> tuple[str, str] | None:
    if sys.platform not in {"darwin", "win32"} or urllib.request.proxy_bypass(host):
        return None
    value = urllib.request.getproxies().get(scheme)
    return (_SYSTEM, value) if value else None


def _parsed(variable: str, value: str) -> Proxy:
    wrong = (
        f"{_without_password(value)!r} is not the address of a proxy, such as http://proxy.example.org:3128"
    )
    try:
        url = urlsplit(value if "://" in value else f"http://{value}")
        host, port = url.hostname, url.port
    except ValueError:
        raise UnusableProxy(variable, wrong) from None
    if url.scheme not in _PORTS:
        supported = "http, https, socks5 and socks5h are"
        raise UnusableProxy(variable, f"a proxy of the kind {url.scheme!r} is not supported; {supported}")
    if not host or port == 0 or any(c.isspace() for c in host) or url.path not in {"", "/"} or url.query:
        raise UnusableProxy(variable, wrong)
    user = None if url.username is None else unquote(url.username)
    return Proxy(
        variable, url.scheme, host, port or _PORTS[url.scheme], user, Secret(unquote(url.password or ""))
    )


def _without_password(value: str) -> str:
    before, at, after = value.rpartition("@")
    return f"{before.partition('://')[0]}://…@{after}" if at and "://" in before else after


def _goes_direct(host: str, port: int, environment: Mapping[str, str]) -> bool:
    """Whether NO_PROXY lists a server. Raises UnusableProxy if an entry is neither a name nor an address."""
    listed = _named(environment, "no_proxy")
    if listed is None:
        return False
    variable, entries = listed
    covered = [_covers(entry, host, port, variable) for entry in entries.replace(",", " ").split()]
    return any(covered)  # all are read, so that an invalid one is reported whichever the server


def _covers(entry: str, host: str, port: int, variable: str) -> bool:
    if entry == "*":
        return True
    address = _address(host)
    invalid = f"{entry!r} is not a name, an address or a network such as 10.0.0.0/8"
    if "/" in entry:
        try:
            network = ip_network(entry.replace("[", "").replace("]", ""), strict=False)
        except ValueError:
            raise UnusableProxy(variable, invalid) from None
        return address is not None and address in network
    if (listed := _address(entry)) is not None:
        return listed == address
    try:
        url = urlsplit(f"//{entry}")
        name, only = url.hostname or "", url.port
    except ValueError:
        raise UnusableProxy(variable, invalid) from None
    if only not in {None, port}:
        return False
    if (listed := _address(name)) is not None:
        return listed == address
    name, host = _ascii(name.removeprefix("*").strip(".")), _ascii(host)
    if not name or ":" in name:
        raise UnusableProxy(variable, invalid)
    return host == name or host.endswith(f".{name}")


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


def _ascii(name: str) -> str:
    try:
        return name.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return name.lower()
