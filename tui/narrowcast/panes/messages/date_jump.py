"""Going to a date in the open view."""

from __future__ import annotations

import time
from collections.abc import Awaitable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from narrowcast.panes.messages.context import PaneContext
from narrowcast.screens.dialogs.ask import AskScreen
from narrowcast.text.typed_dates import day_of
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.narrow.dates import first_since
from narrowcast_api.wire.levels import Gate

if TYPE_CHECKING:
    from narrowcast_api.narrow.page import Page
    from narrowcast_api.sync.message_view import MessageView

__all__ = ["DateJump"]


class DateJump:
    """Asks for a date, and finds its first message: among the loaded ones, else on the server."""

    def __init__(self, pane: PaneContext) -> None:
        self._pane = pane

    def ask(self) -> None:
        """Asks for a date and goes to its first message."""
        hints = ("or 11-20, today, yesterday, friday; 2026-11 is its first day",)
        self._pane.ask(AskScreen("Go to date", placeholder="2026-11-20", notes=hints), self._go_to_date)

    def _go_to_date(self, text: str | None) -> None:
        if not text or self._pane.list.feed is None:
            return
        names = self._pane.list.feed.names
        try:
            day = day_of(text, names.local(time.time()).date())
            local = datetime(day.year, day.month, day.day, tzinfo=names.zone)
            at = local.timestamp() if names.zone else local.astimezone().timestamp()
        except (ValueError, OverflowError):
            self._pane.say("Invalid date. Write it like 2026-11-20.")
            return
        self._pane.work(self._find_date(at), "go to that date")

    async def _find_date(self, at: float) -> None:
        """Asks the server if the date is outside of the loaded messages; offline, uses the nearest loaded message."""
        view = self._pane.view
        if view is None:
            return
        if not self._knows(view, at):
            try:
                message_id = await self._first_since(view, at)
            except NarrowcastError as error:
                self._pane.say(f"Only loaded messages were searched: {error.user_message}")
            else:
                if view is self._pane.view:
                    self._pane.reopen("newest" if message_id is None else message_id)
                return
        if view is self._pane.view and view.ids:
            self._pane.list.position.jump(view.ids[min(self._known_since(view, at), len(view.ids) - 1)])

    async def _first_since(self, view: MessageView, at: float) -> int | None:
        """Asks the server for the id of the first message since a time; None if there is none."""
        session = self._pane.session

        def fetch(anchor: int | str | datetime, before: int, after: int) -> Awaitable[Page]:
            return session.fetch(view.narrow, anchor, before, after, include_anchor=True)

        if not session.state.supports(Gate.ANCHOR_DATE):
            return await first_since(fetch, at)  # TODO(server-445)
        found = (await fetch(datetime.fromtimestamp(at, UTC), 0, 0)).messages
        return found[0].id if found and found[0].timestamp >= at else None

    def _knows(self, view: MessageView, at: float) -> bool:
        """Whether the first message since a time is among the loaded ones."""
        get = self._pane.session.state.messages.get
        oldest, newest = (get(view.ids[place]) if view.ids else None for place in (0, -1))
        if oldest is None or newest is None:
            return False
        begins = view.found_oldest or oldest.timestamp < at
        return begins and (view.found_newest or newest.timestamp >= at)

    def _known_since(self, view: MessageView, at: float) -> int:
        """The index of the first loaded message since a time."""
        low, high = 0, len(view.ids)
        while low < high:
            middle = (low + high) // 2
            message = self._pane.session.state.messages.get(view.ids[middle])
            if message is not None and message.timestamp < at:
                low = middle + 1
            else:
                high = middle
        return low
