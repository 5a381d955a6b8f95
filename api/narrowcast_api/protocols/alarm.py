"""Waiting for a time or for a call, and tasks that end with their owner."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine

from narrowcast_api.clock import Clock

log = logging.getLogger(__name__)


class Alarm:
    """Wakes a loop at a time or when somebody rings, whichever is first."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Wake the loop now, or at its next wait."""
        self._rung.set()

    async def wait(self, seconds: float | None) -> None:
        """Sleep until a ring, or for at most so many seconds."""
        if seconds is None:
            await self._rung.wait()
        elif not self._rung.is_set():
            rung = asyncio.ensure_future(self._rung.wait())
            due = asyncio.ensure_future(self._clock.sleep(seconds))
            try:
                await asyncio.wait({rung, due}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                rung.cancel()
                due.cancel()
        self._rung.clear()


class Tasks:
    """Tasks of one owner. An exception in one is logged and ends that task only."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._running)

    def start(
        self, work: Coroutine[object, object, None], name: str = "a background task"
    ) -> asyncio.Task[None]:
        """Run `work` in the background; `name` is for the log."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("%s failed", task.get_name(), exc_info=error)

    async def close(self) -> None:
        """Cancel all and wait until they have ended, so that they let go of what they hold."""
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
