"""Drafts in tests: a server with one list, and windows of one account that share one journal."""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from narrowcast_api.errors import (
    ApiError,
    BadRequest,
    NarrowcastError,
    NotConnected,
    NotFound,
    OutcomeUnknown,
    RateLimited,
)
from narrowcast_api.narrow.destinations import ChannelDestination, Destination
from narrowcast_api.protocols.draft_requests import DraftRequests
from narrowcast_api.protocols.drafts import Drafts
from narrowcast_api.resources.drafts import DraftVersion, ServerDraft
from narrowcast_api.state.changes import Change
from narrowcast_api.state.settings import Limits
from narrowcast_api.state.state import State
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.journal import Journal
from support.clock import VirtualClock
from support.contexts import PartContext
from support.journals import killed

LUNCH = ChannelDestination(7, "lunch")

FAILURES: dict[str, tuple[bool, NarrowcastError]] = {
    "not connected": (False, NotConnected("refused")),
    "rate limited": (False, RateLimited(5.0)),
    "lost before": (False, OutcomeUnknown("timed out")),
    "lost after": (True, OutcomeUnknown("cut")),
    "refused": (False, BadRequest("BAD_REQUEST", "Invalid channel ID")),
}


@dataclass(frozen=True, slots=True)
class Event:
    op: str
    draft: ServerDraft


class DraftServer:
    """The state that all devices of a user share. Trims contents as servers do, and detects no conflicts."""

    def __init__(self) -> None:
        self.drafts: dict[int, ServerDraft] = {}
        self.queues: list[deque[Event]] = []
        self.unheard: set[str] = set()
        self.enabled = True
        self.missing: ApiError = NotFound("BAD_REQUEST", "Draft does not exist", 404)
        self._next_id = 0

    def texts(self) -> list[str]:
        return [draft.content for draft in self.drafts.values()]

    def create(self, version: DraftVersion, timestamp: float = 0.0) -> int:
        self._check()
        self._next_id += 1
        return self._put("add", self._next_id, version, timestamp)

    def edit(self, server_id: int, version: DraftVersion, timestamp: float = 0.0) -> int:
        self._check()
        self._find(server_id)
        return self._put("update", server_id, version, timestamp)

    def delete(self, server_id: int) -> int:
        self._check()
        self._tell(Event("remove", self._find(server_id)))
        del self.drafts[server_id]
        return server_id

    def _put(self, op: str, server_id: int, version: DraftVersion, timestamp: float) -> int:
        content = version.content.strip()
        draft = ServerDraft(server_id, DraftVersion(version.destination, content), timestamp)
        self.drafts[server_id] = draft
        self._tell(Event(op, draft))
        return server_id

    def _find(self, server_id: int) -> ServerDraft:
        if server_id not in self.drafts:
            raise self.missing
        return self.drafts[server_id]

    def _check(self) -> None:
        if not self.enabled:
            raise BadRequest("BAD_REQUEST", "User has disabled synchronizing drafts.")

    def _tell(self, event: Event) -> None:
        for queue in self.queues:
            queue.append(event)


@dataclass(slots=True)
class Held:
    """A request that waits until the test decides its outcome."""

    act: Callable[[], int]
    response: asyncio.Future[int]


