"""How often one user may call: sliding windows, off unless the operator asks for them."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence

from narrowcast_server.clock import Clock
from narrowcast_server.config import RateLimit
from narrowcast_server.errors import ServiceError


class RateLimiter:
    """Counts the calls of each key against every limit."""

    def __init__(self, clock: Clock, limits: Sequence[RateLimit]) -> None:
        self._clock = clock
        self._limits = tuple(limits)
        self._calls: dict[Hashable, deque[float]] = {}

    def hit(self, key: Hashable) -> None:
        """Counts a call; raises RATE_LIMIT_HIT, without counting, when one limit is reached."""
        if not self._limits:
            return
        now = self._clock.monotonic()
        calls = self._calls.setdefault(key, deque())
        self._forget_old(calls, now)
        for limit in self._limits:
            recent = [moment for moment in calls if moment > now - limit.seconds]
            if len(recent) >= limit.requests:
                raise too_often(recent[-limit.requests] + limit.seconds - now)
        calls.append(now)

    def clear(self, key: Hashable) -> None:
        """Forgets the calls of a key."""
        self._calls.pop(key, None)

    def _forget_old(self, calls: deque[float], now: float) -> None:
        longest = max(limit.seconds for limit in self._limits)
        while calls and calls[0] <= now - longest:
            calls.popleft()


def too_often(seconds: float) -> ServiceError:
    """The refusal that says how long to wait: a float, in body and header."""
    extra: dict[str, object] = {"retry-after": seconds}
    return ServiceError(
        "API usage exceeded rate limit",
        "RATE_LIMIT_HIT",
        429,
        headers={"Retry-After": str(seconds)},
        **extra,
    )
