"""A server for an outbox in tests, whose responses, events and failures a test controls one by one."""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from narrowcast_api.errors import (
    BadRequest,
    NarrowcastError,
    NoResponse,
    NotConnected,
    OutcomeUnknown,
    RateLimited,
)
from narrowcast_api.model.messages import Message
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.protocols.outbox import Outbox, OutboxEntry, OutboxState
from narrowcast_api.protocols.outbox_item import FoundMessage
from narrowcast_api.protocols.outbox_requests import OutboxRequests
from narrowcast_api.state.changes import Change
from narrowcast_api.state.settings import Limits
from narrowcast_api.state.state import State
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.journal import Journal
from support.clock import VirtualClock
from support.contexts import PartContext
from support.journals import killed

LUNCH = ChannelDestination(7, "lunch")
TEA = ChannelDestination(7, "tea")
BRUNO = DirectDestination(frozenset({12}))
ME = 11

FAILURES: dict[str, tuple[bool, NarrowcastError]] = {
    "not connected": (False, NotConnected("refused")),
    "rate limited": (False, RateLimited(5.0)),
    "refused": (False, BadRequest("BAD_REQUEST", "You may not post here.")),
    "lost before": (False, OutcomeUnknown("timed out")),
    "lost after": (True, OutcomeUnknown("cut")),
    "silence": (False, NoResponse("no response within 30 s")),
    "silence after": (True, NoResponse("no response within 30 s")),
}
"""By name: whether the message is stored, and what the client receives."""


@dataclass(slots=True)
class Request:
    """A POST /messages that has reached the server and waits until the test decides its outcome."""

    destination: Destination
    content: str
    local_id: str
    queue_id: str | None
    response: asyncio.Future[int] = field(repr=False)


@dataclass(slots=True)
class StoredMessage:
    id: int
    destination: Destination
    content: str
    local_id: str
    queue_id: str | None
    is_original: bool = True


class OutboxServer(OutboxRequests):
    """Stores messages, keeps the events of one queue, and responds at once unless `hold` is set."""

    def __init__(self) -> None:  # it needs no context
        self.stored: list[StoredMessage] = []
        self.events: deque[StoredMessage] = deque()
        self.requests: list[Request] = []
        self.sends = 0
        self.looks = 0
        self.queue_id = "queue-1"
        self.hold = False
        self.online = True
        self.next_failures: deque[str] = deque()
        self.find_failures: deque[NarrowcastError] = deque()
        self.look_leaves = asyncio.Event()
        self.look_leaves.set()
        self.next_id = 100

    def contents(self, destination: Destination | None = None) -> list[str]:
        """Returns the stored messages, in order."""
        return [m.content for m in self.stored if destination is None or m.destination.key == destination.key]

    async def send(
        self,
        destination: Destination,
        content: str,
        *,
        local_id: str,
        queue_id: str | None,
    ) -> int:
        self.sends += 1
        request = Request(
            destination, content, local_id, queue_id, asyncio.get_running_loop().create_future()
        )
        self.requests.append(request)
        if not self.hold:
            self.finish(request, self.next_failures.popleft() if self.next_failures else "ok")
        return await request.response

    async def find(self, destination: Destination, after_id: int) -> Sequence[FoundMessage]:
        self.looks += 1
        await asyncio.sleep(0)
        await self.look_leaves.wait()
        if self.find_failures:
            raise self.find_failures.popleft()
        return [
            FoundMessage(m.id, m.content.rstrip(), is_original=m.is_original)
            for m in self.stored
            if m.id > after_id and m.destination.key == destination.key
        ]

    def store(self, request: Request) -> int:
        """Processes a request: the message exists and its event is in the queue."""
        self.next_id += 1
        message = StoredMessage(
            self.next_id, request.destination, request.content, request.local_id, request.queue_id
        )
        self.stored.append(message)
        self.events.append(message)
        return message.id

    def finish(self, request: Request, how: str) -> None:
        """Completes a request: 'ok' or one of `FAILURES`."""
        self.requests.remove(request)
        stored, error = FAILURES[how] if how != "ok" else (True, None)
        message_id = self.store(request) if stored else 0
        if not request.response.done():
            if error is None:
                request.response.set_result(message_id)
            else:
                request.response.set_exception(error)


