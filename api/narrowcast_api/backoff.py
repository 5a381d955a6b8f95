"""How long to wait after a failure, and when the next attempt may be made."""

from __future__ import annotations

from collections.abc import Callable

from narrowcast_api import debug_log
from narrowcast_api.clock import Clock
from narrowcast_api.errors import NarrowcastError, RateLimited


class Backoff:
    """Seconds to wait before the next attempt: doubled after each failure, from `first` up to `most`, until `reset`.

    `share` returns the fraction of that time to wait; a random one keeps many clients from retrying at once.
    """

    def __init__(self, first: float, most: float, share: Callable[[], float] = lambda: 1.0) -> None:
        self._first = first
        self._most = most
        self._share = share
        self._failures = 0

    @property
    def bound(self) -> float:
        """The longest that the next wait can be."""
        return min(self._most, self._first * 2.0 ** min(self._failures, 30))

    def failed(self) -> float:
        """Counts a failure; returns the seconds to wait now."""
        wait = self._share() * self.bound
        self._failures += 1
        return wait

    def reset(self) -> None:
        """Counts the next failure as the first one."""
        self._failures = 0


class RetryTime:
    """When failed requests may be retried. `at` is in monotonic seconds; 0.0 means at once. `what` names the
    requests in the debug log.
    """

    def __init__(self, clock: Clock, first: float, most: float, what: str) -> None:
        self._clock = clock
        self._what = what
        self._backoff = Backoff(first, most)
        self.at = 0.0

    def failed(self, error: NarrowcastError | None = None) -> None:
        """Waits longer than after the previous failure, and at least as long as a rate limit requires."""
        wait = self._backoff.failed()
        if isinstance(error, RateLimited):
            wait = max(wait, error.retry_after)
        debug_log.note("retry", self._what, error, seconds=wait)
        self.at = self._clock.monotonic() + wait

    def succeeded(self) -> None:
        """Counts the next failure as the first one."""
        self._backoff.reset()

    def clear(self) -> None:
        """The connection works again: retry at once."""
        self._backoff.reset()
        self.at = 0.0
