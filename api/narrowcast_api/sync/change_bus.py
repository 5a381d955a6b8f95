"""Who hears of changes: batches of them, once the turn of the loop that made them is over."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress

from narrowcast_api.state.changes import Change

logger = logging.getLogger(__name__)

Listener = Callable[[Sequence[Change]], None]


class ChangeBus:
    """Tells listeners of changes, each once a batch. An exception of a listener is logged."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._listeners: list[Listener] = []
        self._changes: list[Change] = []
        self._due = False
        self._closed = False

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Calls `listener` with each batch; returns how to end that."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            with suppress(ValueError):
                self._listeners.remove(listener)

        return unsubscribe

    def publish(self, *changes: Change) -> None:
        """Tells the listeners soon, together with whatever else changes until then."""
        self._changes.extend(changes)
        if not self._due and not self._closed:
            self._due = True
            self._loop.call_soon(self._flush)

    def publish_from_thread(self, change: Change) -> None:
        """The same, from any thread; nothing if the loop has ended."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self.publish, change)

    def close(self) -> None:
        """Nobody hears of anything any more."""
        self._closed = True

    def _flush(self) -> None:
        self._due = False
        changes, self._changes = tuple(dict.fromkeys(self._changes)), []
        for listener in list(self._listeners):
            try:
                listener(changes)
            except Exception:
                logger.exception("a listener failed")
