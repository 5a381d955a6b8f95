"""The interface of a WebSocket stream of events. The library for it is only loaded if a server offers such a stream."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection


class EventSocket(Protocol):
    """An open stream of events."""

    async def receive(self) -> list[object]:
        """The events of the next frame."""

    async def acknowledge(self, last_event_id: int) -> None:
        """Reports up to which id events have been applied; the server deletes them."""

    async def close(self) -> None:
        """Closes the stream; the queue remains."""


class OpenSocket(Protocol):
    """Opens a WebSocket stream of events; `open_socket` is one."""

    async def __call__(
        self, connection: Connection, path: str, queue_id: str, last_event_id: int
    ) -> EventSocket: ...


async def open_socket(connection: Connection, path: str, queue_id: str, last_event_id: int) -> EventSocket:
    """Opens the stream at ``path``. Raises `NarrowcastError`."""
    module = await asyncio.to_thread(importlib.import_module, "narrowcast_api.events.websocket")
    opened: EventSocket = await module.open_socket(connection, path, queue_id, last_event_id)
    return opened
