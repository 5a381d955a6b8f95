"""Choosing a key by pressing it."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult

from narrowcast.keys.keymap import key_label
from narrowcast.screens.dialogs.dialog import SMALL, Dialog
from narrowcast.widgets.pressed_key import PressedKey

__all__ = ["CaptureScreen"]


class CaptureScreen(Dialog[str | None]):
    """Dismissed with the key that was pressed and confirmed by Enter, or None. ``problem``: why a key cannot be used,
    such as that the user gave it to another command; empty if it can. ``losers``: the commands that lose the key.
    """

    DEFAULT_CSS = """
    CaptureScreen PressedKey { height: 1; margin: 0 1; text-style: bold; background: $surface; }
    """
    AUTO_FOCUS = "PressedKey"
    WIDTH = SMALL
    KEYS = (("list.select", "saves"), ("dialog.close", "cancels"))

    def __init__(self, title: str, problem: Callable[[str], str], losers: Callable[[str], str]) -> None:
        super().__init__()
        self._title = title
        self._problem = problem
        self._losers = losers
        self._key = ""
        self._shown = PressedKey()

    def title_text(self) -> str:
        return self._title

    def body(self) -> ComposeResult:
        yield self._shown

    def on_mount(self) -> None:
        self.key_line.show("Press the new key.", "dim")

    def on_pressed_key_pressed(self, event: PressedKey.Pressed) -> None:
        """Shows the key, and why it cannot be used."""
        event.stop()
        self._shown.update(key_label(event.pressed))
        problem = self._problem(event.pressed)
        self._key = "" if problem else event.pressed
        if problem:
            self.key_line.say(f"{problem}. Press another key.", bad=True)
        elif losers := self._losers(event.pressed):
            self.key_line.say(f"Enter takes it from: {losers}.")
        else:
            self.key_line.say("Free. Another key replaces it.")

    def on_pressed_key_confirmed(self, event: PressedKey.Confirmed) -> None:
        """Enter saves the key."""
        event.stop()
        if self._key:
            self.dismiss(self._key)
