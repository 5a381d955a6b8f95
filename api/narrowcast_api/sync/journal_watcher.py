"""Watches for changes by other windows of an account, and takes over what closed windows leave behind.

All windows share the journal. Its change counter is read a few times a second, which costs some microseconds
and reads no data; only when it has changed is the journal read. When a write of this window fails because
another window has written the same row before, the journal is read at once: until then the text of this
window is only in memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress

from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.storage.journal import JournalChanges, deliver_changes
from narrowcast_api.storage.windows import TOUCH_EVERY

LOOK_EVERY = 0.25
"""Seconds between two checks of the counter."""

ADOPT_EVERY = 2.0
"""Seconds between two checks for windows that have closed."""

DRAFTS = "drafts"
"""The lock of the only window that synchronizes drafts with the server."""


class JournalWatcher:
    """Passes what other windows have written to the parts of the session, and calls `on_leader` repeatedly while
    this window is the one that synchronizes drafts.
    """

    def __init__(self, context: SessionContext, *, on_leader: Callable[[], None]) -> None:
        self._context = context
        self._storage = context.storage
        self._clock = context.clock
        self._on_leader = on_leader
        self._next_adoption = 0.0
        self._next_touch = 0.0

    async def run(self) -> None:
        """Calls `look` every `LOOK_EVERY` seconds until cancelled."""
        while True:
            await self.look()
            await self._clock.sleep(LOOK_EVERY)

    async def run_on_lost_writes(self) -> None:
        """Reads the journal each time that another window was faster to write a row, until cancelled."""
        loop, has_lost = asyncio.get_running_loop(), asyncio.Event()

        def lost() -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(has_lost.set)

        self._storage.journal.on_lost_write(lost)
        while True:
            await has_lost.wait()
            has_lost.clear()
            await self._read()

    async def look(self) -> None:
        """Reads what has changed, and takes over what closed windows have left behind."""
        await self._read()
        now = self._clock.monotonic()
        if now >= self._next_adoption:
            self._next_adoption = now + ADOPT_EVERY
            await self._adopt()
        if now >= self._next_touch:
            self._next_touch = now + TOUCH_EVERY
            if self._storage.window is not None:
                self._storage.window.touch()

    async def catch_up(self, within: float) -> None:
        """Reads what has changed, for at most ``within`` seconds, before something is done that another window
        may have just done.
        """
        if not self._storage.read_only:
            with suppress(TimeoutError):
                async with asyncio.timeout(within):
                    await self._read()

    async def _read(self) -> None:
        if self._storage.journal.changed_elsewhere():
            await self._take_in(self._storage.journal.refresh())

    async def _adopt(self) -> None:
        if self._storage.acquire_task(DRAFTS):
            self._on_leader()
        if gone := self._storage.closed_windows():
            await self._take_in(self._storage.journal.take_over(gone))

    async def _take_in(self, reading: Future[JournalChanges]) -> None:
        await deliver_changes(reading, self._take)

    def _take(self, changes: JournalChanges) -> None:
        if changes.rows:
            self._context.take_in(changes)
