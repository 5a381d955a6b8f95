"""Dropping keys that are not meant as commands: text typed after a key that had no effect, or a second Escape."""

from __future__ import annotations

ONE_MOMENT = 0.35
"""Seconds within which a key belongs to the text typed before it: a slow typist takes 0.3 s per key."""
ESCAPE_MOMENT = 1.0
"""Seconds within which another Escape is still meant for the field that the first one left."""
HELD = 3
"""Number of repetitions from which the same key counts as held down, not as text."""


class KeyGuard:
    """Asked before each key outside of a field. Times are seconds of any monotonic clock.

    After `refuse_text`, letters, Enter and Backspace are dropped as long as each follows the previous one
    quickly: a user who pressed 'r' and continued to type was writing text, and each letter is the key of some
    command. Any other key ends this at once, and so does a pause.
    """

    def __init__(self) -> None:
        self._now = float("-inf")
        self._until = float("-inf")
        self._escape_until = float("-inf")
        self._last = ""
        self._times = 0

    def refuse_text(self) -> None:
        """Called when the last key had no effect: drops text that follows."""
        self._until = self._now + ONE_MOMENT

    def hold_escape(self) -> None:
        """Called when the last key left a field: drops Escape for a moment."""
        self._escape_until = self._now + ESCAPE_MOMENT

    def passes(self, key: str, is_text: bool, now: float) -> bool:
        """Whether ``key`` may act. ``is_text``: in a field it would enter or edit text."""
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
