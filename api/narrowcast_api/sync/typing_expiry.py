"""Removes typing notifications that have expired (TYP-30)."""

from __future__ import annotations

from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.state.changes import Change, MessagesChanged, TypingChanged
from narrowcast_api.wakeup import Wakeup


class TypingExpiry:
    """`run` is a task of the session; `wake` makes it compute the next expiry again."""

    def __init__(self, context: SessionContext) -> None:
        self._context = context
        self._clock = context.clock
        self._wakeup = Wakeup(context.clock)

    def wake(self) -> None:
        """Computes the time of the next expiry again."""
        self._wakeup.set()

    async def run(self) -> None:
        """Removes expired typing notifications until cancelled."""
        while True:
            due = self._context.state.typing.next_expiry()
            await self._wakeup.wait(None if due is None else max(0.0, due - self._clock.monotonic()))
            destinations, edited = self._context.state.typing.expire(self._clock.monotonic())
            changes: list[Change] = [TypingChanged(destination) for destination in destinations]
            if edited:
                changes.append(MessagesChanged(tuple(edited)))
            if changes:
                self._context.publish(*changes)
