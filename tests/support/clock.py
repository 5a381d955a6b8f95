"""A clock that only moves when a test says so."""

from __future__ import annotations

import asyncio
import heapq
import itertools


class VirtualClock:
    """A `narrowcast_api.clock.Clock`. `await clock.advance(seconds)` wakes all sleepers that are due, in order."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self._epoch = now
        self._elapsed = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = itertools.count()

    def now(self) -> float:
        return self._epoch + self._elapsed

    def monotonic(self) -> float:
        return self._elapsed

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._elapsed + seconds, next(self._order), future))
        await future

    @property
    def sleeping(self) -> list[float]:
        """Seconds until each sleeper is due, in ascending order."""
        return sorted(due - self._elapsed for due, _, future in self._sleepers if not future.done())

    def jump(self, seconds: float) -> None:
        """Sets the wall clock; monotonic time and sleepers are not affected."""
        self._epoch += seconds

    def lapse(self, seconds: float) -> None:
        """Lets time pass while the loop is blocked: no sleeper wakes before the loop runs again."""
        self._elapsed += seconds

    async def settle(self, turns: int = 20) -> None:
        """Runs everything that is ready. Sockets and threads may need all of the turns."""
        loop = asyncio.get_running_loop()
        for _ in range(turns):
            await asyncio.sleep(0)
            if _is_idle(loop):
                return

    async def advance(self, seconds: float) -> None:
        """Advances time, waking each sleeper at its own time and running it before time goes on."""
        await self.settle()
        target = self._elapsed + seconds
        while self._sleepers and self._sleepers[0][0] <= target:
            due, _, future = heapq.heappop(self._sleepers)
            if future.done():
                continue
            self._elapsed = max(self._elapsed, due)
            future.set_result(None)
            await self.settle()
        self._elapsed = target
        await self.settle()


def _is_idle(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether only its caller can make anything happen in the loop; False if the loop does not allow a check."""
    ready, selector = getattr(loop, "_ready", True), getattr(loop, "_selector", None)
    if ready or selector is None or getattr(loop, "_default_executor", None) is not None:
        return False
    return len(selector.get_map()) == 1  # an attribute of asyncio's loop
