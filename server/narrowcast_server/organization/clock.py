"""Time as a dependency: what the server asks of a clock, and the real one."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Seconds. Tests pass one that they advance by hand."""

    def now(self) -> float:
        """UTC seconds since 1970."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back, for intervals."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Returns after `seconds`."""
        ...


class SystemClock:
    """The clock of this machine."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
