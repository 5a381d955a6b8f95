"""A session on a fake service: the test controls what it stores, sends and rejects, and when responses
arrive; no time passes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx2

from narrowcast_api.account import Account
from narrowcast_api.events.status import ConnectionKind
from narrowcast_api.http.secret import Secret
from narrowcast_api.sync.session import Session
from support.clock import VirtualClock
from support.live import DESIGN, GENERAL, RANDOM, channel, channel_message, message_event, snapshot
from support.scripted import unread
from support.sessions import until


class Service(httpx2.AsyncBaseTransport):
    """Responds to registration with `snapshot` and pages with `messages`, and sends events unless `is_mute`;
    accepts all other requests. A message that is sent gets the id 200.
    """

    def __init__(self) -> None:
        self.snapshot = snapshot()
        self.messages: dict[int, dict[str, Any]] = {}
        self.topics: list[dict[str, Any]] = []
        self.channels: dict[int, str] = {GENERAL: "general", DESIGN: "design", RANDOM: "random"}
        self.page_leaves = asyncio.Event()
        self.page_leaves.set()
        self.channel_leaves = asyncio.Event()
        self.channel_leaves.set()
        self.message_leaves = asyncio.Event()
        self.message_leaves.set()
        self.asked: list[str] = []
        self.is_refusing = False
        self.is_closed = False
        self.is_mute = False
        self._events: list[dict[str, Any]] = []
        self._is_lost = False
        self._news = asyncio.Event()
        self.told = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.path.removeprefix("/api/v1")
        self.asked.append(path)
        status, response = 200, dict[str, Any](drafts=[], count=0)
        if path == "/register" and self.is_refusing:
            status, response = 401, {"result": "error", "code": "UNAUTHORIZED", "msg": "Invalid API key"}
        elif path == "/register":
            response = {**self.snapshot}
        elif path == "/messages" and request.method == "POST":
            response = {"id": 200}
        elif path == "/events" and self.is_mute:
            raise httpx2.ReadError("cut off", request=request)
        elif path == "/events" and request.method == "GET":
            status, response = await self._poll("dont_block=true" in str(request.url))
        elif path == "/messages" and request.method == "GET":
            found = [dict(message) for _, message in sorted(self.messages.items())]
            await self.page_leaves.wait()
            response = {"messages": found, "found_oldest": True, "found_newest": True, "found_anchor": True}
        elif path.startswith("/streams/") or path.endswith("/topics"):
            topics = list(self.topics)
            await self.channel_leaves.wait()
            number = int(path.split("/")[2 if path.startswith("/streams/") else 3])
            if number in self.channels:
                response = {"stream": channel(number, self.channels[number]), "topics": topics}
            else:
                status, response = (
                    400,
                    {"result": "error", "code": "BAD_REQUEST", "msg": "Invalid channel ID"},
                )
        elif path.startswith("/messages/") and request.method == "GET":
            message = self.messages.get(int(path.rpartition("/")[2]))
            await self.message_leaves.wait()
            if message is None:
                status, response = (
                    400,
                    {"result": "error", "code": "BAD_REQUEST", "msg": "Invalid message(s)"},
                )
            else:
                response = {"message": message}
        return unread(httpx2.Response(status, json={"result": "success", "msg": "", **response}))

    async def aclose(self) -> None:
        self.is_closed = True

    async def _poll(self, at_once: bool) -> tuple[int, dict[str, Any]]:
        while not (self._events or self._is_lost or self.is_mute or at_once):
            self._news.clear()
            await self._news.wait()
        if self.is_mute:
            raise httpx2.ReadError("cut off")
        if self._is_lost:
            self._is_lost = False
            return 400, {"result": "error", "code": "BAD_EVENT_QUEUE_ID", "msg": "gone", "queue_id": "q1"}
        events, self._events = self._events, []
        return 200, {"events": events}

    def tell(self, *events: dict[str, Any]) -> None:
        """Queues events for the next poll."""
        for event in events:
            self.told += 1
            self._events.append({**event, "id": self.told})
        self._news.set()

    def go_mute(self) -> None:
        """Disconnects the event poll; all else works."""
        self.is_mute = True
        self._news.set()

    def lose_queue(self, **fields: object) -> None:
        """Expires the queue; registration returns this snapshot from now on."""
        self.snapshot = snapshot(queue_id="q2", last_event_id=self.told, **fields)
        self._is_lost = True
        self._news.set()


async def open_session(
    folder: Path, service: Service, clock: VirtualClock | None = None, *, present: bool | None = False
) -> Session:
    """Ada's session, not running yet. `present` None: presence as an app leaves it."""
    account = Account("http://chat.example", "user1@demo.example", Secret("k" * 32))
    opened = partial(
        Session.open,
        account,
        data_dir=folder / "data",
        cache_dir=folder / "cache",
        clock=clock or VirtualClock(),
        transport=service,
    )
    return await (opened() if present is None else opened(present=present))


@asynccontextmanager
async def live_session(
    folder: Path, service: Service, clock: VirtualClock | None = None, *, present: bool | None = False
) -> AsyncIterator[Session]:
    """Ada's running session, live, or rejected if the service rejects it."""
    session = await open_session(folder, service, clock, present=present)
    running = asyncio.create_task(session.run())
    try:
        await until(lambda: session.is_live or session.status.kind is ConnectionKind.REFUSED)
        yield session
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await session.close()


async def after_events(session: Session, service: Service, *events: dict[str, Any]) -> None:
    """Sends events, and waits until they are applied and the session's listeners have their changes."""
    last = 1000 + service.told
    service.tell(*events, message_event(channel_message(last, "elsewhere"), "read"))
    await until(lambda: last in session.state.messages)
    await asyncio.sleep(0)  # listeners receive changes at the next turn of the loop


async def after_a_new_snapshot(session: Session, service: Service, **fields: object) -> None:
    """Expires the queue, and waits until the state is that of a snapshot with these fields."""
    before = session.state
    newest = max(before.max_message_id, *service.messages, 0)
    service.lose_queue(**{"max_message_id": newest, **fields})
    await until(lambda: session.state is not before)


async def on_its_way(service: Service, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Starts work that requests a page, whose response waits for `page_leaves`."""
    service.page_leaves.clear()
    before = service.asked.count("/messages")
    task = asyncio.create_task(work)
    await until(lambda: service.asked.count("/messages") > before)
    return task
