"""A clock that only moves when a test says so."""

from __future__ import annotations

import asyncio
import heapq
import itertools


class VirtualClock:
    """A `narrowcast_api.clock.Clock`. `await clock.advance(seconds)` runs every sleeper that falls due, in
    order.
    """

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
        """Seconds until each sleeper is due, soonest first."""
        return sorted(due - self._elapsed for due, _, future in self._sleepers if not future.done())

    def jump(self, seconds: float) -> None:
        """The wall clock is set; monotonic time and sleepers do not notice."""
        self._epoch += seconds

    def lapse(self, seconds: float) -> None:
        """Time passes in which the loop has no turn: no sleeper wakes before it has."""
        self._elapsed += seconds

    async def settle(self, turns: int = 20) -> None:
        """Let everything that is ready run. Sockets and threads may need all of the turns."""
        loop = asyncio.get_running_loop()
        for _ in range(turns):
            await asyncio.sleep(0)
            if _is_idle(loop):
                return

    async def advance(self, seconds: float) -> None:
        """Move on, waking sleepers at their own moment and letting each run before time goes on."""
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
    """Whether nothing can happen in a loop but what its caller does; False where it does not let one look."""
    ready, selector = getattr(loop, "_ready", True), getattr(loop, "_selector", None)
    if ready or selector is None or getattr(loop, "_default_executor", None) is not None:
        return False
    return len(selector.get_map()) == 1  # the loop's own
