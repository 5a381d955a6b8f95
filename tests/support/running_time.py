"""Measures how long something takes on a machine that may be held up: time in which no thread ran does not
count.

    with RunningTime() as clock:
        begun = clock.mark()
        ...
        assert clock.since(begun) < 0.2

Code that waits for a network, a disk, or another process lets other threads run, and code that computes uses
processor time. On a machine that is held up neither happens.
"""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Self

TICK = 0.005
MOST = 4 * TICK
"""The most seconds that one tick counts: in any time beyond, this thread was kept from running, and so were
others.
"""


class RunningTime:
    """A context manager with a thread that counts while the block runs. Marks belong to the thread that makes
    them.
    """

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
        """The current time: seconds in which any thread ran, and processor time of this one."""
        return self._ran, time.thread_time()

    def since(self, mark: tuple[float, float]) -> float:
        """Seconds since a mark."""
        ran, computed = self.mark()
        return max(ran - mark[0], computed - mark[1])

    async def passes(self, seconds: float) -> None:
        """Waits until this many seconds have passed, counting only time in which the process could run."""
        begun = self.mark()
        while self.since(begun) < seconds:
            await asyncio.sleep(TICK)

    def _count(self) -> None:
        last = time.monotonic()
        while not self._ended.wait(TICK):
            now = time.monotonic()
            self._ran += min(now - last, MOST)
            last = now