class OutboxContext(PartContext):
    """What the outbox of a bench is told of its server: whether there is a connection, and the queue."""

    def __init__(self, bench: OutboxBench) -> None:
        super().__init__(bench.journal, bench.clock, bench.state)
        self._bench = bench

    @property
    def is_live(self) -> bool:
        return self._bench.server.online

    @property
    def queue_id(self) -> str | None:
        return self._bench.server.queue_id

    def new_id(self) -> str:
        return f"{self._bench.window or 'local'}-{next(self._bench.ids)}"


class OutboxBench:
    """An outbox with its server, clock and journal."""

    def __init__(
        self,
        folder: Path,
        clock: VirtualClock | None = None,
        *,
        window: str | None = None,
        server: OutboxServer | None = None,
        read_only: str | None = None,
    ) -> None:
        self.folder = folder
        self.window = window
        self.read_only = read_only
        self.clock = clock or VirtualClock()
        self.server = server or OutboxServer()
        self.state = State(ME)
        self.state.max_message_id = 100
        self.state.limits = Limits(1000, 60)
        self.context: PartContext
        self.ids = itertools.count(1)
        self.shows = False
        self.shown: list[int] = []
        self.show_failures: deque[NarrowcastError] = deque()
        self.journal: Journal
        self.outbox: Outbox
        self.task: asyncio.Task[None] | None = None

    @property
    def changes(self) -> list[Change]:
        return self.context.published

    @property
    def newest_id(self) -> int:
        return self.state.max_message_id

    @newest_id.setter
    def newest_id(self, message_id: int) -> None:
        self.state.max_message_id = message_id

    def open(self) -> None:
        """Starts, or starts again with the contents of the journal."""
        self.journal = Journal.open(
            self.folder / "journal.db", window=self.window, read_only=self.read_only, executor=inline
        )
        self.context = OutboxContext(self)
        self.outbox = Outbox(self.context, self.server, show=self.show)
        self.context.follow_journal(self.outbox)
        self.task = asyncio.get_running_loop().create_task(self.outbox.run())

    async def show(self, message_id: int) -> None:
        """Fetches the message and shows it, as a session does. Hangs unless `shows`."""
        if not self.shows:
            await asyncio.get_running_loop().create_future()
        self.shown.append(message_id)
        if self.show_failures:
            raise self.show_failures.popleft()

    async def crash(self) -> None:
        """Ends without cleanup: what is in memory is lost, the journal stays as it is."""
        if self.task is not None:
            self.task.cancel()
            await asyncio.gather(self.task, return_exceptions=True)
        killed(self.journal)

    async def __aenter__(self) -> OutboxBench:
        self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.crash()

    async def settle(self) -> None:
        await self.clock.settle()

    async def send_and_hold(self, content: str = "Soup today") -> Request:
        """Sends a message; returns the request that has reached the server, which from now on responds only
        when told.
        """
        self.server.hold = True
        self.outbox.send(LUNCH, content)
        await self.settle()
        return self.server.requests[-1]

    async def event(self) -> bool:
        """Deliver the oldest event of the queue, if there is one."""
        if not self.server.events:
            return False
        stored = self.server.events.popleft()
        self.newest_id = max(self.newest_id, stored.id)
        self.state.messages.put(as_message(stored))
        local_id = stored.local_id if stored.queue_id == self.server.queue_id else None
        self.outbox.on_message(as_message(stored), local_id)
        await self.settle()
        return True

    async def lose_queue(self) -> None:
        """Expires the queue; a new registration has everything so far."""
        self.server.events.clear()
        self.server.queue_id += "'"
        self.newest_id = self.server.next_id
        self.outbox.on_snapshot(self.newest_id)
        await self.settle()


def as_message(stored: StoredMessage) -> Message:
    where = stored.destination
    return Message(
        id=stored.id,
        sender_id=ME,
        sender_name="Ada",
        sender_email="ada@demo.example",
        timestamp=0,
        content=f"<p>{stored.content}</p>",
        channel_id=where.channel_id if isinstance(where, ChannelDestination) else None,
        topic=where.topic if isinstance(where, ChannelDestination) else None,
        direct_user_ids=frozenset({ME}) | where.user_ids if isinstance(where, DirectDestination) else None,
    )


def only(bench: OutboxBench) -> OutboxEntry:
    (entry,) = bench.outbox.entries()
    return entry


def states(bench: OutboxBench) -> list[OutboxState]:
    return [entry.state for entry in bench.outbox.entries()]
