"""Time limits for foreign code: a function that takes too long on the app's loop is interrupted.

A function of an extension runs on the loop that handles keys. If the platform has an interval timer, its signal
interrupts pure Python, sleeps and regular expressions; elsewhere, and outside of the main thread, the time is only
checked afterwards. The app's own code is not interrupted while it runs on behalf of an extension (`uninterrupted`).
"""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

__all__ = ["STEP_SECONDS", "Stepped", "TooLong", "call", "on_overrun", "uninterrupted", "watch_tasks"]

T = TypeVar("T")

STEP_SECONDS = 0.5
"""How many seconds a function of an extension may hold up the app."""
_AGAIN = 0.05
"""Seconds after which the timer fires again if the extension suppressed the interruption."""


class TooLong(BaseException):
    """Not an Exception: a handler in an extension that catches every Exception must not catch this."""


on_overrun: ContextVar[Callable[[], None]] = ContextVar("on_overrun")
"""Callback for a task started by an extension that takes too long: nothing may be awaiting it."""


class _Alarm:
    """The single timer of the process: whether it is armed, and how many of the app's own functions run inside."""

    def __init__(self) -> None:
        self.armed = False
        self.own_calls = 0

    def ring(self, *_: object) -> None:
        if self.armed and not self.own_calls:
            raise TooLong


_alarm = _Alarm()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Marks code of the app itself that an extension calls: it is not interrupted."""
    _alarm.own_calls += 1
    try:
        yield
    finally:
        _alarm.own_calls -= 1


def call(function: Callable[..., T], *args: Any, seconds: float = STEP_SECONDS) -> T:
    """Calls ``function`` and returns its result. Raises TooLong after ``seconds``, and whatever the function
    raises.
    """
    if _alarm.armed:
        return function(*args)  # called inside a function that is limited already
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        return _measured(function, args, seconds)
    before = signal.signal(signal.SIGALRM, _alarm.ring)
    _alarm.armed = True
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        try:
            return function(*args)
        finally:
            _alarm.armed = False
    finally:
        _alarm.armed = False  # again: the alarm may have fired in the line above
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _measured(function: Callable[..., T], args: tuple[Any, ...], seconds: float) -> T:
    begun = time.monotonic()
    result = function(*args)
    if time.monotonic() - begun > seconds:
        raise TooLong
    return result


class Stepped:
    """Awaits a coroutine of an extension, with the limit for each of its steps. Raises TooLong, and whatever the
    coroutine raises.
    """

    def __init__(self, work: Coroutine[Any, Any, T], seconds: float = STEP_SECONDS) -> None:
        self._work = work
        self._seconds = seconds

    def __await__(self) -> Generator[Any, Any, Any]:
        step: Callable[..., Any] = self._work.send
        value: Any = None
        try:
            while True:
                try:
                    waits_for = call(step, value, seconds=self._seconds)
                except StopIteration as end:
                    return end.value
                try:
                    step, value = self._work.send, (yield waits_for)
                except (
                    BaseException
                ) as error:  # also a cancellation, which the extension's own code has to see
                    step, value = self._work.throw, error
        finally:
            self._work.close()


async def _watched(work: Coroutine[Any, Any, T]) -> T:
    try:
        result: T = await Stepped(work, STEP_SECONDS)
        return result
    except TooLong:
        if (report := on_overrun.get(None)) is not None:
            report()
        raise


def watch_tasks(loop: asyncio.AbstractEventLoop) -> Callable[[], None]:
    """Applies the step limit to all tasks that extensions start from now on; the returned function ends that."""
    before = loop.get_task_factory()

    def factory(loop: asyncio.AbstractEventLoop, work: Any, **options: Any) -> asyncio.Future[Any]:
        if _alarm.armed and not _alarm.own_calls and asyncio.iscoroutine(work):
            work = _watched(work)
        return asyncio.Task(work, loop=loop, **options) if before is None else before(loop, work, **options)

    loop.set_task_factory(factory)
    return lambda: loop.set_task_factory(before)
