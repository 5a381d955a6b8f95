"""Keys one after the other: what follows "c" belongs to the field that "c" opens.

Textual hands every waiting key to the widget that has the focus now, before the first of them could move it.
Here each key, and each paste, waits until the one before has gone its whole way: through the widget that has
the focus and all around it, and through the messages which that led to.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from textual import events

from narrowcast.terminal.key_guard import KeyGuard
from narrowcast.widgets.editor import Editor

if TYPE_CHECKING:
    from textual.app import App
    from textual.events import Event
    from textual.message_pump import MessagePump

ROUNDS = 4
"""Times that everybody from the focus outwards is asked to be done: acts lead to messages, those to others."""
MENDS_TEXT = frozenset({"enter", "backspace", "delete", "ctrl+a", "ctrl+e", "ctrl+u", "ctrl+w"})
PATIENCE = 0.25
"""Seconds that a busy widget can hold up the next key."""


class KeyQueue:
    """``hand_on`` is how Textual itself would take an event; ``settled`` waits until the screen is there that keys
    asked for, within a bound of its own.
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

    def put(self, event: Event) -> None:
        self._waiting.append(event)
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._run())

    async def _run(self) -> None:
        while self._waiting:
            await self._settled()
            event = self._waiting.popleft()
            if not self._may_act(event):
                continue
            await self._hand_on(event)
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
            await _is_done(focused)  # it is text, and moves no focus
            return
        for number in range(ROUNDS):
            outwards = (self._app.focused or self._app.screen).ancestors_with_self
            for node in outwards:
                if not await _is_done(node):
                    return
            if number and not any(node.message_queue_size for node in outwards):
                return


async def _is_done(node: MessagePump) -> bool:
    """Whether ``node`` has worked off what it had waiting, within ``PATIENCE``."""
    done = asyncio.Event()
    if not node.call_later(done.set):
        return True
    try:
        async with asyncio.timeout(PATIENCE):
            await done.wait()
    except TimeoutError:
        return False
    return True
