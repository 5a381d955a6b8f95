"""The title of the terminal's window: unread counts of all open accounts, and the organization on screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from narrowcast_api.protocols.notifications import unread_badge

if TYPE_CHECKING:
    from narrowcast_api.state.state import State

__all__ = ["WindowTitle"]


class WindowTitle:
    """`states` returns the states of the accounts, the one on screen first; `show` sets the title."""

    def __init__(self, states: Callable[[], Sequence[State]], show: Callable[[str], None]) -> None:
        self._states = states
        self._show = show
        self._title = ""

    def refresh(self) -> None:
        """Sets the title if it changed."""
        states = self._states()
        if not states:
            return
        badges = [unread_badge(state) for state in states]
        unread, mentions = sum(count for count, _ in badges), sum(count for _, count in badges)
        parts = [str(unread)] if unread else []
        parts += [f"@{mentions}"] if mentions else []
        name = states[0].organization.text("name") or "Narrowcast"
        title = f"({' '.join(parts)}) {name}" if parts else name
        if title != self._title:
            self._title = title
            self._show(title)
