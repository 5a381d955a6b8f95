"""How long something takes on a machine that may be held up: seconds in which nothing at all ran are not counted.

    with RunningTime() as clock:
        begun = clock.mark()
        ...
        assert clock.since(begun) < 0.2

Whoever waits for a network, a disk, or another process lets other threads run meanwhile, and whoever computes uses
processor time. A machine that is held up does neither.
"""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Self

TICK = 0.005
MOST = 4 * TICK
"""Seconds of one tick that count: whatever it takes beyond, this thread was kept from running, and so were others."""


class RunningTime:
    """A context manager with a thread that counts while it runs. Marks are for the thread that makes them."""

    def __init__(self) -> None:
        self._ran = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._count, name="running time", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def mark(self) -> tuple[float, float]:
        """This moment: seconds that any thread ran, and processor time of this one."""
        return self._ran, time.thread_time()

    def since(self, mark: tuple[float, float]) -> float:
        """Seconds."""
        ran, computed = self.mark()
        return max(ran - mark[0], computed - mark[1])

    async def passes(self, seconds: float) -> None:
        """Until so many have passed: what is promised by then is due only where somebody could do it."""
        begun = self.mark()
        while self.since(begun) < seconds:
            await asyncio.sleep(TICK)

    def _count(self) -> None:
        last = time.monotonic()
        while not self._ended.wait(TICK):
            now = time.monotonic()
            self._ran += min(now - last, MOST)
            last = now
