"""Rate limits per key, such as a user or an address, in sliding windows."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence
from typing import Final

from narrowcast_server.organization.clock import ServerClock
from narrowcast_server.organization.config import RateLimit
from narrowcast_server.organization.errors import ServiceError

Headers = dict[str, str]
_MAX_KEYS: Final = 20_000
"""Bounds the memory: names that strangers try are keys as well."""


class RateLimiter:
    """Counts the calls of each key against every limit."""

    def __init__(self, clock: ServerClock, limits: Sequence[RateLimit]) -> None:
        self._clock = clock
        self._limits = tuple(limits)
        self._longest = max(self._limits, key=lambda limit: limit.seconds, default=RateLimit(0, 1))
        self._most = max((limit.requests for limit in self._limits), default=1)
        self._calls: dict[Hashable, deque[float]] = {}

    def hit(self, key: Hashable) -> Headers:
        """Counts a call; returns the rate limit headers of its response (zulip.com/api/http-headers).

        Raises RATE_LIMIT_HIT, without counting, if a limit is reached.
        """
        if not self._limits:
            return {}
        now = self._clock.monotonic()
        if len(self._calls) > _MAX_KEYS:
            self._forget_idle(now)
        calls = self._calls.setdefault(key, deque(maxlen=self._most))
        self._forget_old(calls, now)
        for limit in self._limits:
            if len(calls) >= limit.requests and calls[-limit.requests] > now - limit.seconds:
                wait = calls[-limit.requests] + limit.seconds - now
                raise rate_limited(wait, self._headers(0, wait))
        calls.append(now)
        return self._headers(max(0, self._longest.requests - len(calls)), self._longest.seconds)

    def add(self, key: Hashable, calls: int) -> None:
        """Counts further calls of a key, beyond a limit too."""
        if self._limits and calls:
            counted = self._calls.setdefault(key, deque(maxlen=self._most))
            counted.extend([self._clock.monotonic()] * min(calls, self._most))

    def _headers(self, remaining: int, seconds: float) -> Headers:
        """Headers of the limit with the longest window; `seconds`: until a call is possible, or all have expired."""
        return {
            "X-RateLimit-Limit": str(self._longest.requests),
            "X-RateLimit-Remaining": str(remaining),
            "X-RateLimit-Reset": str(int(self._clock.now() + seconds)),
        }

    @property
    def size(self) -> int:
        """How many keys have counted calls."""
        return len(self._calls)

    def clear(self, key: Hashable) -> None:
        """Forgets the calls of a key."""
        self._calls.pop(key, None)

    def _forget_old(self, calls: deque[float], now: float) -> None:
        while calls and calls[0] <= now - self._longest.seconds:
            calls.popleft()

    def _forget_idle(self, now: float) -> None:
        """Drops keys without recent calls; if too many are left, also the half that called least recently."""
        recent = {
            key: calls
            for key, calls in self._calls.items()
            if calls and calls[-1] > now - self._longest.seconds
        }
        if len(recent) > _MAX_KEYS:
            by_age = sorted(recent, key=lambda key: recent[key][-1])
            recent = {key: recent[key] for key in by_age[len(by_age) // 2 :]}
        self._calls = recent


def rate_limited(seconds: float, headers: Headers | None = None) -> ServiceError:
    """RATE_LIMIT_HIT with the seconds to wait as a float, in body and header. `headers`: rate limit headers."""
    extra: dict[str, object] = {"retry-after": seconds}
    return ServiceError(
        "API usage exceeded rate limit",
        "RATE_LIMIT_HIT",
        429,
        headers={"Retry-After": str(seconds), **(headers or {})},
        **extra,
    )
