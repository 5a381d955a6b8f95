"""Counters of a running server."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Final

_SPAN: Final = 60
"""Number of event loop samples kept: one minute's."""


@dataclass
class Measures:
    """Counts since the start, except where noted."""

    started: float
    """When the server started, UTC seconds."""
    responses: Counter[int] = field(default_factory=Counter)
    """Responses by HTTP status."""
    crashes: int = 0
    """Requests that ended in an internal server error."""
    _late: deque[float] = field(default_factory=lambda: deque(maxlen=_SPAN))

    def record_delay(self, seconds: float) -> None:
        """Records that the event loop woke up `seconds` late."""
        self._late.append(max(seconds, 0.0))

    @property
    def longest_wait(self) -> float:
        """The event loop's largest delay in the last minute, in seconds."""
        return max(self._late, default=0.0)
