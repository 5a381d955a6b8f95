"""Modes in which keys mean something else for a while: hints wait for a label, finding for n, N and Esc."""

from __future__ import annotations

from textual import events

from narrowcast.panes.message_overlays import Found, Hints
from narrowcast.panes.message_posts import PaneBase
from narrowcast_api.state.messages import Message

__all__ = ["TypedKeys"]


class TypedKeys(PaneBase):
    """Sends keys to the mode that waits for them, before any binding sees them."""

    def action_message_reload(self) -> None:
        """Fetches the view again."""
        raise NotImplementedError

    def toggle_reaction(self, message: Message, reaction_type: str, code: str, name: str) -> None:
        """Adds a reaction of one's own, or removes it."""
        raise NotImplementedError

    def _hint_key(self, hints: Hints, event: events.Key) -> None:
        raise NotImplementedError

    def _find_key(self, found: Found, event: events.Key) -> bool:
        """A key while something is found; whether it was used."""
        raise NotImplementedError

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

    def _leave_modes(self) -> None:
        self.list.overlay = None
        self.list.changed()
