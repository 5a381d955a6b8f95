"""Finding text in the view."""

from __future__ import annotations

import asyncio
from itertools import chain

from narrowcast.panes.messages.context import PaneContext
from narrowcast.panes.messages.painting import FoundText
from narrowcast.screens.dialogs.ask import AskScreen
from narrowcast.text.safe_text import safe_line
from narrowcast_api.storage.codec import plain_text

__all__ = ["Find"]

SEARCHED_AT_ONCE = 300_000
"""Number of characters that are searched before other tasks get a turn."""
SEARCHED_OF_ONE = 300_000
"""Number of characters that are searched in one message: as many as are ever shown of one."""

KEYS = "<found.close> closes · <found.older> older · <found.newer> newer"
ON_SERVER = "<go.search> searches on the server."


class Find:
    """The mode in which keys go from one match to the next."""

    def __init__(self, pane: PaneContext) -> None:
        self._pane = pane

    def begin(self) -> None:
        """Asks what to find in the messages of this view."""
        overlay = self._pane.list.overlay
        before = overlay.text if isinstance(overlay, FoundText) else ""
        question = AskScreen(
            "Find in this view", before, notes=(self._pane.with_keys(f"<editor.submit> finds; then {KEYS}"),)
        )
        self._pane.ask(question, self._find)

    def _find(self, text: str | None) -> None:
        if not text:
            self._pane.leave_modes()
            return
        self._pane.list.overlay = found = FoundText(
            text,
            {
                "found.older": lambda: self._next(found, -1),
                "found.newer": lambda: self._next(found, 1),
                "found.close": self._pane.leave_modes,
            },
        )
        self._pane.say_mode(f"{self._pane.with_keys(KEYS)}: {safe_line(text, 30)}")
        if not self._holds(found, self._pane.list.selected):
            self._next(found, -1)
        self._pane.list.changed()

    def _holds(self, found: FoundText, key: object) -> bool:
        message = self._pane.session.state.messages.get(key) if isinstance(key, int) else None
        if message is None:
            return False
        return found.text in plain_text(message.content[:SEARCHED_OF_ONE]).casefold()

    def _cost(self, message_id: int) -> int:
        message = self._pane.session.state.messages.get(message_id)
        return 100 + (len(message.content) if message is not None else 0)

    def _next(self, found: FoundText, direction: int) -> None:
        self._pane.work(self._search(found, direction), "find this")

    async def _search(self, found: FoundText, direction: int) -> None:
        """Goes to the nearest match in one direction, wrapping around at the end; lets keys be handled meanwhile."""
        feed = self._pane.list.feed
        if feed is None or self._pane.view is None:
            return
        ids = feed.ids
        here = min(feed.index(self._pane.list.selected), len(ids))  # an unsent message is behind all others
        older = direction < 0
        whole = self._pane.view.found_oldest if older else self._pane.view.found_newest
        ahead = range(here - 1, -1, -1) if older else range(here + 1, len(ids))
        behind = range(len(ids) - 1, here, -1) if older else range(here)
        looked = 0
        for count, index in enumerate(chain(ahead, behind)):
            looked += self._cost(ids[index])
            if looked > SEARCHED_AT_ONCE:
                looked = 0
                await asyncio.sleep(0)
                if self._pane.list.overlay is not found or self._pane.list.feed is not feed:
                    return
            if self._holds(found, ids[index]):
                self._pane.list.position.select(ids[index])
                if count >= len(ahead):
                    where = f"{'newest' if older else 'oldest'}{'' if whole else ' loaded'}"
                    self._pane.say(f"Search wrapped to the {where} match.")
                return
        if not self._holds(found, self._pane.list.selected):
            where = "" if whole else " in the loaded messages"
            self._pane.say(f"Not found{where}. {self._pane.with_keys(ON_SERVER)}")
        else:
            self._pane.say(f"No other matches here. {self._pane.with_keys(ON_SERVER)}")
