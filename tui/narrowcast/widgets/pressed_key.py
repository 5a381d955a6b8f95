"""A field that takes the next key instead of a text."""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.widgets import Static

__all__ = ["PressedKey"]


class PressedKey(Static, can_focus=True):
    """Posts each key that is pressed: Enter as a confirmation; Escape has its usual meaning."""

    class Pressed(Message):
        """A key was pressed."""

        def __init__(self, pressed: str) -> None:
            super().__init__()
            self.pressed = pressed

    class Confirmed(Message):
        """Enter was pressed."""

    def __init__(self) -> None:
        super().__init__("…", markup=False)

    async def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            return
        event.stop()
        event.prevent_default()
        self.post_message(self.Confirmed() if event.key == "enter" else self.Pressed(event.key))
