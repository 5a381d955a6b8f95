"""The async client library of a team-chat service: no terminal, no user interface.

    from narrowcast_api import Client

    async with Client.from_zuliprc("~/zuliprc") as client:
        await client.messages.send(to="general", topic="lunch", content="Soup today")

Names are imported when they are first used, so that importing the package is cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from narrowcast_api.account import Account
    from narrowcast_api.client import Client
    from narrowcast_api.errors import NarrowcastError
    from narrowcast_api.http.connection import Connection
    from narrowcast_api.http.encoding import OMIT
    from narrowcast_api.http.ignored_parameters import Ignored, ignored_parameters
    from narrowcast_api.http.secret import Secret
    from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
    from narrowcast_api.narrow.narrow import Narrow
    from narrowcast_api.sync.session import Session

__all__ = [
    "OMIT",
    "Account",
    "ChannelDestination",
    "Client",
    "Connection",
    "Destination",
    "DirectDestination",
    "Ignored",
    "Narrow",
    "NarrowcastError",
    "Secret",
    "Session",
    "ignored_parameters",
]

_HOMES = {
    "Account": "account",
    "ChannelDestination": "narrow.destinations",
    "Client": "client",
    "Connection": "http.connection",
    "Destination": "narrow.destinations",
    "DirectDestination": "narrow.destinations",
    "Ignored": "http.ignored_parameters",
    "NarrowcastError": "errors",
    "Narrow": "narrow.narrow",
    "OMIT": "http.encoding",
    "Secret": "http.secret",
    "Session": "sync.session",
    "ignored_parameters": "http.ignored_parameters",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
