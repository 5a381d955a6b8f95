"""Keeps the views on screen up to date: fetches them again when events were missed, and retries failures.

Only transient errors are retried (no connection, no response, a server fault, rate limiting); what the server
rejects is not requested again until the view is opened anew.
"""

from __future__ import annotations

from collections.abc import Sequence

from narrowcast_api.backoff import RetryTime
from narrowcast_api.clock import Wakeup
from narrowcast_api.errors import TEMPORARY, MalformedResponse, NarrowcastError
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.state.changes import Change, ViewChanged
from narrowcast_api.sync.message_lists import Views
from narrowcast_api.sync.message_view import MessageView

FIRST_PAUSE, MAX_PAUSE = 1.0, 30.0
"""Seconds between two attempts."""


class ViewRefresher:
    """`run` is a task of the session."""

    def __init__(self, context: SessionContext, views: Views) -> None:
        self._context = context
        self._views = views
        self._clock = context.clock
        self._wakeup = Wakeup(context.clock)
        self._retry = RetryTime(context.clock, FIRST_PAUSE, MAX_PAUSE, "view")
        context.bus.subscribe(self._on_changes)

    def _on_changes(self, changes: Sequence[Change]) -> None:
        changed = {change.narrow for change in changes if isinstance(change, ViewChanged)}
        if any(view.narrow in changed and needs_refresh(view) for view in self._views.on_screen):
            self._wakeup.set()

    def wake(self) -> None:
        """Retries at once, because the connection is live again."""
        self._retry.clear()
        self._wakeup.set()

    async def run(self) -> None:
        wait: float | None = None
        while True:
            await self._wakeup.wait(wait)
            wait = await self._look()

    async def _look(self) -> float | None:
        """Refreshes a view that needs it; returns the seconds until the next check, None to wait for a wakeup."""
        views = self._views.on_screen if self._context.is_live else []
        untrue = [view for view in views if needs_refresh(view) and not view.loading]
        if not untrue:
            return None
        view = min(untrue, key=lambda one: one.error is not None)  # a failing view does not delay the other
        pause = self._retry.at - self._clock.monotonic()
        if pause > 0:
            return pause
        await view.refresh()
        if needs_refresh(view):
            self._retry.failed(view.error)
        else:
            self._retry.succeeded()
        self._wakeup.set()
        return None


def needs_refresh(view: MessageView) -> bool:
    """Whether fetching the view again may bring it up to date."""
    return _is_transient(view.error) if view.error is not None else view.is_stale


def _is_transient(error: NarrowcastError) -> bool:
    return isinstance(error, (*TEMPORARY, MalformedResponse))
