"""Keys that are not meant as commands: what is typed on after a key that could not act, or on top of an Escape."""

from __future__ import annotations

ONE_MOMENT = 0.35
"""Seconds within which a key belongs to what was typed before it: a slow typist takes 0.3 s from key to key."""
ESCAPE_MOMENT = 1.0
"""Seconds within which another Escape is still meant for the field that the first one left."""
HELD = 3
"""The same key so many times in a row is a key held down, not a word."""


class KeyGuard:
    """Asked before each key outside of a field. Times are seconds of any clock that does not go back.

    After `refuse_text` letters, Enter and Backspace are dropped as long as each follows the one before within a
    moment: whoever pressed 'r' and went on typing was writing, and each letter is the key of some command. Any other
    key ends that at once, and so does a pause.
    """

    def __init__(self) -> None:
        self._now = float("-inf")
        self._until = float("-inf")
        self._escape_until = float("-inf")
        self._last = ""
        self._times = 0

    def refuse_text(self) -> None:
        """The key that was passed last could not act."""
        self._until = self._now + ONE_MOMENT

    def hold_escape(self) -> None:
        """The key that was passed last left a field: Escape does nothing more for a moment."""
        self._escape_until = self._now + ESCAPE_MOMENT

    def passes(self, key: str, is_text: bool, now: float) -> bool:
        """Whether ``key`` may act. ``is_text``: it writes or mends text where there is a field."""
        self._times = self._times + 1 if key == self._last else 1
        self._last, self._now = key, now
        if key == "escape":
            held = now < self._escape_until
            self._escape_until = now + ESCAPE_MOMENT if held else self._escape_until
            self._until = now
            return not held
        self._escape_until = now
        if not is_text or self._times >= HELD or now >= self._until:
            self._until = now
            return True
        self._until = now + ONE_MOMENT
        return False
