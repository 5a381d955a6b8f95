"""What one does to a message shows at once; the server's event confirms it, and a refusal takes it back.

    flag(), reaction() ──> shown, journal ──> request ──> taken: gone
                                   ^            │ └─ refused: taken back, said, gone
                                   └── later <──┘ not connected, no answer, fault of the server, 429

An act is shown as the event that will follow from it. The state takes an event twice without harm, so that the
foretold one and the true one need no matching; and a flag or reaction that is set twice is set, so that a request
whose answer was lost is simply made again. Those on one message are sent in order; so is all that waits. Other windows
show what waits here, and one takes it over when this one has ended. Cheap to import: the events are loaded with the
first act.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Collection
from typing import TYPE_CHECKING, Literal, Protocol
from weakref import WeakValueDictionary

from narrowcast_api.backoff import RetryTime
from narrowcast_api.clock import Clock
from narrowcast_api.errors import (
    NOT_TAKEN,
    NarrowcastError,
    ReactionAlreadyExists,
    ReactionDoesNotExist,
)
from narrowcast_api.model.messages import Reaction
from narrowcast_api.protocols.alarm import Alarm
from narrowcast_api.state.changes import ActsChanged, Change, ServerNotice
from narrowcast_api.storage.journal import Journal
from narrowcast_api.storage.journal_changes import JournalChanges
from narrowcast_api.storage.records import ActRecord

if TYPE_CHECKING:
    from narrowcast_api.wire.events import Event


class ActRequests(Protocol):
    """The requests behind the acts."""

    async def change_flag(self, message_id: int, flag: str, on: bool) -> None:
        """Set or clear a flag (POST /messages/flags). Raises NarrowcastError."""

    async def change_reaction(self, message_id: int, reaction: Reaction, on: bool) -> None:
        """POST or DELETE /messages/{message_id}/reactions."""


class MessageActs:
    """The acts on messages that the server has not taken. `run` is a task of the session.

    `online`, `me`, `is_known` (whether a message is there) and `has_flag` are read when needed. Call `on_journal` for
    what other windows have written, `on_flag` for events of flags, `on_snapshot` after every registration and `wake`
    when the connection is live.
    """

    def __init__(
        self,
        *,
        requests: ActRequests,
        show: Callable[[Event], object],
        journal: Journal,
        clock: Clock,
        changed: Callable[[Change], None],
        me: Callable[[], int],
        is_known: Callable[[int], bool],
        has_flag: Callable[[int, str], bool],
        online: Callable[[], bool],
    ) -> None:
        self._requests = requests
        self._show = show
        self._journal = journal
        self._changed = changed
        self._me = me
        self._is_known = is_known
        self._has_flag = has_flag
        self._before: dict[str, bool] = {}
        """What the server says of the flag of each act, by the act's id: what is shown without it."""
        self._online = online
        self._alarm = Alarm(clock)
        self._retry = RetryTime(clock, 1.0, 30.0)
        self._clock = clock
        self._queues: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._acts = {record.act_id: record for record in journal.load_acts()}
        self._under_way: set[str] = set()
        self._position = max((record.position for record in self._acts.values()), default=0)

    @property
    def waiting(self) -> int:
        """How many wait for the connection, wherever they were done."""
        return len(self._acts) - len(self._under_way)

    def flag(self, message_id: int, flag: str, on: bool) -> Awaitable[None]:
        """Shows one of one's own flags set or cleared; what is returned sends it, or leaves it for later. Raises
        `NarrowcastError` for a refusal.
        """
        return self._act(message_id, on, flag=flag)

    def reaction(self, message_id: int, reaction: Reaction, on: bool) -> Awaitable[None]:
        """Shows a reaction of one's own added or removed; the same."""
        return self._act(message_id, on, reaction=reaction)

    # what the session calls

    def on_journal(self, changes: JournalChanges) -> None:
        """Other windows have written to the journal, or left something to this one."""
        for act_id, record in changes.acts().items():
            if record is None:
                gone = self._acts.pop(act_id, None)
                if gone is not None and act_id in self._before:
                    self._uncover(gone)  # taken, and then an event says so, or refused
            else:
                self._acts[act_id] = record
                self._position = max(self._position, record.position)
                if act_id in self._before:
                    self._foretell(record, record.is_on)
                else:
                    self._do(record)
        if changes.acts():
            self._changed(ActsChanged())
            self._alarm.ring()

    def on_flag(self, message_ids: Collection[int], flag: str, on: bool) -> None:
        """The server says that a flag of these messages was set or cleared."""
        for record in self._acts.values():
            if record.flag == flag and record.message_id in message_ids and record.act_id in self._before:
                self._before[record.act_id] = on

    def on_snapshot(self) -> None:
        """What was done stays done, though the server does not know yet."""
        self._before.clear()
        for record in self._in_order():
            self._do(record)

    def wake(self) -> None:
        """The connection is live again: try now."""
        self._retry.clear()
        self._alarm.ring()

    async def run(self) -> None:
        """Send what waits, for ever."""
        while True:
            await self._alarm.wait(await self._next())

    # one act

    def _act(
        self, message_id: int, on: bool, *, flag: str | None = None, reaction: Reaction | None = None
    ) -> Awaitable[None]:
        self._position += 1
        name, code, kind = (
            (None, None, None)
            if reaction is None
            else (reaction.emoji_name, reaction.emoji_code, reaction.reaction_type)
        )
        act_id = secrets.token_hex(8)
        owner = self._journal.window
        record = ActRecord(act_id, self._position, message_id, flag, name, code, kind, on, owner)
        waits_behind = any(other.message_id == message_id for other in self._waiting())
        self._acts[act_id] = record
        self._under_way.add(act_id)
        self._journal.put_act(record)
        self._do(record)
        return self._send_first(record, waits_behind=waits_behind)

    async def _send_first(self, record: ActRecord, *, waits_behind: bool) -> None:
        try:
            if waits_behind or not self._online():
                return
            async with self._queue(record.message_id):
                await self._send(record)
        finally:
            self._under_way.discard(record.act_id)
            if record.act_id in self._acts:
                self._changed(ActsChanged())
                self._alarm.ring()

    async def _send(self, record: ActRecord) -> None:
        """Make the request. Raises NarrowcastError for a refusal, which takes the act back."""
        try:
            await self._request(record)
        except (ReactionAlreadyExists, ReactionDoesNotExist):
            pass  # another of one's clients was faster: what is shown is true
        except NOT_TAKEN:
            self._take_back(record)
            raise
        except NarrowcastError as error:  # it may have been carried out, or not: once more does no harm
            self._retry.failed(error)
            return
        self._retry.worked()
        self._forget(record)

    def _request(self, record: ActRecord) -> Awaitable[None]:
        if record.flag is not None:
            return self._requests.change_flag(record.message_id, record.flag, record.is_on)
        return self._requests.change_reaction(record.message_id, self._reaction(record), record.is_on)

    def _take_back(self, record: ActRecord) -> None:
        self._uncover(record)
        self._forget(record)

    def _uncover(self, record: ActRecord) -> None:
        """Show what was there without an act; what was done to the message after it is shown over that."""
        before = self._before.pop(record.act_id, not record.is_on)
        later = self._later(record)
        if later and record.flag is not None:
            self._before[later[0].act_id] = before
            return
        self._foretell(record, before)
        for other in later:
            self._do(other)

    def _forget(self, record: ActRecord) -> None:
        self._before.pop(record.act_id, None)
        if self._acts.pop(record.act_id, None) is not None:
            self._journal.delete_act(record.act_id)
            self._changed(ActsChanged())

    # what waits

    def _in_order(self) -> list[ActRecord]:
        return sorted(self._acts.values(), key=_place)

    def _waiting(self) -> list[ActRecord]:
        return [
            record
            for record in self._in_order()
            if record.act_id not in self._under_way and record.owner == self._journal.window
        ]

    async def _next(self) -> float | None:
        """Send the first that waits; seconds until the next try, None if nothing can be done."""
        waiting = self._waiting()
        if not waiting or not self._online():
            return None
        wait = self._retry.at - self._clock.monotonic()
        if wait > 0:
            return wait
        record = waiting[0]
        try:
            async with self._queue(record.message_id):
                await self._send(record)
        except NarrowcastError as error:
            what = "A change of a flag" if record.flag is not None else "A reaction"
            self._changed(ServerNotice(f"{what} that waited was refused: {error.user_message}"))
        return 0.0

    def _queue(self, message_id: int) -> asyncio.Lock:
        queue = self._queues.get(message_id)
        if queue is None:
            queue = self._queues[message_id] = asyncio.Lock()
        return queue

    # what is shown

    def _reaction(self, record: ActRecord) -> Reaction:
        return Reaction(
            record.emoji_name or "", record.emoji_code or "", record.reaction_type or "", self._me()
        )

    def _later(self, record: ActRecord) -> list[ActRecord]:
        """What was done to the same after it and is shown, in all windows."""
        later = (
            other
            for other in self._acts.values()
            if (other.message_id, other.flag) == (record.message_id, record.flag)
            and _place(other) > _place(record)
            and (other.flag is None or other.act_id in self._before)
        )
        return sorted(later, key=_place)

    def _do(self, record: ActRecord) -> None:
        """Show an act over what the server says and under what was done later; called again whenever that is new."""
        if record.flag is not None:
            later = self._later(record)
            if later:  # another window's, heard of late
                self._before[record.act_id] = self._before[later[0].act_id]
                self._before[later[0].act_id] = record.is_on
                return
            self._before[record.act_id] = self._has_flag(record.message_id, record.flag)
        self._foretell(record, record.is_on)

    def _foretell(self, record: ActRecord, on: bool) -> None:
        from narrowcast_api.wire.events import ReactionEvent, UpdateMessageFlagsEvent

        if not self._is_known(record.message_id) and (on or record.flag is None):
            return  # deleted meanwhile, or never seen in this window; a flag that it had is taken back all the same
        op: Literal["add", "remove"] = "add" if on else "remove"
        if record.flag is not None:
            self._show(UpdateMessageFlagsEvent(op=op, flag=record.flag, messages=[record.message_id]))
        else:
            self._show(ReactionEvent(op=op, message_id=record.message_id, reaction=self._reaction(record)))


def _place(record: ActRecord) -> tuple[int, str]:
    """Where it is in the order in which the acts of all windows were done."""
    return (record.position, record.act_id)