class DraftClient(DraftRequests):
    """One device: its drafts, journal, event queue, and requests."""

    def __init__(self, server: DraftServer, folder: Path, clock: VirtualClock, name: str = "d") -> None:
        self.server = server
        self.folder = folder
        self.clock = clock
        self.name = name
        self.window: str | None = None
        self.is_leader = True
        self.queue: deque[Event] = deque()
        server.queues.append(self.queue)
        self.calls: list[str] = []
        self.held: list[Held] = []
        self.hold = False
        self.online = True
        self.state = State(1)
        self.context: PartContext
        self.refusals: dict[Destination | None, str] = {}
        self.next_failures: deque[str] = deque()
        self.next_fetches: deque[asyncio.Future[Sequence[ServerDraft]]] = deque()
        self.names = itertools.count(1)
        self.journal: Journal
        self.drafts: Drafts
        self.task: asyncio.Task[None] | None = None

    # requests

    async def create(self, version: DraftVersion, timestamp: float) -> int:
        self.calls.append(f"create {version.content}")
        return await self._request(lambda: self.server.create(version, timestamp))

    async def edit(self, server_id: int, version: DraftVersion, timestamp: float) -> None:
        self.calls.append(f"edit {server_id} {version.content}")
        await self._request(lambda: self.server.edit(server_id, version, timestamp))

    async def delete(self, server_id: int) -> None:
        self.calls.append(f"delete {server_id}")
        await self._request(lambda: self.server.delete(server_id))

    async def fetch(self) -> Sequence[ServerDraft]:
        self.calls.append("fetch")
        if self.next_fetches:
            return await self.next_fetches.popleft()
        await asyncio.sleep(0)
        return list(self.server.drafts.values())

    async def _request(self, act: Callable[[], int]) -> int:
        held = Held(act, asyncio.get_running_loop().create_future())
        self.held.append(held)
        if not self.hold:
            self.finish(held, self.next_failures.popleft() if self.next_failures else "ok")
        return await held.response

    def hold_fetch(self) -> asyncio.Future[Sequence[ServerDraft]]:
        """Sets the response to the next request for all drafts."""
        response: asyncio.Future[Sequence[ServerDraft]] = asyncio.get_running_loop().create_future()
        self.next_fetches.append(response)
        return response

    def finish(self, held: Held, how: str) -> None:
        """Completes a request: 'ok' or one of `FAILURES`."""
        self.held.remove(held)
        done, error = FAILURES[how] if how != "ok" else (True, None)
        value = 0
        if done:
            try:
                value = held.act()
            except NarrowcastError as refusal:
                error = error or refusal
        if held.response.done():
            return
        if error is not None:
            held.response.set_exception(error)
        else:
            held.response.set_result(value)

    # life cycle

    @property
    def changes(self) -> list[Change]:
        return self.context.published

    @property
    def limits(self) -> Limits:
        return self.state.limits

    @limits.setter
    def limits(self, limits: Limits) -> None:
        self.state.limits = limits

    @property
    def enabled(self) -> bool:
        return self.server.enabled

    @property
    def possible(self) -> bool:
        return self.online

    @property
    def known_ids(self) -> list[int]:
        return []

    def refusal(self, version: DraftVersion) -> str | None:
        return self.refusals.get(version.destination)

    def open(self) -> None:
        self.journal = Journal.open(self.folder / f"{self.name}.db", window=self.window, executor=inline)
        self.context = PartContext(self.journal, self.clock, self.state, self.names, self.window or self.name)
        self.drafts = Drafts(self.context, self, is_leader=self.is_leader)
        self.context.follow_journal(self.drafts)
        self.task = asyncio.get_running_loop().create_task(self.drafts.run())

    async def crash(self) -> None:
        """Kills the process: what was not yet written to the journal is lost."""
        killed(self.journal)
        if self.task is not None:
            self.task.cancel()
            await asyncio.gather(self.task, return_exceptions=True)

    async def __aenter__(self) -> DraftClient:
        self.open()
        self.register()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.crash()

    def register(self) -> None:
        """Registers a new queue and fetches a snapshot. A text in neither is one that this device never received."""
        self.server.unheard |= {event.draft.content for event in self.queue} - set(self.server.texts())
        self.queue.clear()
        self.drafts.on_snapshot(list(self.server.drafts.values()) if self.server.enabled else [])

    def event(self) -> bool:
        """Deliver the oldest event, if there is one."""
        if not self.queue:
            return False
        event = self.queue.popleft()
        if event.op == "add":
            self.drafts.on_added([event.draft])
        elif event.op == "update":
            self.drafts.on_updated([event.draft])
        else:
            self.drafts.on_removed(event.draft.id)
        return True

    async def catch_up(self) -> None:
        while self.event():
            await self.clock.settle()

    async def receive(self, content: str) -> str:
        """Creates a draft on another device; returns its id here."""
        self.server.create(DraftVersion(LUNCH, content))
        await self.catch_up()
        return next(draft.draft_id for draft in self.drafts.all() if draft.content == content)

    async def sync(self, content: str) -> str:
        """Creates a draft on this device that the server has; returns its id. Its requests are cleared."""
        draft_id = self.drafts.save(None, LUNCH, content)
        await self.clock.advance(3)
        await self.catch_up()
        self.calls.clear()
        return draft_id

    def kept(self) -> list[str]:
        """Returns the texts of the drafts in the journal."""
        return [record.version.content for record in self.journal.load_drafts()]

    def texts(self) -> list[str]:
        return sorted(draft.content for draft in self.drafts.all())


def edited_elsewhere(
    server: DraftServer, server_id: int, content: str, where: Destination | None = LUNCH
) -> None:
    """Writes a draft on another device."""
    server.edit(server_id, DraftVersion(where, content), 5.0)


class Window(DraftClient):
    """One of several windows that share the journal of drafts."""

    def __init__(
        self, server: DraftServer, folder: Path, clock: VirtualClock, name: str, *, is_leader: bool
    ) -> None:
        super().__init__(server, folder, clock, "shared")
        self.window, self.is_leader = name, is_leader

    def look(self) -> None:
        """Reads what the other window has written."""
        if self.journal.changed_elsewhere():
            self.drafts.on_journal(self.journal.refresh().result())


def pair(folder: Path) -> tuple[Window, Window]:
    """Returns the window that syncs drafts with the server, and another one."""
    server, clock = DraftServer(), VirtualClock()
    return tuple(Window(server, folder, clock, name, is_leader=name == "a") for name in "ab")  # type: ignore[return-value]


def known_to_both(one: Window, other: Window) -> str:
    """Writes the draft "Soup" in one window and reads it in the other; returns its id."""
    draft_id = one.drafts.save(None, LUNCH, "Soup")
    other.look()
    return draft_id
