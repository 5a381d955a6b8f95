"""Background tasks, which end with their owner."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine

from narrowcast_api.clock import Clock
from narrowcast_api.errors import NarrowcastError

log = logging.getLogger(__name__)

RESTART_AFTER = 1.0
"""Seconds until a failed loop starts again."""


class Tasks:
    """The tasks of one owner, which calls `close` at its end.

    An error ends its own task only. It is logged, and reported to `report` with the task's name, which completes
    "Could not …".
    """

    def __init__(self, report: Callable[[str, Exception], None] | None = None) -> None:
        self._report = report
        self._running: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._running)

    def start(self, work: Awaitable[object], name: str) -> asyncio.Task[None]:
        """Runs `work` in the background. The returned task ends without an error, whatever happens in it."""
        task = asyncio.get_running_loop().create_task(self._run(work, name), name=name)
        self._running.add(task)

        def ended(_: asyncio.Task[None]) -> None:
            self._running.discard(task)
            if isinstance(work, Coroutine):
                work.close()  # it may have been cancelled before it started

        task.add_done_callback(ended)
        return task

    def keep_running(
        self, loop: Callable[[], Awaitable[None]], name: str, clock: Clock
    ) -> asyncio.Task[None]:
        """Runs a loop in the background, and starts it again when it fails."""
        return self.start(self._again_and_again(loop, name, clock), name)

    async def close(self) -> None:
        """Cancels all tasks and waits until they have ended, so that they release their resources."""
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _run(self, work: Awaitable[object], name: str) -> None:
        try:
            await work
        except NarrowcastError as error:
            log.warning("could not %s: %s", name, error)
            self._tell(name, error)
        except Exception as error:
            log.exception("could not %s", name)
            self._tell(name, error)

    async def _again_and_again(self, loop: Callable[[], Awaitable[None]], name: str, clock: Clock) -> None:
        while True:
            try:
                await loop()
                return
            except Exception as error:
                log.exception("could not %s; it starts again", name)
                self._tell(name, error)
                await clock.sleep(RESTART_AFTER)

    def _tell(self, name: str, error: Exception) -> None:
        if self._report is not None:
            self._report(name, error)
