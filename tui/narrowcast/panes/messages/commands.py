"""The parts of the message pane, and which part handles which command."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from narrowcast.panes.messages.clipboard import Clipboard
from narrowcast.panes.messages.context import PaneContext
from narrowcast.panes.messages.details import Details
from narrowcast.panes.messages.find import Find
from narrowcast.panes.messages.flags import Flags
from narrowcast.panes.messages.going import Going
from narrowcast.panes.messages.hints import LinkHints
from narrowcast.panes.messages.jumps import Jumps
from narrowcast.panes.messages.links import Links
from narrowcast.panes.messages.moving import Moving
from narrowcast.panes.messages.overlays import Hints
from narrowcast.panes.messages.polls import Polls
from narrowcast.panes.messages.reactions import Reactions
from narrowcast.panes.messages.writing import Writing

if TYPE_CHECKING:
    from textual import events

__all__ = ["MessageCommands"]

Run = Callable[[], object]


class MessageCommands:
    """The parts of one pane. ``table``: the handler of each command of the message context, by command id."""

    def __init__(self, pane: PaneContext) -> None:
        self._pane = pane
        self.moving = Moving(pane)
        self.going = Going(pane)
        self.clipboard = Clipboard(pane)
        self.writing = Writing(pane, self.clipboard)
        self.flags = Flags(pane)
        self.reactions = Reactions(pane)
        self.polls = Polls(pane)
        self.details = Details(pane, self.clipboard, self.going)
        self.links = Links(pane, self.going, self.clipboard, self.reactions, self.polls)
        self.hints = LinkHints(pane, self.links, self.clipboard)
        self.find = Find(pane)
        self.jumps = Jumps(pane, self.going)
        self.table: dict[str, Run] = {**self._reading(), **self._of_one_message()}

    def _reading(self) -> dict[str, Run]:
        position, selection = self._pane.list.position, self._pane.list.selection
        return {
            "message.down": lambda: position.step(1),
            "message.up": lambda: position.step(-1),
            "message.page-down": lambda: position.page(1),
            "message.page-up": lambda: position.page(-1),
            "message.newest": self.moving.newest,
            "message.oldest": self.moving.oldest,
            "message.first-unread": self.moving.first_unread,
            "message.date": self.jumps.date,
            "message.goto": self.jumps.message,
            "message.find": self.find.begin,
            "message.channel": self.going.channel,
            "message.topic": self.going.topic,
            "message.sender": self.going.sender,
            "message.unread": self.flags.unread,
            "message.reload": self.moving.reload,
            "message.select-down": lambda: selection.extend(1),
            "message.select-up": lambda: selection.extend(-1),
        }

    def _of_one_message(self) -> dict[str, Run]:
        return {
            "message.enter": self._enter,
            "message.reply": self.writing.reply,
            "message.reply-sender": self.writing.reply_sender,
            "message.quote": self.writing.quote,
            "message.mention": self.writing.mention,
            "message.edit": self.writing.edit,
            "message.delete": self.writing.delete,
            "message.react": self.reactions.choose,
            "message.react-first": self.reactions.join_first,
            "message.thumbs-up": self.reactions.thumbs_up,
            "message.star": self.flags.star,
            "message.collapse": self.flags.collapse,
            "message.hints": self.hints.begin,
            "message.image": self.links.image,
            "message.spoiler": self.links.spoilers,
            "message.playground": self.clipboard.playground,
            "message.vote": self.polls.choose,
            "message.pan-left": lambda: self.links.pan(-1),
            "message.pan-right": lambda: self.links.pan(1),
            "message.copy": self.clipboard.copy_message,
            "message.link": self.clipboard.copy_link,
            "message.info": self.details.info,
            "message.receipts": self.details.receipts,
            "message.history": self.details.history,
        }

    def _enter(self) -> None:
        """Loads messages that may be missing before the message, opens what is closed in it, or replies."""
        key, feed = self._pane.list.selected, self._pane.list.feed
        if feed is not None and isinstance(key, int) and feed.lead(feed.index(key)).gap:
            self.moving.reload()
        elif key is not None and not self.links.open_closed():
            self.writing.reply()

    def take_key(self, event: events.Key) -> bool:
        """Handles a key while a mode takes all keys; returns whether there is such a mode."""
        overlay = self._pane.list.overlay
        if isinstance(overlay, Hints):
            self.hints.key(overlay, event)
            return True
        return False
