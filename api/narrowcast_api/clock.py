"""Time as an interface, passed in so that tests control it."""

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
