"""A gate for all requests of an account, closed while the server limits the rate (LIM-01)."""

from __future__ import annotations

import random
from collections.abc import Callable
from weakref import WeakValueDictionary

from narrowcast_api.clock import Clock, SystemClock
from narrowcast_api.errors import RateLimited

_JITTER_SECONDS = 1.0
_INSTANT = 0.001
"""Seconds below which a remainder is a rounding error, for which `enter` does not sleep again."""


class RateGate:
    """Open by default; `close` closes it for the seconds of a Retry-After, `enter` waits until it is open.

    Each waiting request continues after a random delay of up to a second, so that the account does not reach
    the limit again at once. The server counts requests for events separately, which `bucket` selects.
    """

    def __init__(self, clock: Clock, jitter: Callable[[], float] = random.random) -> None:
        self._clock = clock
        self._jitter = jitter
        self._opens: dict[str, float] = {}

    def remaining(self, bucket: str = "") -> float:
        """Seconds until the gate opens; 0 when it is open."""
        return max(0.0, self._opens.get(bucket, 0.0) - self._clock.monotonic())

    def close(self, seconds: float, bucket: str = "") -> None:
        """Closes it for that long from now; never shortens a longer wait."""
        opens = self._clock.monotonic() + max(0.0, seconds)
        self._opens[bucket] = max(self._opens.get(bucket, 0.0), opens)

    async def enter(self, patience: float, bucket: str = "") -> float:
        """Waits until it is open; returns the seconds waited. Raises RateLimited at once if that would exceed
        `patience`.
        """
        waited = 0.0
        while (remaining := self.remaining(bucket)) > _INSTANT:
            if waited + remaining > patience:
                raise RateLimited(remaining)
            pause = remaining + self._jitter() * _JITTER_SECONDS
            await self._clock.sleep(pause)
            waited += pause
        return waited


_gates: WeakValueDictionary[tuple[str, str, object], RateGate] = WeakValueDictionary()


def shared_gate(site: str, email: str, clock: Clock) -> RateGate:
    """The gate that all connections of one account in this process share."""
    key = (site, email, SystemClock if isinstance(clock, SystemClock) else clock)
    gate = _gates.get(key)
    if gate is None:
        gate = _gates[key] = RateGate(clock)
    return gate
