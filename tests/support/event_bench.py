"""An event stream on a scripted transport and a virtual clock."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx2

from narrowcast_api.events.event_source import OpenSocket
from narrowcast_api.events.status import ConnectionKind, ConnectionStatus
from narrowcast_api.events.stream import EventStream
from narrowcast_api.wire.events import Event
from support.api import make_connection
from support.clock import VirtualClock
from support.scripted import ScriptedTransport, SentRequest

REGISTER, EVENTS = ("POST", "/api/v1/register"), ("GET", "/api/v1/events")
SNAPSHOT = {"queue_id": "q1", "last_event_id": -1, "zulip_feature_level": 442, "user_id": 1}
LIVE, RECONNECTING = ConnectionKind.LIVE, ConnectionKind.RECONNECTING


def heartbeat(*ids: int) -> dict[str, Any]:
    return {"events": [{"type": "heartbeat", "id": event_id} for event_id in ids]}


class StreamBench:
    """An event stream on a scripted transport, and a record of what it did."""

    def __init__(self, open_socket: OpenSocket | None = None) -> None:
        self.clock = VirtualClock()
        self.transport = ScriptedTransport()
        self.connection = make_connection(self.transport, clock=self.clock)
        self.snapshots: list[dict[str, object]] = []
        self.events: list[int] = []
        self.statuses: list[ConnectionStatus] = []
        self.broken: Callable[[Sequence[Event]], None] = lambda events: None
        self.stream = EventStream(
            self.connection,
            clock=self.clock,
            receiver=self,
            open_socket=open_socket,
            random=lambda: 1.0,
        )

    async def on_snapshot(self, response: dict[str, object]) -> None:
        self.snapshots.append(response)

    async def on_events(self, events: Sequence[Event]) -> None:
        self.broken(events)
        self.events.extend(event.id for event in events)

    def on_status(self, status: ConnectionStatus) -> None:
        self.statuses.append(status)

    def registers(self, queue_id: str = "q1", **fields: object) -> None:
        self.transport.prepare(*REGISTER, json={**SNAPSHOT, "queue_id": queue_id, **fields})

    def hangs(self) -> None:
        self.transport.prepare(*EVENTS, json={}, gate=asyncio.Event())

    def cut(self) -> None:
        self.transport.prepare(*EVENTS, error=httpx2.ReadError("cut"))

    def polls(self) -> list[SentRequest]:
        return [request for request in self.transport.requests if request.path == EVENTS[1]]

    @property
    def kinds(self) -> list[ConnectionKind]:
        return [status.kind for status in self.statuses]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.stream.run())
        await self.clock.settle(60)
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            await self.connection.aclose()
