"""An event loop whose time jumps to whatever is due next; nothing waits, and there are no files and no threads.

A history makes thousands of steps, so that the loop does for each no more than tasks and futures need.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from heapq import heappop, heappush
from itertools import count
from typing import Any


class Deadlock(AssertionError):
    """Everybody waits and nothing is due."""


class _Step(asyncio.TimerHandle):
    """A call that is to be made, unless it is cancelled before."""

    __slots__ = ("args", "context", "work")

    def __init__(self, work: Callable[..., object], args: Any, context: Context | None) -> None:
        self.work: Callable[..., object] | None = work
        self.args = args
        self.context = copy_context() if context is None else context

    def cancel(self) -> None:
        self.work, self.args = None, ()

    def cancelled(self) -> bool:
        return self.work is None


class SimulatedLoop(asyncio.BaseEventLoop):
    """What is due at the same time is done in the order in which it was asked for. Work that would go to a thread is
    done at once.
    """

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        self._next: deque[_Step] = deque()
        self._later: list[tuple[float, int, _Step]] = []
        self._numbers = count()

    def time(self) -> float:
        return self._now

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> _Step:
        step = _Step(callback, args, context)
        self._next.append(step)
        return step

    call_soon_threadsafe = call_soon  # type: ignore[assignment]

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> _Step:
        step = _Step(callback, args, context)
        heappush(self._later, (when, next(self._numbers), step))
        return step

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> _Step:
        return self.call_at(self._now + delay, callback, *args, context=context)

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:  # type: ignore[override]
        done: asyncio.Future[Any] = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:
            done.set_exception(error)
        return done

    def _run_once(self) -> None:
        """What `run_forever` repeats."""
        steps = self._next
        if not steps:
            self._move_on()
        for _ in range(len(steps)):
            step = steps.popleft()
            if step.work is not None:
                try:
                    step.context.run(step.work, *step.args)
                except (SystemExit, KeyboardInterrupt):
                    raise
                except BaseException as error:
                    self.call_exception_handler({"message": f"{step.work} failed", "exception": error})

    def _move_on(self) -> None:
        """It is the time of what is due next."""
        later = self._later
        while later and later[0][2].work is None:
            heappop(later)
        if not later:
            raise Deadlock("nothing is due, and nobody will ever wake")
        self._now = now = max(self._now, later[0][0])
        while later and later[0][0] <= now:
            self._next.append(heappop(later)[2])


class SimulatedClock:
    """The loop's time as a `narrowcast_api.clock.Clock`."""

    EPOCH = 1_800_000_000.0

    def __init__(self, loop: SimulatedLoop) -> None:
        self._loop = loop

    def now(self) -> float:
        return self.EPOCH + self._loop.time()

    def monotonic(self) -> float:
        return self._loop.time()

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        due = self._loop.create_future()
        step = self._loop.call_later(seconds, _wake, due)
        try:
            await due
        finally:
            step.cancel()


def _wake(due: asyncio.Future[None]) -> None:
    if not due.done():
        due.set_result(None)
