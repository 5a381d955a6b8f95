"""Reports to the server that the user is present: POST /users/me/presence, at the interval that the server sets."""

from __future__ import annotations

import logging

from narrowcast_api.clock import Wakeup
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.resources.presence import PresenceResponse
from narrowcast_api.state.changes import PresenceChanged
from narrowcast_api.wire.vocabulary import PresenceStatus

log = logging.getLogger(__name__)

IDLE_AFTER = 300.0
"""Seconds without a key after which the user counts as idle; chosen by each client, not sent by the server."""


class PresenceSender:
    """Call `key_pressed` whenever the user does anything.

    The end of idleness is reported at once. Bots are not reported, as servers reject that.
    """

    def __init__(self, context: SessionContext) -> None:
        self._context = context
        self._clock = context.clock
        self._wakeup = Wakeup(context.clock)
        self._last_key = context.clock.monotonic()
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
            self._wakeup.set()

    def wake(self) -> None:
        """Reports now, because the connection is live again."""
        self._wakeup.set()

    async def run(self) -> None:
        """Reports once per period until cancelled."""
        while True:
            if self._context.is_live and not self._context.state.is_bot:
                await self._report()
            await self._wakeup.wait(self._context.state.limits.presence_ping_interval)

    async def _report(self) -> None:
        active, new_input, self._input = self.active, self._input, False
        self._reported = active
        try:
            response = await self._context.client.presence.update(
                status=PresenceStatus.ACTIVE if active else PresenceStatus.IDLE,
                new_user_input=new_input,
                last_update_id=self._context.state.presence.last_update_id,
            )
        except NarrowcastError as error:
            self._input = self._input or new_input
            log.debug("presence was not sent: %s", error)
        else:
            self._take_in(response)

    def _take_in(self, response: PresenceResponse) -> None:
        """Takes the presence of others that changed since the last report, and the server's time."""
        presence = self._context.state.presence
        if response.server_timestamp is not None:
            presence.server_offset = response.server_timestamp - self._clock.now()
        if response.presence_last_update_id is not None:
            presence.last_update_id = max(presence.last_update_id, response.presence_last_update_id)
        if news := presence.merge_seen(response.by_user_id()):
            self._context.publish(PresenceChanged(news))
