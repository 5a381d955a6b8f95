"""Removes typing notifications that have expired (TYP-30)."""

from __future__ import annotations

from narrowcast_api.alarm import Alarm
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.state.changes import Change, MessagesChanged, TypingChanged


class TypingExpiry:
    """`run` is a task of the session; `ring` makes it compute the next expiry again."""

    def __init__(self, context: SessionContext) -> None:
        self._context = context
        self._clock = context.clock
        self._alarm = Alarm(context.clock)

    def ring(self) -> None:
        """Computes the time of the next expiry again."""
        self._alarm.ring()

    async def run(self) -> None:
        """Removes expired typing notifications until cancelled."""
        while True:
            due = self._context.state.typing.next_expiry()
            await self._alarm.wait(None if due is None else max(0.0, due - self._clock.monotonic()))
            destinations, edited = self._context.state.typing.expire(self._clock.monotonic())
            changes: list[Change] = [TypingChanged(destination) for destination in destinations]
            if edited:
                changes.append(MessagesChanged(tuple(edited)))
            if changes:
                self._context.publish(*changes)
