"""The events of a queue: from its WebSocket stream while that works, else by polling."""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from narrowcast_api import debug_log
from narrowcast_api.http.connection import Connection
from narrowcast_api.routes.events import get_events

logger = logging.getLogger(__name__)

_MAX_FAILURES = 2
"""Failures of the WebSocket in a row after which a queue is polled."""


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
    """Opens the stream at ``path``, with a library that is only loaded now: most servers offer no such stream. Raises
    `NarrowcastError`.
    """
    module = await asyncio.to_thread(importlib.import_module, "narrowcast_api.events.websocket")
    opened: EventSocket = await module.open_socket(connection, path, queue_id, last_event_id)
    return opened


class RegisteredQueue(NamedTuple):
    """The event queue of a snapshot."""

    queue_id: str
    last_event_id: int
    stream_path: str | None = None
    """The path of the queue's WebSocket stream; None if the server offers none."""
    kept_for: float | None = None
    """Seconds for which the server keeps the queue without a request; None if it does not say (before level 481)."""


class EventSource:
    """Opens the WebSocket of a queue when events are waited for, with `open_socket`; None only polls."""

    def __init__(self, connection: Connection, open_socket: OpenSocket | None) -> None:
        self._connection = connection
        self._open_socket = open_socket
        self._socket: EventSocket | None = None
        self._closing: set[asyncio.Future[None]] = set()
        self._failures = 0

    @property
    def is_open(self) -> bool:
        """Whether events come from a WebSocket."""
        return self._socket is not None

    def has_socket(self, queue: RegisteredQueue) -> bool:
        """Whether a queue has a WebSocket, even if that does not work now."""
        return self._open_socket is not None and queue.stream_path is not None

    def begin(self) -> None:
        """Tries the WebSocket of a new queue, whatever happened to earlier ones."""
        self._failures = 0

    def forgive(self) -> None:
        """Takes back a failure of the WebSocket: it is left before it had the time to prove itself."""
        self._failures = max(0, self._failures - 1)

    async def receive(self, queue: RegisteredQueue, *, waiting: bool) -> Sequence[object]:
        """Returns the next events; without `waiting` those that are there now, which may be none."""
        if waiting and self._open_socket is not None and queue.stream_path is not None:
            socket = self._socket or await self._try_socket(self._open_socket, queue, queue.stream_path)
            if socket is not None:
                events = await socket.receive()
                self._failures = 0
                return events
        batch = await get_events(
            self._connection,
            queue_id=queue.queue_id,
            last_event_id=queue.last_event_id,
            dont_block=not waiting,
        )
        return batch.events

    async def acknowledge(self, last_event_id: int) -> None:
        """Tells the server that it need not keep events up to this one. A poll does so by itself."""
        if self._socket is not None:
            await self._socket.acknowledge(last_event_id)

    def leave(self) -> None:
        """Closes the WebSocket in the background, because that takes seconds on a dead connection."""
        socket, self._socket = self._socket, None
        if socket is not None:
            closing = asyncio.ensure_future(_close(socket))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """Closes the WebSocket, and waits until all are closed."""
        self.leave()
        await asyncio.gather(*self._closing)

    async def _try_socket(
        self, open_socket: OpenSocket, queue: RegisteredQueue, path: str
    ) -> EventSocket | None:
        if self._failures >= _MAX_FAILURES:
            return None
        self._failures += 1  # until a frame arrives
        try:
            self._socket = await open_socket(self._connection, path, queue.queue_id, queue.last_event_id)
        except asyncio.CancelledError:
            raise
        except Exception as error:  # a long poll reports the cause better, whatever it is
            logger.info("no event stream, polling instead: %s", type(error).__name__)
            debug_log.note("socket", error)
            self._failures = _MAX_FAILURES
            return None
        debug_log.note("socket", "open")
        return self._socket


async def _close(socket: EventSocket) -> None:
    try:
        await socket.close()
    except Exception as error:  # it is closed either way
        logger.debug("the event stream did not close: %s", type(error).__name__)
