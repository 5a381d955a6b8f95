"""Handling keys one after the other: the keys after "c" go to the field that "c" opens.

Textual passes each pending key to the widget that has the focus now, before an earlier key could move the
focus. Here each key, and each paste, waits until the previous one is completely handled: by the focused
widget and its ancestors, and by the messages that it caused. So does the mouse while keys wait.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from textual import events

from narrowcast.app.key_guard import KeyGuard
from narrowcast.widgets.editor import Editor

if TYPE_CHECKING:
    from textual.app import App
    from textual.events import Event
    from textual.message_pump import MessagePump

ROUNDS = 4
"""Number of times that all nodes from the focus outwards are waited for, as messages can cause further messages."""
MENDS_TEXT = frozenset({"enter", "backspace", "delete", "ctrl+a", "ctrl+e", "ctrl+u", "ctrl+w"})
_MOVES_FOCUS = (events.Key, events.Paste, events.MouseDown, events.MouseUp)
STEP, STEPS = 0.01, 25
"""A busy widget can delay the next key for 25 steps of 0.01 s. Time in which nothing at all could be handled, as
while a dialog is imported or on an overloaded machine, counts as one step: the key would reach the wrong widget.
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
            outwards = (self._app.focused or self._app.screen).ancestors_with_self
            for node in outwards:
                if not await _is_done(node):
                    return
            if number and not any(node.message_queue_size for node in outwards):
                return


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
