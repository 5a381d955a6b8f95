"""Whether the user is looking at the terminal. Many terminals do not report their focus, others only changes of it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

__all__ = ["LOOKING", "Looking"]

LOOKING = 120.0
"""Seconds after the last key for which the user is assumed to look at a terminal that does not report its focus."""


class Looking:
    """``clock`` returns the time in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.last_key: float | None = None
        """When the last key of this run was pressed; None if none was."""
        self._has_focus: bool | None = None

    def key_pressed(self) -> None:
        """Records a key, a click, or a turn of the mouse wheel."""
        self.last_key = self._clock()

    def since_key(self) -> float:
        """Seconds since the last key of this run; infinite if none was pressed."""
        return math.inf if self.last_key is None else self._clock() - self.last_key

    def focus_reported(self, has_focus: bool) -> None:
        """Records that the terminal got or lost the focus."""
        self._has_focus = has_focus

    @property
    def is_looking(self) -> bool:
        """Whether the user has pressed a key in this run, and the terminal has the focus; if it never reports that,
        whether the last key was pressed within `LOOKING` seconds.
        """
        if self.last_key is None:
            return False
        if self._has_focus is not None:
            return self._has_focus
        return self.since_key() < LOOKING
