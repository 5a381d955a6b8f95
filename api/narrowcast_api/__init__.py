"""The async client library of a team-chat service: no terminal, no user interface.

    from narrowcast_api import Client

    async with Client.from_zuliprc("~/zuliprc") as client:
        await client.messages.send(to="general", topic="lunch", content="Soup today")

Names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from narrowcast_api.account import Account
    from narrowcast_api.client import Client
    from narrowcast_api.connection import Connection
    from narrowcast_api.destinations import ChannelDestination, Destination, DirectDestination
    from narrowcast_api.encoding import OMIT
    from narrowcast_api.errors import NarrowcastError
    from narrowcast_api.ignored import Ignored, ignored_parameters
    from narrowcast_api.narrow import Narrow
    from narrowcast_api.secret import Secret
    from narrowcast_api.session import Session

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
    "ChannelDestination": "destinations",
    "Client": "client",
    "Connection": "connection",
    "Destination": "destinations",
    "DirectDestination": "destinations",
    "Ignored": "ignored",
    "NarrowcastError": "errors",
    "Narrow": "narrow",
    "OMIT": "encoding",
    "Secret": "secret",
    "Session": "session",
    "ignored_parameters": "ignored",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
