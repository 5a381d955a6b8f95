"""Reports to the server that the user is present: POST /users/me/presence, at the interval that the server sets."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from narrowcast_api.alarm import Alarm
from narrowcast_api.clock import Clock
from narrowcast_api.errors import NarrowcastError

log = logging.getLogger(__name__)

IDLE_AFTER = 300.0
"""Seconds without a key after which the user counts as idle; chosen by each client, not sent by the server."""


class PresenceSender:
    """Call `key_pressed` whenever the user does anything.

    `post(active, new_user_input)` is the request; `period` is in seconds; it and `online` are called when
    needed. The end of idleness is reported at once.
    """

    def __init__(
        self,
        *,
        post: Callable[[bool, bool], Awaitable[None]],
        clock: Clock,
        period: Callable[[], float],
        online: Callable[[], bool],
    ) -> None:
        self._post = post
        self._clock = clock
        self._period = period
        self._online = online
        self._alarm = Alarm(clock)
        self._last_key = clock.monotonic()
        self._input = True
        self._reported: bool | None = None

    @property
    def active(self) -> bool:
        """Whether the user did something recently."""
        return self._clock.monotonic() - self._last_key < IDLE_AFTER

    def key_pressed(self) -> None:
        """Records that the user is active, for the next report."""
        self._last_key = self._clock.monotonic()
        self._input = True
        if self._reported is False:
            self._alarm.ring()

    def wake(self) -> None:
        """Reports now, because the connection is live again."""
        self._alarm.ring()

    async def run(self) -> None:
        """Reports once per period until cancelled."""
        while True:
            if self._online():
                await self._report()
            await self._alarm.wait(self._period())

    async def _report(self) -> None:
        active, new_input, self._input = self.active, self._input, False
        self._reported = active
        try:
            await self._post(active, new_input)
        except NarrowcastError as error:
            self._input = self._input or new_input
            log.debug("presence was not sent: %s", error)
