"""What a stream of events over a WebSocket can do. The library that opens one is loaded where a server offers it."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection


class Socket(Protocol):
    """An open stream of events."""

    async def receive(self) -> list[object]:
        """The events of the next frame."""

    async def acknowledge(self, last_event_id: int) -> None:
        """Says up to where events have been applied; the server forgets them."""

    async def close(self) -> None:
        """Ends the stream; the queue lives on."""


class OpenSocket(Protocol):
    """How a stream is opened."""

    async def __call__(
        self, connection: Connection, path: str, queue_id: str, last_event_id: int
    ) -> Socket: ...


async def open_socket(connection: Connection, path: str, queue_id: str, last_event_id: int) -> Socket:
    """Opens the stream at ``path``. Raises `NarrowcastError`."""
    module = await asyncio.to_thread(importlib.import_module, "narrowcast_api.events.websocket")
    opened: Socket = await module.open_socket(connection, path, queue_id, last_event_id)
    return opened
