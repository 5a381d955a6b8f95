"""Waiting until a time or a call."""

from __future__ import annotations

import asyncio

from narrowcast_api.clock import Clock


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
