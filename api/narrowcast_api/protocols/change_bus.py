"""Delivers changes to listeners in batches, one batch per turn of the event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress

from narrowcast_api.state.changes import Change

logger = logging.getLogger(__name__)

Listener = Callable[[Sequence[Change]], None]


class ChangeBus:
    """Calls each listener with each batch of changes. An exception in a listener is logged."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._listeners: list[Listener] = []
        self._changes: list[Change] = []
        self._due = False
        self._closed = False

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Calls `listener` with each batch; returns a function that unsubscribes it."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            with suppress(ValueError):
                self._listeners.remove(listener)

        return unsubscribe

    def publish(self, *changes: Change) -> None:
        """Adds changes to the batch that the listeners receive at the next turn of the loop."""
        self._changes.extend(changes)
        if not self._due and not self._closed:
            self._due = True
            self._loop.call_soon(self._flush)

    def publish_from_thread(self, change: Change) -> None:
        """Like `publish`, from any thread; does nothing if the loop has ended."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self.publish, change)

    def close(self) -> None:
        """Stops delivering changes."""
        self._closed = True

    def _flush(self) -> None:
        self._due = False
        changes, self._changes = tuple(dict.fromkeys(self._changes)), []
        for listener in list(self._listeners):
            try:
                listener(changes)
            except Exception:
                logger.exception("a listener failed")
