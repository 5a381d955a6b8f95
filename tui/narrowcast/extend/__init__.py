"""The API for writing extensions. Everything here stays compatible until the next major version.

An extension is one `Extension`, with functions for what it does::

    from narrowcast.extend import App, Extension

    extension = Extension("hello", "Says hello")

    @extension.command("say", "Say hello", keys=["f12"])
    def say(app: App[None]) -> None:
        app.tell(f"Hello, {app.me.full_name}!")

It is a file in the folder ``extensions`` of the configuration, in which it is called ``extension``, or an entry point
of the group ``narrowcast.extensions`` in an installed package. docs/extensions.md is the guide.
"""

from __future__ import annotations

from narrowcast.extend.app import App
from narrowcast.extend.declare import Extension
from narrowcast.extend.values import Card, Code, Link, Offer, Refused
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.events.status import ConnectionKind, ConnectionStatus
from narrowcast_api.model.messages import Message
from narrowcast_api.model.users import User
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.resources.status import Status

__all__ = [
    "App",
    "Card",
    "ChannelDestination",
    "Code",
    "ConnectionKind",
    "ConnectionStatus",
    "Destination",
    "DirectDestination",
    "Extension",
    "Link",
    "Message",
    "Narrow",
    "NarrowcastError",
    "Offer",
    "Refused",
    "Status",
    "User",
]
