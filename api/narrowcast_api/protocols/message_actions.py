"""The user's actions on messages: shown at once, confirmed by the server's event, undone if rejected.

    flag(), reaction() ──> shown, journal ──> request ──> accepted: gone
                                   ^            │ └─ rejected: undone, reported, gone
                                   └── later <──┘ not connected, no response, fault of the server, 429

An action is shown by applying the event that will follow from it. Applying an event to the state twice does
no harm, so the expected event and the real one need no matching; setting a flag or reaction twice does no
harm either, so a request whose response was lost is repeated. Actions on one message are sent in order, and so
are all that are waiting. Other windows show the waiting actions of this one, and one of them takes them over
when this one closes. Cheap to import: the events are loaded with the first action.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Literal
from weakref import WeakValueDictionary

from narrowcast_api.backoff import RetryTime
from narrowcast_api.clock import Wakeup
from narrowcast_api.errors import (
    REJECTED_OR_REDIRECTED,
    NarrowcastError,
    ReactionAlreadyExists,
    ReactionDoesNotExist,
)
from narrowcast_api.model.messages import Reaction
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.state.changes import ActionsChanged, ServerNotice
from narrowcast_api.storage.journal import JournalChanges
from narrowcast_api.storage.records import ActionRecord
from narrowcast_api.tasks import Tasks
from narrowcast_api.wire.events import ReactionEvent, UpdateMessageFlagsEvent

_Subject = tuple[int, str | tuple[str, str]]
"""A message, and what is set or cleared on it: a flag, or a reaction by its key."""


class MessageActions:
    """The actions on messages that the server has not confirmed. `run` is a task of the session.

    Call `on_journal` for what other windows have written, `on_event` for events of flags and reactions,
    `on_snapshot` after every registration and `wake` when the connection is live.
    """

    def __init__(self, context: SessionContext) -> None:
        self._context = context
        self._journal = journal = context.journal
        self._clock = clock = context.clock
        self._before: dict[str, bool] = {}
        """The value of the flag without each action, by the action's id."""
        self._happened: set[str] = set()
        """The reactions, by the ids of the actions, whose events have arrived."""
        self._wakeup = Wakeup(clock)
        self._retry = RetryTime(clock, 1.0, 30.0, "flags-and-reactions")
        self._queues: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._acts = {record.act_id: record for record in journal.load_acts()}
        self._under_way: set[str] = set()
        self._in_flight: set[str] = set()
        self._checks = Tasks()
        self._position = max((record.position for record in self._acts.values()), default=0)

    @property
    def waiting(self) -> int:
        """How many actions wait for the connection, in all windows."""
        return len(self._acts) - len(self._under_way)

    def flag(self, message_id: int, flag: str, on: bool) -> Awaitable[None]:
        """Shows one of the user's flags as set or cleared; the returned awaitable sends the request, or
        leaves it for later. It raises `NarrowcastError` if the server rejects it.
        """
        return self._act(message_id, on, flag=flag)

    def reaction(self, message_id: int, reaction: Reaction, on: bool) -> Awaitable[None]:
        """Shows a reaction of the user as added or removed; otherwise like `flag`."""
        return self._act(message_id, on, reaction=reaction)

    # what the session calls

    def on_journal(self, changes: JournalChanges) -> None:
        """Takes in what other windows have written to the journal or left to this one."""
        for act_id, record in changes.acts().items():
            if record is None:
                gone = self._acts.pop(act_id, None)
                if gone is not None and act_id in self._before:
                    self._undo_shown(gone)  # it was sent, and an event about it follows, or it was rejected
                elif gone is not None and gone.flag is None and act_id not in self._happened:
                    self._checks.start(self._check(gone), "check a reaction of another window")
                self._happened.discard(act_id)
            else:
                self._acts[act_id] = record
                self._position = max(self._position, record.position)
                if act_id in self._before:
                    self._show_record(record, record.is_on)
                else:
                    self._do(record)
        if changes.acts():
            self._context.publish(ActionsChanged())
            self._wakeup.set()

    def on_event(self, event: UpdateMessageFlagsEvent | ReactionEvent) -> None:
        """Handles an event after the state: the server has set or cleared flags or a reaction of the user.
        Later actions that it has not received yet are shown on top of that.
        """
        if not self._acts:
            return
        on = event.op == "add"
        changed: set[_Subject] = set()
        if event.type == "update_message_flags":
            changed.update((message_id, event.flag) for message_id in event.messages)
        elif event.reaction.user_id == self._context.state.me:
            changed.add((event.message_id, event.reaction.key))
        newest: dict[_Subject, ActionRecord] = {}
        for record in self._in_order():
            subject = self._subject(record)
            if subject in changed:
                newest[subject] = record
                if record.flag is None and record.is_on == on:
                    self._happened.add(record.act_id)
                elif record.act_id in self._before:
                    self._before[record.act_id] = on
        for record in newest.values():
            if record.is_on != on and record.act_id not in self._in_flight:
                self._show_record(record, record.is_on)

    def on_snapshot(self) -> None:
        """Shows the unsent actions again on top of a new snapshot."""
        self._before.clear()
        for record in self._in_order():
            self._do(record)

    def on_older_server(self, is_lost: Callable[[int], bool]) -> None:
        """Handles that the server was restored to an older state: actions on messages that it has lost would be on
        others, which will get their ids.
        """
        for record in self._in_order():
            if is_lost(record.message_id) and record.act_id not in self._under_way:
                self._forget(record)

    def wake(self) -> None:
        """Retries at once, because the connection is live again."""
        self._retry.clear()
        self._wakeup.set()

    async def run(self) -> None:
        """Sends waiting actions until cancelled."""
        try:
            while True:
                await self._wakeup.wait(await self._next())
        finally:
            await self._checks.close()

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
        act_id = self._context.new_id()
        owner = self._journal.window
        record = ActionRecord(act_id, self._position, message_id, flag, name, code, kind, on, owner)
        waits_behind = any(other.message_id == message_id for other in self._waiting())
        self._acts[act_id] = record
        self._under_way.add(act_id)
        self._journal.put_act(record)
        self._do(record)
        return self._send_first(record, waits_behind=waits_behind)

    async def _send_first(self, record: ActionRecord, *, waits_behind: bool) -> None:
        try:
            if waits_behind or not self._context.is_live:
                return
            async with self._queue(record.message_id):
                await self._send(record)
        finally:
            self._under_way.discard(record.act_id)
            if record.act_id in self._acts:
                self._context.publish(ActionsChanged())
                self._wakeup.set()

    async def _send(self, record: ActionRecord) -> None:
        """Makes the request. Raises NarrowcastError if the server rejects it; the action is then undone."""
        self._in_flight.add(record.act_id)
        try:
            await self._request(record)
        except (ReactionAlreadyExists, ReactionDoesNotExist):
            pass  # another client of the user was faster: what is shown is right
        except REJECTED_OR_REDIRECTED:
            self._roll_back(record)
            raise
        except NarrowcastError as error:  # it may have been carried out: repeating it does no harm
            self._retry.failed(error)
            return
        finally:
            self._in_flight.discard(record.act_id)
        self._retry.succeeded()
        self._forget(record)

    async def _request(self, record: ActionRecord) -> None:
        client = self._context.client
        if record.flag is not None:
            op = "add" if record.is_on else "remove"
            await client.flags.change(message_ids=[record.message_id], op=op, flag=record.flag)
            return
        reaction = self._reaction(record)
        await (client.reactions.add if record.is_on else client.reactions.remove)(
            message_id=record.message_id,
            emoji_name=reaction.emoji_name,
            emoji_code=reaction.emoji_code,
            reaction_type=reaction.reaction_type,
        )

    def _roll_back(self, record: ActionRecord) -> None:
        self._undo_shown(record)
        self._forget(record)

    def _undo_shown(self, record: ActionRecord) -> None:
        """Shows the state without an action; later actions on the same message are shown on top of that."""
        before = self._before.pop(record.act_id, not record.is_on)
        later = self._later(record)
        if later and record.flag is not None:
            self._before[later[0].act_id] = before
            return
        self._show_record(record, before)
        for other in later:
            self._do(other)

    async def _check(self, record: ActionRecord) -> None:
        """Shows whether the server accepted another window's reaction, about which no event came. If there is
        no response, what is shown stays until the message is fetched again.
        """
        if record.message_id not in self._context.state.messages:
            return
        with suppress(NarrowcastError):
            is_on = await self._has_reaction(record.message_id, self._reaction(record))
            is_last = all(self._subject(other) != self._subject(record) for other in self._acts.values())
            if is_on is not None and is_last:
                self._show_record(record, is_on)

    async def _has_reaction(self, message_id: int, reaction: Reaction) -> bool | None:
        """Whether the message has this reaction on the server; None on servers that send only the source."""
        message = (await self._context.client.messages.get(message_id=message_id)).message
        if message is None:
            return None
        return any(
            (other.key, other.user_id) == (reaction.key, reaction.user_id) for other in message.reactions
        )

    def _forget(self, record: ActionRecord) -> None:
        self._before.pop(record.act_id, None)
        self._happened.discard(record.act_id)
        if self._acts.pop(record.act_id, None) is not None:
            self._journal.delete_act(record.act_id)
            self._context.publish(ActionsChanged())

    # what waits

    def _in_order(self) -> list[ActionRecord]:
        return sorted(self._acts.values(), key=_place)

    def _waiting(self) -> list[ActionRecord]:
        return [
            record
            for record in self._in_order()
            if record.act_id not in self._under_way and record.owner == self._journal.window
        ]

    async def _next(self) -> float | None:
        """Sends the first waiting action; returns the seconds until the next attempt, None if nothing can be sent."""
        waiting = self._waiting()
        if not waiting or not self._context.is_live:
            return None
        wait = self._retry.at - self._clock.monotonic()
        if wait > 0:
            return wait
        record = waiting[0]
        try:
            async with self._queue(record.message_id):
                await self._send(record)
        except NarrowcastError as error:
            what = "flag change" if record.flag is not None else "reaction"
            self._context.publish(ServerNotice(f"A pending {what} was rejected: {error.user_message}"))
        return 0.0

    def _queue(self, message_id: int) -> asyncio.Lock:
        queue = self._queues.get(message_id)
        if queue is None:
            queue = self._queues[message_id] = asyncio.Lock()
        return queue

    # what is shown

    def _reaction(self, record: ActionRecord) -> Reaction:
        return Reaction(
            record.emoji_name or "",
            record.emoji_code or "",
            record.reaction_type or "",
            self._context.state.me,
        )

    def _later(self, record: ActionRecord) -> list[ActionRecord]:
        """Later actions on the same message and flag that are shown, from all windows."""
        later = (
            other
            for other in self._acts.values()
            if (other.message_id, other.flag) == (record.message_id, record.flag)
            and _place(other) > _place(record)
            and (other.flag is None or other.act_id in self._before)
        )
        return sorted(later, key=_place)

    def _do(self, record: ActionRecord) -> None:
        """Shows an action on top of the server's state and below later actions; called again after each snapshot."""
        if record.flag is not None:
            later = self._later(record)
            if later:  # from another window, received late
                self._before[record.act_id] = self._before[later[0].act_id]
                self._before[later[0].act_id] = record.is_on
                return
            self._before[record.act_id] = self._context.state.has_flag(record.message_id, record.flag)
        self._show_record(record, record.is_on)

    def _subject(self, record: ActionRecord) -> _Subject:
        return (record.message_id, record.flag if record.flag is not None else self._reaction(record).key)

    def _show_record(self, record: ActionRecord, on: bool) -> None:
        if record.message_id not in self._context.state.messages and (on or record.flag is None):
            return  # deleted, or never seen in this window; a flag that it had is undone nevertheless
        op: Literal["add", "remove"] = "add" if on else "remove"
        if record.flag is not None:
            self._context.apply_expected(
                UpdateMessageFlagsEvent(op=op, flag=record.flag, messages=[record.message_id])
            )
        else:
            self._context.apply_expected(
                ReactionEvent(op=op, message_id=record.message_id, reaction=self._reaction(record))
            )


def _place(record: ActionRecord) -> tuple[int, str]:
    """The sort key: the order in which the actions of all windows were made."""
    return (record.position, record.act_id)
