"""Runs the loops of a session, which are restarted when they fail, and its background tasks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from narrowcast_api.alarm import Tasks
from narrowcast_api.clock import Clock

logger = logging.getLogger(__name__)

Loop = tuple[str, Callable[[], Coroutine[Any, Any, None]]]
"""A name for the log, and a coroutine function that runs until cancelled."""

_RESTART_AFTER = 1.0


class Supervisor:
    """Keeps one session running. `run` is a task; `stop` and `close` end everything."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._tasks = Tasks()
        self._runner: asyncio.Task[object] | None = None

    def attach(self) -> None:
        """Records the calling task as the one that `stop` cancels."""
        self._runner = asyncio.current_task()

    async def run(self, loops: Iterable[Loop]) -> None:
        """Keeps the loops running until cancelled, then cancels the background tasks too."""
        try:
            await asyncio.gather(*(self._keep_running(name, loop) for name, loop in loops))
        finally:
            await self.close()

    async def _keep_running(self, name: str, loop: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """A failing service must not stop the others, and is restarted."""
        while True:
            try:
                await loop()
                return
            except Exception:
                logger.exception("%s failed and starts again", name)
                await self._clock.sleep(_RESTART_AFTER)

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Runs `work` in the background; an exception in it is logged."""
        self._tasks.start(work, name)

    async def stop(self, seconds: float) -> None:
        """Cancels the task that runs the session, unless it is the calling one, and waits at most `seconds`
        for it to end.
        """
        runner, self._runner = self._runner, None
        if runner is not None and runner is not asyncio.current_task():
            runner.cancel()
            await asyncio.wait([runner], timeout=max(0.0, seconds))

    async def close(self) -> None:
        """Cancels the background tasks."""
        await self._tasks.close()
