"""What a running server counts of itself."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Final

_SPAN: Final = 60
"""Samples of the event loop that are kept: a minute's."""


@dataclass
class Measures:
    """Since the start, unless it says otherwise."""

    started: float
    """When the server started, UTC seconds."""
    answers: Counter[int] = field(default_factory=Counter)
    """Answers given, by HTTP status."""
    crashes: int = 0
    """Requests that ended in an error of the server."""
    _late: deque[float] = field(default_factory=lambda: deque(maxlen=_SPAN))

    def waited(self, seconds: float) -> None:
        """The event loop woke up so much later than it was asked to."""
        self._late.append(max(seconds, 0.0))

    @property
    def longest_wait(self) -> float:
        """Seconds by which the event loop was late at most, in the last minute."""
        return max(self._late, default=0.0)
