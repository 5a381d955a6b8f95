"""Reports to the server which messages were read: adds the flag `read` to messages that were on screen (FLG rows)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection, Hashable, Iterable, Sequence
from contextlib import asynccontextmanager
from itertools import islice

from narrowcast_api.backoff import RetryTime
from narrowcast_api.clock import Wakeup
from narrowcast_api.errors import REJECTED, NarrowcastError
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.protocols.on_screen import OnScreen
from narrowcast_api.storage.journal import JournalChanges

log = logging.getLogger(__name__)

MAX_BATCH = 1000
"""The maximum number of message ids in one request."""

REQUEST_INTERVAL = 0.5
"""Seconds between two requests."""


class ReadMarks:
    """A queue of messages that were seen. Ids are kept until the server has accepted them.

    The journal keeps unsent marks for the next start, which then look read, and shares them with other windows.
    Call `on_snapshot` after every registration.
    """

    def __init__(self, context: SessionContext) -> None:
        self._context = context
        self._journal = None if context.journal.read_only is not None else context.journal
        self._clock = clock = context.clock
        self._wakeup = Wakeup(clock)
        self._on_screen = OnScreen()
        self._retry = RetryTime(clock, 1.0, 60.0, "read-marks")
        self._kept = set() if self._journal is None else set(self._journal.load_read_marks())
        self._queue: dict[int, None] = dict.fromkeys(sorted(self._kept))
        self._in_flight: frozenset[int] = frozenset()
        self._is_idle = asyncio.Event()
        self._is_idle.set()
        self._next = 0.0
        self._suspended = False

    @property
    def pending(self) -> tuple[int, ...]:
        """Ids of messages that were seen, but not yet accepted by the server."""
        return (*sorted(self._in_flight), *self._queue)

    def on_screen(self, pane: Hashable, ids: Collection[int]) -> None:
        """Takes which messages of a pane are on the screen to their end now, and looked at: see `OnScreen`. Those
        that stay there for a moment are marked as read.
        """
        self._on_screen.show(pane, ids, self._clock.monotonic())
        self._take_seen()
        if self._on_screen.due() is not None:
            self._wakeup.set()

    def _take_seen(self) -> None:
        if seen := self._on_screen.take_seen(self._clock.monotonic()):
            self.seen(seen)

    def seen(self, ids: Iterable[int]) -> None:
        """Queues messages that were seen."""
        if self._suspended:
            return
        for message_id in ids:
            if message_id not in self._in_flight and self._may_be_unread(message_id):
                self._queue.setdefault(message_id)
        if not self._context.is_live:
            self._keep_on_disk()
        if self._queue:
            self._wakeup.set()

    def _may_be_unread(self, message_id: int) -> bool:
        return self._context.state.unreads.is_unread(message_id) is not False

    def on_journal(self, changes: JournalChanges) -> None:
        """Takes in marks that other windows have kept, to be sent by whichever window is online first; those
        that are gone were sent there, or are not wanted any more, and are not sent from here.
        """
        if self._journal is None:
            return
        new, gone = changes.numbers("read_marks")
        self._kept |= new
        for message_id in self._kept & gone:
            self._queue.pop(message_id, None)
        self._kept -= gone
        for message_id in sorted(new - self._in_flight):
            self._queue.setdefault(message_id)
        if new:
            self._context.show_read(new)
            self._wakeup.set()

    def on_snapshot(self) -> None:
        """Shows the kept messages as read again on top of a new snapshot."""
        self._context.show_read(self._kept)

    def on_older_server(self, is_lost: Callable[[int], bool]) -> None:
        """Handles that the server was restored to an older state: the marks of messages that it has lost would be of
        others, which will get their ids.
        """
        lost = {message_id for message_id in (*self._queue, *self._kept) if is_lost(message_id)}
        for message_id in lost:
            self._queue.pop(message_id, None)
        self._forget(lost)

    @asynccontextmanager
    async def suspended(self) -> AsyncIterator[None]:
        """For the time in which the user marks messages as unread: `seen` does nothing. Waits for a request that is
        under way, which the server might carry out later.
        """
        self._suspended = True
        # Sent later, a queued or kept mark could make a message read again that the user has marked as unread.
        self._queue.clear()
        self._forget(self._kept)
        try:
            await self._is_idle.wait()
            yield
            self._on_screen.pass_over()  # a message shown only just before would soon be marked as read again
        finally:
            self._suspended = False

    def wake(self) -> None:
        """Retries at once, because the connection is live again."""
        self._retry.clear()
        self._wakeup.set()

    async def run(self) -> None:
        """Sends marks, at least `REQUEST_INTERVAL` seconds apart, until cancelled."""
        while True:
            self._take_seen()
            send_at = max(self._next, self._retry.at) if self._queue and self._context.is_live else None
            now = self._clock.monotonic()
            if send_at is not None and send_at <= now:
                await self._send()
                continue
            times = [time for time in (send_at, self._on_screen.due()) if time is not None]
            await self._wakeup.wait(max(0.0, min(times) - now) if times else None)

    async def close(self) -> None:
        """Sends queued marks once, and keeps the rest in the journal. Bound it with a timeout."""
        self._take_seen()
        try:
            if self._queue and self._context.is_live:
                await self._send()
        finally:
            self._keep_on_disk()

    async def _send(self) -> None:
        # Kept ones are shown as read already, so the state does not say whether the server knows.
        still_unread = (one for one in self._queue if one in self._kept or self._may_be_unread(one))
        batch = list(islice(still_unread, MAX_BATCH))
        if not batch:
            self._queue.clear()
            self._forget(self._kept)
            return
        self._in_flight = frozenset(batch)
        self._is_idle.clear()
        for message_id in batch:
            del self._queue[message_id]
        self._next = self._clock.monotonic() + REQUEST_INTERVAL
        try:
            await self._context.client.flags.change(message_ids=batch, op="add", flag="read")
        except REJECTED as error:
            log.warning("the server refuses to mark %d messages as read: %s", len(batch), error)
            self._forget(batch)
        except NarrowcastError as error:
            self._keep(batch, error)
        except BaseException:  # cancelled on closing: the marks wait in the journal
            self._keep(batch, None)
            raise
        else:
            self._retry.succeeded()
            self._forget(batch)
        finally:
            self._in_flight = frozenset()
            self._is_idle.set()

    def _keep(self, batch: Sequence[int], error: NarrowcastError | None) -> None:
        """Queues marks again whose request may have failed. Adding a flag twice does no harm."""
        if not self._suspended:
            self._queue = dict.fromkeys([*batch, *self._queue])
            self._keep_on_disk()
        self._retry.failed(error)

    def _keep_on_disk(self) -> None:
        """Writes queued marks to the journal, so that they survive a restart."""
        fresh = [message_id for message_id in self._queue if message_id not in self._kept]
        if self._journal is not None and fresh:
            self._journal.put_read_marks(fresh)
            self._kept.update(fresh)
            self._context.show_read(fresh)

    def _forget(self, ids: Iterable[int]) -> None:
        done = self._kept.intersection(ids)
        if self._journal is not None and done:
            self._journal.delete_read_marks(done)
            self._kept -= done
