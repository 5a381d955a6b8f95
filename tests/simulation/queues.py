"""Event queues of the service model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]
Params = Mapping[str, str]

HEARTBEAT = 80.0
QUEUE_LIFE = 600.0


class Refused(Exception):
    """A response with an error code."""

    def __init__(self, code: str, msg: str, status: int = 400, **extra: object) -> None:
        super().__init__(msg)
        self.body: Row = {"result": "error", "code": code, "msg": msg, **extra}
        self.status = status


@dataclass(eq=False)
class Queue:
    """The events of one registration."""

    id: str
    user_id: int
    events: list[Row] = field(default_factory=list)
    last_id: int = -1
    asked: float = 0.0
    woken: asyncio.Event = field(default_factory=asyncio.Event)

    def put(self, event: Row) -> None:
        self.last_id += 1
        self.events.append({**event, "id": self.last_id})
        self.woken.set()


class Queues:
    """The queues of all users. `monotonic` returns seconds."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._by_id: dict[str, Queue] = {}

    def add(self, queue_id: str, user_id: int) -> Queue:
        queue = self._by_id[queue_id] = Queue(queue_id, user_id, asked=self._monotonic())
        return queue

    def all(self) -> list[Queue]:
        return list(self._by_id.values())

    def expire(self) -> None:
        """Expires queues that were not polled."""
        for queue in self.all():
            if self._monotonic() - queue.asked > QUEUE_LIFE:
                del self._by_id[queue.id]

    def lose(self, user_id: int) -> None:
        """Drops the queues of a user, as after a server restart."""
        for queue in self.all():
            if queue.user_id == user_id:
                self._drop(queue)

    def _drop(self, queue: Queue) -> None:
        del self._by_id[queue.id]
        queue.woken.set()

    def _of(self, user_id: int, queue_id: str) -> Queue:
        queue = self._by_id.get(queue_id)
        if queue is None or queue.user_id != user_id:
            raise Refused("BAD_EVENT_QUEUE_ID", f"Bad event queue ID: {queue_id}", queue_id=queue_id)
        return queue

    async def events(self, user_id: int, params: Params) -> Row:
        """GET /events."""
        queue = self._of(user_id, params.get("queue_id", ""))
        queue.asked = self._monotonic()
        last = int(params.get("last_event_id", "-1"))
        queue.events = [event for event in queue.events if event["id"] > last]
        if not queue.events and params.get("dont_block") != "true":
            queue.woken.clear()
            try:
                async with asyncio.timeout(HEARTBEAT):
                    await queue.woken.wait()
            except TimeoutError:
                queue.put({"type": "heartbeat"})
            self._of(user_id, queue.id)
            queue.asked = self._monotonic()
        return {"result": "success", "msg": "", "events": list(queue.events), "queue_id": queue.id}

    def forget(self, user_id: int, params: Params, rest: str) -> Row:
        """DELETE /events."""
        self._drop(self._of(user_id, params.get("queue_id", "")))
        return {}

    def tell(self, people: Collection[int], event: Row) -> None:
        """Adds an event to all queues of these users."""
        for queue in self.all():
            if queue.user_id in people:
                queue.put(event)
