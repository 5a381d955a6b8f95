"""Waiting longer after each failure, by a random share, so that many clients do not return at once."""

from __future__ import annotations

from collections.abc import Callable


class JitteredBackoff:
    """Waits uniform in [0, bound], the bound doubling from `first` to `most` seconds; one success resets
    it.
    """

    def __init__(self, random: Callable[[], float], first: float = 0.1, most: float = 10.0) -> None:
        self._random = random
        self._first = first
        self._most = most
        self._failures = 0

    @property
    def bound(self) -> float:
        """The longest that the next wait can be."""
        return min(self._most, self._first * 2.0 ** min(self._failures, 30))

    def failed(self) -> float:
        """Counts a failure; returns the seconds to wait."""
        wait = self._random() * self.bound
        self._failures += 1
        return wait

    def reset(self) -> None:
        """It worked."""
        self._failures = 0
