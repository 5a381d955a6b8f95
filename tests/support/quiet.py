"""When an event loop has nothing left to do, so that tests wait for that and not for time to pass.

    await quiet()

Textual's pilot pauses in steps of 20 ms until the process uses little processor time, several times a key: most of
a test's time goes by, and on a busy machine a process that gets no processor time looks as if it had ended its work.
Here the loop itself tells: it is about to wait, no socket has anything to read, no thread of a pool is at work, and no
timer is due soon. So what follows a key is there, on screen and on the server of the same loop, once that is true.
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
"""Seconds: what is due this soon is waited for, as a frame of `narrowcast.app.frames` and no blinking cursor is."""
MOST = 1.0
"""Seconds: what goes on without end, as an animation may, is waited for no longer. As in Textual, but counted are those
in which the loop had nothing to do: on a busy machine the work of a single key may take longer.
"""
TICK = 0.01
"""Seconds that count at once, of which a machine that is held up counts the first alone."""
TURN = 2e-5
"""Seconds that a turn of the loop counts at least, since there are loops that always have something to do."""
LAST_RESORT = 20.0
"""Seconds by the clock."""
FRAME = 0.001
"""Seconds from a change of a widget to the screen, in place of the 1/60 that spares terminals: keys wait for it."""


class LoopSelector(selectors.DefaultSelector):
    """Tells those who wait for it when its loop has nothing to do."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: dict[asyncio.Future[None], float] = {}
        """Those who wait, and how much may have been `spent` until then."""
        self.spent = 0.0
        self.threads = 0

    def heard(self) -> None:
        """A thread has done what it was asked for."""
        self.threads -= 1

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """The loop calls this once a turn: with 0 where it has more to do, else with the time to its next timer."""
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
    """A loop that can be asked for quiet."""

    def __init__(self) -> None:
        self.selector = LoopSelector()
        super().__init__(self.selector)


async def quiet(_least: float = 0.0, most: float = MOST) -> None:
    """Until this loop has nothing to do now nor within `SOON`, or until ``most`` seconds are spent."""
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
    """In place of a message to each widget and its answer, for each key: a quiet loop has delivered all messages.

    Only a widget that waits for something while it handles one is still waited for.
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
    """From now on Textual's pilot waits for quiet, screens are drawn at once, and what a thread does for a loop counts
    until the loop has heard of it.
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
