"""Detects when an event loop has nothing left to do, so that tests wait for that instead of a fixed time.

    await quiet()

Textual's pilot pauses in steps of 20 ms until the process uses little processor time, several times per key.
That takes most of a test's time, and on a busy machine a process that gets no processor time looks idle. Here
the loop itself reports: it is about to wait, no socket has data to read, no thread of a pool is working, and
no timer is due soon. At that moment all effects of a key are on the screen, and on a server in the same loop.
"""

from __future__ import annotations

import asyncio
import math
import selectors
from typing import Any

import textual.app
import textual.pilot
import textual.screen
from textual._queue import Queue
from textual._wait import wait_for_idle as _wait_for_idle
from textual.app import ScreenStackError
from textual.message import Message
from textual.message_pump import MessagePump
from textual.pilot import Pilot

SOON = 0.045
"""Seconds: timers due this soon are waited for. A frame of `narrowcast.runtime.frames` is, a blinking cursor is not."""
MAX_SECONDS = 1.0
"""Seconds after which endless activity, such as an animation, is no longer waited for. As in Textual, but
only time in which the loop was idle counts: on a busy machine the work of a single key may take longer.
"""
TICK = 0.01
"""The most seconds that one wait counts: longer waits mean that the machine was held up."""
TURN = 2e-5
"""Seconds that each turn of the loop counts at least, since some loops are never idle."""
LAST_RESORT = 20.0
"""Seconds of wall-clock time."""
FRAME = 0.001
"""Seconds from a change of a widget to the screen, instead of the 1/60 that saves terminal output: keys wait
for it.
"""


class LoopSelector(selectors.DefaultSelector):
    """Notifies its waiters when the loop has nothing to do."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: dict[asyncio.Future[None], float] = {}
        """The waiters, and the time that each may still spend."""
        self.spent = 0.0
        self.threads = 0

    def heard(self) -> None:
        """Reports that a thread has finished its work."""
        self.threads -= 1

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Called by the loop once per turn, with 0 if it has more to do, else with the time to its next timer."""
        if not self.waiting:
            return super().select(timeout)
        if self.threads or (timeout is not None and timeout < SOON):
            wait = TICK if timeout is None else min(max(timeout, 0.0), TICK)
            self.spent += max(wait, TURN)
            self._tell(self.spent)
            return super().select(wait)
        if ready := super().select(0):
            return ready
        self._tell(math.inf)
        return []

    def _tell(self, spent: float) -> None:
        for future in [one for one, most in self.waiting.items() if most <= spent]:
            del self.waiting[future]
            _resolve(future)


class QuietLoop(asyncio.SelectorEventLoop):
    """An event loop that reports when it is idle."""

    def __init__(self) -> None:
        self.selector = LoopSelector()
        super().__init__(self.selector)


async def quiet(_least: float = 0.0, most: float = MAX_SECONDS) -> None:
    """Waits until this loop has nothing to do now and within `SOON`, or until ``most`` seconds are spent."""
    loop = asyncio.get_running_loop()
    if not isinstance(loop, QuietLoop):
        await _wait_for_idle(_least, most)
        return
    future = loop.create_future()
    loop.selector.waiting[future] = loop.selector.spent + most
    limit = loop.call_later(LAST_RESORT, _resolve, future)
    try:
        await future
    finally:
        limit.cancel()
        loop.selector.waiting.pop(future, None)


_wait_for_screen = Pilot._wait_for_screen


async def _settled(pilot: Pilot[Any], timeout: float = 30.0) -> bool:
    """Replaces sending a message to each widget and awaiting its answer for each key: an idle loop has
    delivered all messages.

    Only widgets that await something while handling a message are still waited for.
    """
    await quiet()
    try:
        pumps = [pilot.app, *pilot.app.screen.walk_children(with_self=True)]
    except ScreenStackError:
        return False
    return all(map(_is_waiting, pumps)) or await _wait_for_screen(pilot, timeout)


def _is_waiting(pump: MessagePump) -> bool:
    """Whether a widget has handled all messages and waits for the next one."""
    queue: Queue[Message | None] = pump._message_queue
    return queue.empty() and bool(queue.ready_event._waiters)


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def install() -> None:
    """From now on Textual's pilot uses `quiet`, screens are drawn at once, and a thread's work for a loop
    counts until the loop has received its result.
    """
    wrap = asyncio.wrap_future

    def counted(future: Any, *, loop: asyncio.AbstractEventLoop | None = None) -> asyncio.Future[Any]:
        loop = loop or asyncio.get_running_loop()
        wrapped = wrap(future, loop=loop)
        if isinstance(loop, QuietLoop) and not wrapped.done():
            loop.selector.threads += 1
            wrapped.add_done_callback(lambda _: loop.selector.heard())
        return wrapped

    asyncio.wrap_future = asyncio.futures.wrap_future = counted  # the second is that of `run_in_executor`
    for module in (textual.app, textual.pilot):
        assert hasattr(module, "wait_for_idle"), f"{module.__name__} waits in another way"
        module.wait_for_idle = quiet  # type: ignore[attr-defined]
    setattr(Pilot, "_wait_for_screen", _settled)  # noqa: B010  # a method is not to be assigned to
    assert hasattr(textual.screen, "UPDATE_PERIOD")
    textual.screen.UPDATE_PERIOD = FRAME  # type: ignore[misc]
