"""Time as a dependency: the interface of a clock, and the system clock."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class ServerClock(Protocol):
    """Times are in seconds. Tests pass a clock that they advance by hand."""

    def now(self) -> float:
        """UTC seconds since 1970."""
        ...

    def monotonic(self) -> float:
        """Monotonic seconds, for measuring intervals."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Sleeps for `seconds`."""
        ...


class RealClock:
    """The system clock."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
