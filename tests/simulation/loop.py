"""An event loop whose time jumps to the next timer; nothing waits, and there are no files and no threads.

A history makes thousands of steps, so the loop does no more for each than tasks and futures need.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context, copy_context
from heapq import heappop, heappush
from itertools import count
from typing import Any, TypeVar

Result = TypeVar("Result")

_PLAIN = copy_context()
"""For calls that need no context of their own."""


class Deadlock(AssertionError):
    """All tasks are waiting and no timer is set."""


class _Step(list[Any]):
    """A scheduled call, unless it is cancelled before: the function, its arguments and its context. It has
    the interface that asyncio needs of a handle; creating a list takes a fraction of the time of an
    `asyncio.TimerHandle`.
    """

    __slots__ = ()

    def cancel(self) -> None:
        self[0], self[1] = None, ()

    def cancelled(self) -> bool:
        return self[0] is None


class SimulatedLoop(asyncio.BaseEventLoop):
    """Calls that are due at the same time run in the order in which they were scheduled. Work for a thread is
    run at once.
    """

    _stopping: bool  # an attribute of the base class

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        self._next: deque[_Step] = deque()
        self._later: list[tuple[float, int, _Step]] = []
        self._numbers = count()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Runs this, cancels all remaining tasks, and closes: for one use."""
        try:
            return self.run_until_complete(work)
        finally:
            left = asyncio.all_tasks(self)
            for task in left:
                task.cancel()
            self.run_until_complete(asyncio.wait(left) if left else asyncio.sleep(0))
            self.close()

    def close(self) -> None:
        super().close()
        # A clock may outlive its loop; tasks that wait for a time that never comes would outlive it too.
        self._next.clear()
        self._later.clear()

    def time(self) -> float:
        return self._now

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> _Step:
        step = _Step((callback, args, copy_context() if context is None else context))
        self._next.append(step)
        return step

    call_soon_threadsafe = call_soon  # type: ignore[assignment]

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> _Step:
        step = _Step((callback, args, copy_context() if context is None else context))
        heappush(self._later, (when, next(self._numbers), step))
        return step

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> _Step:
        return self.call_at(self._now + delay, callback, *args, context=context)

    def create_task(  # type: ignore[override]
        self, coro: Coroutine[Any, Any, Any], *, name: object = None, context: Context | None = None
    ) -> asyncio.Task[Any]:
        return asyncio.Task(coro, loop=self, name=name, context=context)  # type: ignore[arg-type]

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:  # type: ignore[override]
        done: asyncio.Future[Any] = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:
            done.set_exception(error)
        return done

    def _run_once(self) -> None:
        """The body of `run_forever`: runs here until the loop is stopped."""
        steps = self._next
        while not self._stopping:
            if not steps:
                self._move_on()
            while steps and not self._stopping:
                work, args, context = steps.popleft()
                if work is not None:
                    try:
                        context.run(work, *args)
                    except (SystemExit, KeyboardInterrupt):
                        raise
                    except BaseException as error:
                        self.call_exception_handler({"message": f"{work} failed", "exception": error})

    def _move_on(self) -> None:
        """Advances the time to the next timer."""
        later, steps = self._later, self._next
        while later and later[0][2][0] is None:
            heappop(later)
        if not later:
            raise Deadlock("nothing is due, and nobody will ever wake")
        self._now = now = max(self._now, later[0][0])
        while later and later[0][0] <= now:
            steps.append(heappop(later)[2])


class SimulatedClock:
    """The loop's time as a `narrowcast_api.clock.Clock`, of a machine whose clock is `skew` seconds ahead."""

    EPOCH = 1_800_000_000.0

    def __init__(self, loop: SimulatedLoop, skew: float = 0.0) -> None:
        self._loop = loop
        self._start = self.EPOCH + skew

    def now(self) -> float:
        return self._start + self._loop.time()

    def jump(self, seconds: float) -> None:
        """Sets the wall clock."""
        self._start += seconds

    def monotonic(self) -> float:
        return self._loop.time()

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        loop = self._loop
        due = loop.create_future()
        step = loop.call_at(loop.time() + seconds, _wake, due, context=_PLAIN)
        try:
            await due
        finally:
            step.cancel()


def _wake(due: asyncio.Future[None]) -> None:
    if not due.done():
        due.set_result(None)
