"""Watches the stream of events: decides how long it may be silent before the connection is in doubt.

The connection is in doubt when the server's heartbeat is overdue. A server can also lose a poll that arrived
at the same moment as an event (Zulip's does, under load), and never respond to it. So it is also in doubt when an
action was carried out for which no event arrives, and, at most once a minute, when the stream is quiet after
an event.
"""

from __future__ import annotations

from collections.abc import Sequence

from narrowcast_api.clock import Clock

HEARTBEAT_SHARE = 2 / 3
"""The share of the server's long-poll timeout within which a heartbeat arrives: 45 to 55 s of 90."""

EVENT_WITHIN = 2.0
"""Seconds within which a server sends the event of an action; checked whenever the clocks are."""

QUIET_SECONDS = 5.0
"""Seconds of silence after an event, after which a poll may have been lost."""

CHECK_EVERY = 60.0
"""Seconds between two checks for that reason."""


class Watchdog:
    """What is known of a silent stream: whether a poll is pending, and whether an action or an event came before."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._acted_at: float | None = None
        self._has_received = False
        self._checked_at = -CHECK_EVERY
        self.is_listening = False

    def start_wait(self, timeout: float, *, is_polled: bool) -> float:
        """Records the start of a poll, or of a wait for a WebSocket frame; returns the seconds after which
        the connection is in doubt. `timeout` is the server's timeout of a poll, in seconds.
        """
        self.is_listening = True
        wait = timeout * HEARTBEAT_SHARE
        # The poll follows events, so another event may arrive at the same moment.
        may_be_forgotten = self._has_received and is_polled
        if may_be_forgotten and self._clock.monotonic() - self._checked_at >= CHECK_EVERY:
            return min(wait, QUIET_SECONDS)
        return wait

    def action_done(self) -> None:
        """Records that the server has carried out an action, for which it will send an event."""
        if self.is_listening and self._acted_at is None:
            self._acted_at = self._clock.monotonic()

    def is_event_overdue(self) -> bool:
        """Whether the event of an action is overdue; returns True only once per action."""
        if self._acted_at is None or self._clock.monotonic() - self._acted_at < EVENT_WITHIN:
            return False
        self._acted_at = None
        return True

    def end_wait(self) -> None:
        """Records that the wait is over, however it ended: events of earlier actions have arrived, or will be
        in the next response.
        """
        self.is_listening = False
        self._acted_at = None

    def received(self, events: Sequence[object]) -> None:
        """Records the raw events of a response that was not explicitly asked for."""
        self._has_received = self._has_received or any(map(_is_event, events))

    def polled(self) -> None:
        """Records that events are requested without waiting now."""
        self._has_received, self._checked_at = False, self._clock.monotonic()


def _is_event(event: object) -> bool:
    return isinstance(event, dict) and event.get("type") != "heartbeat"
