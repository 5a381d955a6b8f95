"""Background tasks of the app. Every error in one is shown as a notice and logged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Coroutine
from typing import Protocol

from textual.notifications import SeverityLevel

from narrowcast.app.context import InApp, app_of
from narrowcast_api.errors import NarrowcastError

log = logging.getLogger(__name__)

__all__ = ["Background", "Latest"]


class Tell(Protocol):
    """Shows a notice to the user."""

    def __call__(self, text: str, *, severity: SeverityLevel = "information") -> None: ...


class Background:
    """Runs awaitables in the background. ``tell`` shows errors to the user."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._tasks: set[asyncio.Task[None]] = set()

    def spawn(self, work: Awaitable[object], what: str) -> asyncio.Task[None]:
        """Starts ``work``. ``what`` completes "Could not …". Errors are shown and logged, never raised."""
        task = asyncio.ensure_future(self._guarded(work, what))
        self._tasks.add(task)

        def done(_: asyncio.Task[None]) -> None:
            self._tasks.discard(task)
            if isinstance(work, Coroutine):
                work.close()  # it may have been cancelled before it started

        task.add_done_callback(done)
        return task

    async def _guarded(self, work: Awaitable[object], what: str) -> None:

        try:
            await work
        except NarrowcastError as error:
            log.warning("could not %s: %s", what, error)
            self._tell(error.user_message, severity="error")
        except Exception as error:
            log.exception("could not %s", what)
            self._tell(
                f"Could not {what}: {type(error).__name__}. See the log for details.", severity="error"
            )


class Latest:
    """Runs a task of which only the latest run counts, such as completion: starting it cancels the previous run.

    ``host``: the node that shows the result; it must call `cancel` when it is removed.
    """

    def __init__(self, host: InApp) -> None:
        self._host = host
        self._task: asyncio.Task[None] | None = None

    def begin(self, work: Awaitable[object], what: str) -> None:
        """Cancels the running task, and starts ``work`` as `Background.spawn` does."""
        self.cancel()
        self._task = app_of(self._host).spawn(work, what)

    def cancel(self) -> None:
        """Cancels the running task."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
