"""How long silence on the stream of events is believed.

There is doubt when the server's heartbeat is overdue. A server can also forget a poll that came at the same moment as
an event (Zulip's does, under load), and answer it no more: so there is doubt as well when something was done here and
nothing was told of it, and when it is quiet after something was told, at most once a minute.
"""

from __future__ import annotations

from collections.abc import Sequence

from narrowcast_api.clock import Clock

HEARTBEAT_SHARE = 2 / 3
"""The part of the time-out of a long poll that servers name within which a heartbeat comes: 45 to 55 s of 90."""

TOLD_WITHIN = 2.0
"""Seconds within which a server tells what was done here; looked at whenever the clocks are."""

QUIET_SECONDS = 5.0
"""Seconds of silence after an event, upon which a poll may have been forgotten."""

CHECK_EVERY = 60.0
"""Seconds between two questions for that reason."""


class Silence:
    """What is known of one stream that says nothing: a poll is listening, or something was done, or told, before."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._acted_at: float | None = None
        self._has_told = False
        self._checked_at = -CHECK_EVERY
        self.is_listening = False

    def listen(self, timeout: float, *, is_polled: bool) -> float:
        """A poll, or a wait for a WebSocket frame, begins; seconds after which there is doubt. `timeout` is what the
        server names for a poll, in seconds.
        """
        self.is_listening = True
        wait = timeout * HEARTBEAT_SHARE
        # The poll follows events, so that one more may come at the same moment.
        may_be_forgotten = self._has_told and is_polled
        if may_be_forgotten and self._clock.monotonic() - self._checked_at >= CHECK_EVERY:
            return min(wait, QUIET_SECONDS)
        return wait

    def acted(self) -> None:
        """The server has done what was asked for, and is about to tell of it."""
        if self.is_listening and self._acted_at is None:
            self._acted_at = self._clock.monotonic()

    def is_untold(self) -> bool:
        """Whether the server should have told by now of what was done; says so once."""
        if self._acted_at is None or self._clock.monotonic() - self._acted_at < TOLD_WITHIN:
            return False
        self._acted_at = None
        return True

    def settle(self) -> None:
        """The wait is over, however it ended: what was done before will be in what is asked for next, or came."""
        self.is_listening = False
        self._acted_at = None

    def told(self, events: Sequence[object]) -> None:
        """These events, as they travel, came by themselves."""
        self._has_told = self._has_told or any(map(_tells, events))

    def asked(self) -> None:
        """Events are asked for now."""
        self._has_told, self._checked_at = False, self._clock.monotonic()


def _tells(event: object) -> bool:
    return isinstance(event, dict) and event.get("type") != "heartbeat"
