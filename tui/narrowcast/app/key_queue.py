"""Handling keys one after the other: the keys after "c" go to the field that "c" opens.

Textual passes each pending key to the widget that has the focus now, before an earlier key could move the
focus. Here each key, and each paste, waits until the previous one is completely handled: by the focused
widget and its ancestors, and by the messages that it caused. So does the mouse while keys wait. Keys are held back
while an account that they are meant for is being opened, and dropped if they are not meant as commands.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from textual import events

from narrowcast.widgets.editor import Editor

if TYPE_CHECKING:
    from textual.app import App
    from textual.events import Event
    from textual.message_pump import MessagePump


__all__ = [
    "ESCAPE_MOMENT",
    "HELD",
    "MENDS_TEXT",
    "ONE_MOMENT",
    "ROUNDS",
    "STEP",
    "STEPS",
    "STEPS_TO_OPEN",
    "KeyGuard",
    "KeyHold",
    "KeyQueue",
]

ROUNDS = 4
"""Number of times that all nodes from the focus outwards are waited for, as messages can cause further messages."""
MENDS_TEXT = frozenset(
    {
        "enter",
        "backspace",
        "delete",
        "ctrl+a",
        "ctrl+e",
        "ctrl+u",
        "ctrl+w",
        "alt+d",
        "alt+backspace",
        "ctrl+backspace",
        "ctrl+delete",
    }
)
_MOVES_FOCUS = (events.Key, events.Paste, events.MouseDown, events.MouseUp)
STEP, STEPS = 0.01, 25
"""A busy widget can delay the next key for 25 steps of 0.01 s. Time in which nothing at all could be handled, as
while a dialog is imported or on an overloaded machine, counts as one step: the key would reach the wrong widget.
"""
STEPS_TO_OPEN = 300
"""The same for a screen that the key before it opened: until its widgets are there, no field in it can take the key. On
an overloaded machine that takes many steps.
"""


class KeyQueue:
    """``hand_on`` handles an event as Textual itself does; ``settled`` waits, for a limited time, until a
    screen that a key requested is shown.
    """

    def __init__(
        self,
        app: App[Any],
        hand_on: Callable[[Event], Awaitable[None]],
        settled: Callable[[], Awaitable[None]],
    ) -> None:
        self._app = app
        self._hand_on = hand_on
        self._settled = settled
        self.guard = KeyGuard()
        self._waiting: deque[Event] = deque()
        self._task: asyncio.Task[None] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether an event is being handled or waits."""
        return self._task is not None and not self._task.done()

    @property
    def has_more(self) -> bool:
        """Whether events wait for the one that is being handled."""
        return bool(self._waiting)

    def put(self, event: Event) -> None:
        self._waiting.append(event)
        if not self.is_busy:
            self._task = asyncio.ensure_future(self._run())

    async def _run(self) -> None:
        while self._waiting:
            await self._settled()
            event = self._waiting.popleft()
            if not self._may_act(event):
                continue
            await self._hand_on(event)
            if isinstance(event, _MOVES_FOCUS):
                await self._gone_its_way(event)

    def _may_act(self, event: Event) -> bool:
        if not isinstance(event, events.Key):
            return True
        in_field = isinstance(self._app.focused, Editor)
        is_text = not in_field and (event.is_printable or event.key in MENDS_TEXT)
        return self.guard.passes(event.key, is_text, event.time) or in_field

    async def _gone_its_way(self, event: Event) -> None:
        focused = self._app.focused
        if isinstance(focused, Editor) and isinstance(event, events.Key) and event.is_printable:
            await _is_done(focused)  # text in a field, which does not move the focus
            return
        for number in range(ROUNDS):
            await self._screen_is_there()
            outwards = (self._app.focused or self._app.screen).ancestors_with_self
            for node in outwards:
                if not await _is_done(node):
                    return
            if number and not any(node.message_queue_size for node in outwards):
                return

    async def _screen_is_there(self) -> None:
        """Waits for the widgets of a screen that was just opened, for a limited time."""
        for _ in range(STEPS_TO_OPEN):
            if self._app.screen.is_mounted:
                return
            await asyncio.sleep(STEP)


async def _is_done(node: MessagePump) -> bool:
    """Whether ``node`` handled its pending messages in time: see `STEPS`."""
    done = asyncio.Event()
    if not node.call_later(done.set):
        return True
    for _ in range(STEPS):
        with suppress(TimeoutError):
            async with asyncio.timeout(STEP):
                await done.wait()
                return True
    return False


ONE_MOMENT = 0.35
"""Seconds within which a key belongs to the text typed before it: a slow typist takes 0.3 s per key."""
ESCAPE_MOMENT = 1.0
"""Seconds within which another Escape is still meant for the field that the first one left."""
HELD = 3
"""Number of repetitions from which the same key counts as held down, not as text."""


class KeyGuard:
    """Asked before each key outside of a field. Times are seconds of any monotonic clock.

    After `refuse_text`, letters, Enter and Backspace are dropped as long as each follows the previous one
    quickly: a user who pressed 'r' and continued to type was writing text, and each letter is the key of some
    command. Any other key ends this at once, and so does a pause.
    """

    def __init__(self) -> None:
        self._now = float("-inf")
        self._until = float("-inf")
        self._escape_until = float("-inf")
        self._last = ""
        self._times = 0

    def refuse_text(self) -> None:
        """Called when the last key had no effect: drops text that follows."""
        self._until = self._now + ONE_MOMENT

    def hold_escape(self) -> None:
        """Called when the last key left a field: drops Escape for a moment."""
        self._escape_until = self._now + ESCAPE_MOMENT

    def passes(self, key: str, is_text: bool, now: float) -> bool:
        """Whether ``key`` may act. ``is_text``: in a field it would enter or edit text."""
        self._times = self._times + 1 if key == self._last else 1
        self._last, self._now = key, now
        if key == "escape":
            held = now < self._escape_until
            self._escape_until = now + ESCAPE_MOMENT if held else self._escape_until
            self._until = now
            return not held
        self._escape_until = now
        if not is_text or self._times >= HELD or now >= self._until:
            self._until = now
            return True
        self._until = now + ONE_MOMENT
        return False


MAX_SECONDS = 3.0
"""Seconds for which keys are held back at most."""


class KeyHold:
    """Whether the account that was requested last is on screen."""

    def __init__(self) -> None:
        self._is_here = asyncio.Event()
        self._is_here.set()

    @contextmanager
    def awaited(self) -> Iterator[None]:
        """Keys wait until the end of the block, or until `here` is called."""
        self._is_here.clear()
        try:
            yield
        finally:
            self._is_here.set()

    def here(self) -> None:
        """The account is on screen: keys wait no longer."""
        self._is_here.set()

    async def settled(self) -> None:
        """Waits until the account is on screen; if that takes too long, keys no longer wait for it."""
        if self._is_here.is_set():
            return
        try:
            await asyncio.wait_for(self._is_here.wait(), MAX_SECONDS)
        except TimeoutError:
            self._is_here.set()
