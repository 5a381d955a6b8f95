"""The parts of the message pane, whose methods are the commands of its context (`keys/catalog/panes.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.panes.messages.clipboard import Clipboard
from narrowcast.panes.messages.context import PaneContext
from narrowcast.panes.messages.details import Details
from narrowcast.panes.messages.find import Find
from narrowcast.panes.messages.links import LinkHints, Links
from narrowcast.panes.messages.navigation import Navigation
from narrowcast.panes.messages.painting import Hints
from narrowcast.panes.messages.reactions import Flags, Polls, Reactions
from narrowcast.panes.messages.several import Several
from narrowcast.panes.messages.writing import ReplyAndEdit

if TYPE_CHECKING:
    from textual import events

__all__ = ["PaneParts"]


class PaneParts:
    """The parts of one pane."""

    def __init__(self, pane: PaneContext) -> None:
        self._pane = pane
        self.navigation = Navigation(pane)
        self.clipboard = Clipboard(pane)
        self.writing = ReplyAndEdit(pane, self.clipboard)
        self.flags = Flags(pane)
        self.reactions = Reactions(pane)
        self.polls = Polls(pane)
        self.details = Details(pane, self.clipboard, self.navigation)
        self.links = Links(pane, self.navigation, self.clipboard, self.reactions, self.polls)
        self.hints = LinkHints(pane, self.links, self.clipboard)
        self.find = Find(pane)
        self.several = Several(pane, self.clipboard, self.writing, self.flags)

    def enter(self) -> None:
        """Loads messages that may be missing before the message, opens what is closed in it, or replies."""
        key, feed = self._pane.list.selected, self._pane.list.feed
        if feed is not None and isinstance(key, int) and feed.lead(feed.index(key)).gap:
            self.navigation.reload()
        elif key is not None and not self.links.open_closed():
            self.writing.reply()

    def take_key(self, event: events.Key) -> bool:
        """Handles a key while a mode takes all keys; returns whether there is such a mode."""
        overlay = self._pane.list.overlay
        if isinstance(overlay, Hints):
            self.hints.key(overlay, event)
            return True
        return False
