"""Background work of the app: what users are told about errors in it, and work of which only the latest counts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from narrowcast.keys.hints import HasApp
from narrowcast.runtime.context import app_of
from narrowcast_api.errors import NarrowcastError

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session


__all__ = ["Latest", "could_not", "until"]


def could_not(what: str, error: Exception) -> str:
    """The notice about an error in a background task; ``what`` completes "Could not …"."""
    if isinstance(error, NarrowcastError):
        return error.user_message
    return f"Could not {what}: {type(error).__name__}. See the log for details."


class Latest:
    """Runs a task of which only the latest run counts, such as completion: starting it cancels the previous run.

    ``host``: the node that shows the result; it must call `cancel` when it is removed.
    """

    def __init__(self, host: HasApp) -> None:
        self._host = host
        self._task: asyncio.Task[None] | None = None

    def begin(self, work: Awaitable[object], what: str) -> None:
        """Cancels the running task, and starts ``work`` as the app's `spawn` does."""
        self.cancel()
        self._task = app_of(self._host).spawn(work, what)

    def cancel(self) -> None:
        """Cancels the running task."""
        if self._task is not None:
            self._task.cancel()
            self._task = None


async def until(session: Session, holds: Callable[[], bool]) -> None:
    """Waits until ``holds`` returns true; it is called again after each change of the session."""
    changed = asyncio.Event()
    unsubscribe = session.subscribe(lambda _: changed.set())
    try:
        while not holds():
            changed.clear()
            await changed.wait()
    finally:
        unsubscribe()
