"""Modes in which keys mean something else for a while: hints wait for a label, finding for n, N and Esc."""

from __future__ import annotations

from abc import abstractmethod

from textual import events

from narrowcast.content.addresses import InApp
from narrowcast.panes.messages.message_list import MessageList
from narrowcast.panes.messages.overlays import Found, Hints
from narrowcast.panes.messages.requests import PaneBase
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.model.messages import Message
from narrowcast_api.narrow.narrow import Narrow

__all__ = ["TypedKeys"]

SELECTING = "Esc cancels · y copies the selected text"


class TypedKeys(PaneBase):
    """Sends keys to the mode that waits for them, before any binding sees them."""

    @abstractmethod
    def action_message_reload(self) -> None:
        """Fetches the view again."""

    @abstractmethod
    def toggle_reaction(self, message: Message, reaction_type: str, code: str, name: str) -> None:
        """Adds a reaction of one's own, or removes it."""

    @abstractmethod
    def copy(self, text: str, what: str) -> None:
        """Puts text into the clipboard, and says what."""

    def go_to(self, target: InApp) -> None:
        """Goes to a view; to a message where it is now, for it may have been moved since the link was made."""
        message_id = target.message_id
        if message_id is None or not target.narrow.is_conversation:
            self.post_message(self.NarrowRequested(target.narrow, message_id))
        else:
            self.work(self._go_to_message(target, message_id), "find the message")

    async def _go_to_message(self, target: InApp, message_id: int) -> None:
        try:
            message = await self.session.load_message(message_id)
        except NarrowcastError:
            message = None
        narrow = target.narrow
        if message is not None:
            narrow = Narrow.from_destination(message.destination(self.session.state.me))
        self.post_message(self.NarrowRequested(narrow, message_id if message is not None else None))

    @abstractmethod
    def _hint_key(self, hints: Hints, event: events.Key) -> None:
        """A key while hints wait for a label."""

    @abstractmethod
    def _find_key(self, found: Found, event: events.Key) -> bool:
        """A key while something is found; whether it was used."""

    def on_key(self, event: events.Key) -> None:
        """Keys of a mode are taken here; all others go on to the bindings."""
        overlay = self.list.overlay
        if isinstance(overlay, Hints):
            event.stop()
            event.prevent_default()
            self._hint_key(overlay, event)
        elif isinstance(overlay, Found) and self._find_key(overlay, event):
            event.stop()
            event.prevent_default()
        elif event.key == "escape" and self.screen.selections:
            event.stop()
            event.prevent_default()
            self.screen.clear_selection()

    def on_message_list_text_selected(self, event: MessageList.TextSelected) -> None:
        """Says what one can do with selected text, whether keys or the mouse selected it."""
        event.stop()
        if self.list.overlay is None:
            self.say_mode(SELECTING if event.selected else "")

    def _leave_modes(self) -> None:
        self.list.overlay = None
        self.say_mode("")
        self.list.changed()
