"""Time as an interface, passed in so that tests control it, and waiting for a time or a call."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """The time source of timers, limiters and state machines. All values are seconds."""

    def now(self) -> float:
        """Wall clock: seconds since 1970, UTC. It may jump."""
        ...

    def monotonic(self) -> float:
        """Seconds that never decrease; for measuring durations."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Waits that long; for zero or less, yields to the event loop once."""
        ...


class SystemClock:
    """The system's own time."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds))


class Wakeup:
    """Wakes a loop at a time or when `set` is called, whichever is first. Only one task may wait."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._is_set = False
        self._waiter: asyncio.Future[None] | None = None

    def set(self) -> None:
        """Wakes the loop now, or at its next wait."""
        self._is_set = True
        if self._waiter is not None:
            _wake(self._waiter)

    async def wait(self, seconds: float | None) -> bool:
        """Sleeps until `set` is called, or for at most so many seconds; returns whether it was called."""
        if not self._is_set:
            await self._sleep(seconds)
        is_set, self._is_set = self._is_set, False
        return is_set

    async def _sleep(self, seconds: float | None) -> None:
        waiter = self._waiter = asyncio.get_running_loop().create_future()
        due = None if seconds is None else asyncio.ensure_future(self._clock.sleep(seconds))
        if due is not None:
            due.add_done_callback(lambda _: _wake(waiter))
        try:
            await waiter
        finally:
            self._waiter = None
            if due is not None:
                due.cancel()


def _wake(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
