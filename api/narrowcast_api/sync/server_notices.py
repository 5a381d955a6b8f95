"""Turns what the server reports beside its responses into messages for the user, without repeating them too often."""

from __future__ import annotations

from collections.abc import Callable

from narrowcast_api.clock import Clock
from narrowcast_api.http.connection import Connection
from narrowcast_api.state.changes import Change, ServerNotice

REPEAT_AFTER = 60.0
"""Seconds after which the notice about rate limiting is repeated."""

MIN_REPORTED_PAUSE = 2.0
"""Shorter pauses, in seconds, are not reported."""


class ServerNotices:
    """Publishes what a connection reports through its hooks."""

    def __init__(self, publish: Callable[[Change], None], clock: Clock) -> None:
        self._publish = publish
        self._clock = clock
        self._told: set[tuple[str, str, tuple[str, ...]]] = set()
        self._slow_until = 0.0

    def attach(self, connection: Connection) -> None:
        """Sets the hooks of a connection."""
        connection.on_ignored = self._ignored
        connection.on_rate_limited = self._limited

    def _ignored(self, method: str, path: str, names: tuple[str, ...]) -> None:
        if (method, path, names) in self._told:
            return
        self._told.add((method, path, names))
        self._publish(
            ServerNotice(
                f"The server does not know {', '.join(names)} and ignored it: "
                f"a part of the request was not carried out ({method} {path})."
            )
        )

    def _limited(self, seconds: float) -> None:
        now = self._clock.monotonic()
        if seconds < MIN_REPORTED_PAUSE or now < self._slow_until:
            return
        self._slow_until = now + max(seconds, REPEAT_AFTER)
        self._publish(ServerNotice(f"The server is limiting requests: they wait for {seconds:.0f} s."))
