"""Hides those whose last sign of typing is too old (TYP-30)."""

from __future__ import annotations

from narrowcast_api.clock import Clock
from narrowcast_api.protocols.alarm import Alarm
from narrowcast_api.state.changes import Change, MessagesChanged, TypingChanged
from narrowcast_api.sync.host import ServiceHost


class TypingExpiry:
    """`run` is a task of the session; `ring` says that somebody types, whose expiry has to be watched."""

    def __init__(self, session: ServiceHost, clock: Clock) -> None:
        self._session = session
        self._clock = clock
        self._alarm = Alarm(clock)

    def ring(self) -> None:
        """Reckon anew when the next sign of typing is too old."""
        self._alarm.ring()

    async def run(self) -> None:
        """Expire those who stopped without a word, for ever."""
        while True:
            due = self._session.state.typing.next_expiry()
            await self._alarm.wait(None if due is None else max(0.0, due - self._clock.monotonic()))
            destinations, edited = self._session.state.typing.expire(self._clock.monotonic())
            changes: list[Change] = [TypingChanged(destination) for destination in destinations]
            if edited:
                changes.append(MessagesChanged(tuple(edited)))
            if changes:
                self._session.publish(*changes)
