"""Messages that the server may have: looked for there until that is known.

A connection that falls silent (`NoAnswer`) most often lost the request: a message that is still not there when the
server has answered three looks goes out again by itself. After a cut or a fault of the server somebody may still be
at work on it: then its writer decides. After some looks that the server could not answer its writer is told that it is
not known whether it arrived, and it is looked for now and then until that is known. What had failed after a try is
also looked for once when the app starts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from narrowcast_api.backoff import RetryTime
from narrowcast_api.clock import Clock
from narrowcast_api.errors import REFUSED, NarrowcastError, NoAnswer, NotConnected, RateLimited
from narrowcast_api.narrow.destinations import Destination
from narrowcast_api.protocols.alarm import Alarm, log
from narrowcast_api.protocols.outbox_item import HOLDS_FOR, TAKEN_BACK, FindMessages, OutboxItem, matching
from narrowcast_api.protocols.outbox_sent import SentMessages
from narrowcast_api.protocols.outbox_store import FAILED, SENDING, UNCONFIRMED, WAITING, OutboxStore
from narrowcast_api.storage.journal import Journal, handed_over
from narrowcast_api.storage.journal_changes import JournalChanges

LOOK_AFTER = (1.0, 3.0)
"""Seconds before each look for a message whose outcome is unknown: a slow server may still be storing it."""

LOOK_AFTER_SILENCE = (1.0, 3.0, 6.0)
"""The same for one on a connection that fell silent, which goes out again by itself after the last of them."""

LOOKS_THAT_FAIL = 6
"""Looks that a server may fail to answer, over half a minute, before the message counts as failed."""

LOOK_AGAIN_EVERY = 30.0
"""Seconds between two looks from then on."""

_TAKEN = "The same message of another window was sent. Checking whether this one was."
_NOT_THERE = "No answer, and the message is not on the server. Resend or cancel it."


class UnconfirmedMessages:
    """The step of the outbox from UNCONFIRMED to SENT, to FAILED, or back to WAITING."""

    def __init__(
        self,
        store: OutboxStore,
        sent: SentMessages,
        *,
        find: FindMessages,
        journal: Journal,
        heard: Callable[[JournalChanges], None],
        clock: Clock,
        alarm: Alarm,
        retry: RetryTime,
    ) -> None:
        self._store = store
        self._sent = sent
        self._find = find
        self._journal = journal
        self._heard = heard
        self._clock = clock
        self._alarm = alarm
        self._retry = retry

    def add(self, item: OutboxItem, error: BaseException) -> None:
        """The request ended with this error: the message may have arrived."""
        if not self._store.has(item) or item.state is not SENDING:
            return
        if not isinstance(error, NarrowcastError | asyncio.CancelledError):
            log.error("sending failed in an unforeseen way", exc_info=error)
        item.looks = item.faults = 0
        item.unheard, item.sent_at = isinstance(error, NoAnswer), None
        item.due = self._clock.monotonic() + LOOK_AFTER[0]
        text = error.user_message if isinstance(error, NarrowcastError) else "Sending was interrupted."
        self._store.step(item, UNCONFIRMED, f"{text} Checking whether it was sent.")

    def taken(self, item: OutboxItem) -> None:
        """Another window has found its message for the same words of its own: one of the two is not there."""
        if self._store.has(item) and item.state is SENDING:
            item.looks = item.faults = 0
            item.due = self._clock.monotonic() + LOOK_AFTER[0]
            self._store.step(item, UNCONFIRMED, _TAKEN)

    async def look(self, item: OutboxItem) -> None:
        """Look for it on the server once."""
        record = item.record
        try:
            candidates = await self._find(record.destination, record.floor_id or 0)
        except (NotConnected, RateLimited) as error:
            self._retry.failed(error)
            return
        except NarrowcastError as error:
            self._not_answered(item, error)
            return
        self._retry.worked()
        await self._read_journal()  # another window may have written the same words, and know which are its
        if not self._store.has(item) or item.state is not UNCONFIRMED:
            return
        match = matching(record.content, candidates, self._sent.ids)
        if match is not None and self._store.is_rivalled(item):
            item.due = self._clock.monotonic() + LOOK_AFTER[0]
            return
        if match is not None:
            self._sent.settle(item, match)
        else:
            self._not_found(item)

    def look_again(self, destination: Destination) -> None:
        """A message of one's own appeared there that no entry owns: perhaps a late success of a failed try."""
        for item in self._store.own():
            if item.key != destination.key or not item.record.tried:
                continue
            if item.state is FAILED:
                self._once_more(item)
            item.due = 0.0
            self._alarm.ring()

    def start_again(self) -> float | None:
        """Look once more for those of which it is not known whether they arrived; seconds until the next is due."""
        now = self._clock.monotonic()
        sought = [item for item in self._store.own() if item.state is FAILED and item.sought]
        for item in sought:
            if item.due <= now:
                item.faults = LOOKS_THAT_FAIL + 1
                self._once_more(item)
        return min((item.due - now for item in sought if item.state is FAILED), default=None)

    def _once_more(self, item: OutboxItem) -> None:
        """One look at what had failed. If it is not there, it failed for the reason that it had."""
        error = item.record.error
        item.reason = None if item.record.unknown else error
        item.looks = len(LOOK_AFTER) - 1
        self._store.step(item, UNCONFIRMED, error)

    async def _read_journal(self) -> None:
        if self._journal.changed_elsewhere():
            await handed_over(self._journal.refresh(), self._heard)

    def _not_answered(self, item: OutboxItem, error: NarrowcastError) -> None:
        """Looking failed: once more after a pause, unless the server refuses or has failed often."""
        if not self._store.has(item) or item.state is not UNCONFIRMED:
            return
        item.faults += 1
        item.sought = not isinstance(error, REFUSED) and item.faults >= LOOKS_THAT_FAIL
        if item.sought:
            item.unheard = False  # told that this is not known, its writer decides
            item.due = self._clock.monotonic() + LOOK_AGAIN_EVERY
        if isinstance(error, REFUSED) or item.sought:
            told = item.reason or f"It is not known whether this arrived: {error.user_message}"
            self._lost(item, told, unknown=not item.reason)
        else:
            item.due = self._clock.monotonic() + 2.0 ** (item.faults - 1)

    def _not_found(self, item: OutboxItem) -> None:
        item.looks += 1
        item.sought = False
        pauses = LOOK_AFTER_SILENCE if item.unheard else LOOK_AFTER
        if item.resend and not item.take_back:
            item.resend = False
            self._store.step(item, WAITING)
        elif item.looks < len(pauses):
            item.due = self._clock.monotonic() + pauses[item.looks]
        elif item.unheard and not item.take_back:
            self._store.step(item, WAITING)
        else:
            self._lost(item, TAKEN_BACK if item.take_back else item.reason or _NOT_THERE)

    def _lost(self, item: OutboxItem, error: str, *, unknown: bool = False) -> None:
        """Not there, as far as one knows: the user may want it sent again before what comes after it."""
        if item.faults <= LOOKS_THAT_FAIL:  # else what comes after it has waited already
            item.holds_until = 0.0 if item.take_back else self._clock.monotonic() + HOLDS_FOR
        self._store.step(item, FAILED, error, unknown=unknown)
