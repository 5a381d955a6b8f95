"""Time, passed in so that tests own it."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """What timers, limiters and state machines know of time. All values are seconds."""

    def now(self) -> float:
        """Wall clock: seconds since 1970, UTC. It may jump."""
        ...

    def monotonic(self) -> float:
        """Seconds that only grow; for periods."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait that long; zero or less gives way once."""
        ...


class SystemClock:
    """The machine's own time."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds))
