"""Clears the user's status at a set time, which the server does not know.

The time is in the journal: any window that is running then clears the status, including the watcher, or the
first one that starts later. A status that has changed by then is left alone.
"""

from __future__ import annotations

import logging

from narrowcast_api.backoff import RetryTime
from narrowcast_api.clock import Wakeup
from narrowcast_api.errors import REJECTED, NarrowcastError
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.storage.journal import JournalChanges
from narrowcast_api.storage.records import StatusEndRecord

log = logging.getLogger(__name__)

MIN_DELAY = 5.0
"""Seconds before the status may be cleared, in which the server's event about setting it arrives."""

_LOOK_EVERY = 60.0
"""Seconds after which the time is checked again: a machine may sleep, and its clock may be set."""


class StatusEnd:
    """The time at which the user's status is cleared. `run` is a task of the session.

    Call `on_journal` for what other windows have written and `wake` when the connection is live.
    """

    def __init__(self, context: SessionContext) -> None:
        self._context = context
        self._journal = context.journal
        self._clock = context.clock
        self._wakeup = Wakeup(context.clock)
        self._retry = RetryTime(context.clock, 1.0, 60.0, "status")
        self._end = context.journal.load_status_end()

    @property
    def is_due(self) -> bool:
        """Whether the time has passed and the server does not know yet."""
        return self._end is not None and self._end.at <= self._clock.now()

    def set(self, at: float, text: str, emoji_name: str) -> None:
        """Schedules clearing a status that was just set, at `at` (UTC seconds)."""
        self._end = StatusEndRecord(max(at, self._clock.now() + MIN_DELAY), text, emoji_name)
        self._journal.put_status_end(self._end)
        self._wakeup.set()

    def forget(self) -> None:
        """Cancels clearing, because the status has no end, or there is none any more."""
        if self._end is not None:
            self._end = None
            self._journal.delete_status_end()

    def on_journal(self, changes: JournalChanges) -> None:
        """Takes in that another window has set or cleared a status."""
        news = changes.status_end()
        if news:
            (self._end,) = news
            self._wakeup.set()

    def wake(self) -> None:
        """Retries at once, because the connection is live again."""
        self._retry.clear()
        self._wakeup.set()

    async def run(self) -> None:
        """Clears the status at its time, until cancelled."""
        while True:
            await self._wakeup.wait(await self._next())

    async def _next(self) -> float | None:
        end = self._end
        if end is None or not self._context.is_live:
            return None
        wait = max(end.at - self._clock.now(), self._retry.at - self._clock.monotonic())
        if wait > 0:
            return min(wait, _LOOK_EVERY)
        state = self._context.state
        now = state.statuses.get(state.me)
        if now is not None and (now.text.strip(), now.emoji_name) == (end.text.strip(), end.emoji_name):
            try:
                await self._context.client.status.clear()
            except REJECTED as error:
                log.warning("the status is not cleared: %s", error)
            except NarrowcastError as error:
                self._retry.failed(error)
                return 0.0
        if self._end is end:
            self.forget()
        return 0.0
