"""Hides those whose last sign of typing is too old (TYP-30)."""

from __future__ import annotations

from typing import Protocol

from narrowcast_api.clock import Clock
from narrowcast_api.protocols.alarm import Alarm
from narrowcast_api.state.changes import Change, MessagesChanged, TypingChanged
from narrowcast_api.state.state import State


class Owner(Protocol):
    """The session, as far as this needs it."""

    @property
    def state(self) -> State: ...

    def publish(self, *changes: Change) -> None: ...


class TypingExpiry:
    """`run` is a task of the session; `ring` says that somebody types, whose expiry has to be watched."""

    def __init__(self, owner: Owner, clock: Clock) -> None:
        self._owner = owner
        self._clock = clock
        self._alarm = Alarm(clock)

    def ring(self) -> None:
        """Reckon anew when the next sign of typing is too old."""
        self._alarm.ring()

    async def run(self) -> None:
        """Expires for ever."""
        while True:
            due = self._owner.state.typing.next_expiry()
            await self._alarm.wait(None if due is None else max(0.0, due - self._clock.monotonic()))
            destinations, edited = self._owner.state.typing.expire(self._clock.monotonic())
            changes: list[Change] = [TypingChanged(destination) for destination in destinations]
            if edited:
                changes.append(MessagesChanged(tuple(edited)))
            if changes:
                self._owner.publish(*changes)
