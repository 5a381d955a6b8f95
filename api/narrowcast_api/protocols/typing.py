"""Tells other users that the current user is typing (TYP-21 to TYP-24, TYP-28), and ends what they tell (TYP-30).

    IDLE ──typed(X)──> TYPING X ──stop(), idle timer, typed(Y)──> IDLE (and on to TYPING Y)
      start X               │  stop X
                            └─ typed(X) past the started-wait: start X again

Nothing is sent if the user's privacy settings, the permissions in a channel or the server's level do not
allow it. Failures are not reported: a lost start or stop does not matter (TYP-19), because receivers have
expiry timers.
"""

from __future__ import annotations

import logging
from collections import deque
from typing import Literal

from msgspec import Struct

from narrowcast_api import permissions
from narrowcast_api.clock import Wakeup
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.narrow.destinations import Destination, DirectDestination
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.state.changes import Change, MessagesChanged, TypingChanged
from narrowcast_api.wire.levels import Gate

log = logging.getLogger(__name__)

TypingOp = Literal["start", "stop"]


class MessageEdit(Struct, frozen=True):
    """The typing target while the user edits a message (level 361)."""

    message_id: int

    @property
    def key(self) -> tuple[object, ...]:
        return ("edit", self.message_id)


TypingTarget = Destination | MessageEdit


class TypingSender:
    """Call `typed` for each key and `stop` when the text is empty, sent, cancelled or left.

    Requests are sent one after the other, so a stop never overtakes its start.
    """

    def __init__(self, context: SessionContext) -> None:
        self._context = context
        self._clock = context.clock
        self._wakeup = Wakeup(context.clock)
        self._target: TypingTarget | None = None
        self._started = 0.0
        self._last_key = 0.0
        self._outgoing: deque[tuple[TypingTarget, TypingOp]] = deque()

    @property
    def target(self) -> TypingTarget | None:
        """Where the user is reported to be typing."""
        return self._target

    def typed(self, destination: Destination) -> None:
        """A key changed the text of a message to `destination`."""
        self._typed(destination)

    def typed_edit(self, message_id: int) -> None:
        """A key changed the text of a message that is being edited."""
        self._typed(MessageEdit(message_id))

    def stop(self) -> None:
        """To be called when the text is empty, sent, cancelled or left. Sends nothing if no start was sent."""
        if self._target is not None:
            self._enqueue(self._target, "stop")
            self._target = None

    async def run(self) -> None:
        """Sends queued notifications and watches the idle time until cancelled."""
        while True:
            while self._outgoing:
                await self._send_next()
            await self._wakeup.wait(self._idle_in())
            if self._idle_in() == 0.0:
                self.stop()

    async def close(self) -> None:
        """Sends a last stop, if one is due. Bound it with a timeout."""
        self.stop()
        while self._outgoing:
            await self._send_next()

    def _typed(self, target: TypingTarget) -> None:
        now = self._clock.monotonic()
        if self._target is not None and (self._target.key != target.key or not self._allowed(target)):
            self.stop()
        if not self._allowed(target):
            return
        self._last_key = now
        if self._target is None or now - self._started >= self._context.state.limits.typing_started_wait:
            self._target, self._started = target, now
            self._enqueue(target, "start")

    def _allowed(self, target: TypingTarget) -> bool:
        """Whether others may know (TYP-28, privacy settings, permission to post)."""
        state = self._context.state
        if not self._context.is_live:
            return False
        if not isinstance(target, MessageEdit):
            return self._is_shared(target)
        message = state.messages.get(target.message_id)
        if message is None or not state.supports(Gate.TYPING_EDIT):
            return False
        return self._is_shared(message.destination(state.me))

    def _is_shared(self, destination: Destination) -> bool:
        state = self._context.state
        if isinstance(destination, DirectDestination):
            is_on = state.settings.flag("send_private_typing_notifications", True)
            return is_on and bool(destination.user_ids)
        return (
            state.settings.flag("send_stream_typing_notifications", True)
            and state.supports(Gate.CHANNEL_TYPING)
            and not permissions.channel_write_refusal(state, destination.channel_id)
            and not permissions.topic_refusal(state, destination.channel_id, destination.topic)
        )

    def _idle_in(self) -> float | None:
        """Seconds until the pause in typing is long enough for a stop; None if nothing was started."""
        if self._target is None:
            return None
        pause = self._context.state.limits.typing_stopped_wait
        return max(0.0, self._last_key + pause - self._clock.monotonic())

    def _enqueue(self, target: TypingTarget, op: TypingOp) -> None:
        if self._outgoing and op == "stop" and self._outgoing[-1] == (target, "start"):
            self._outgoing.pop()  # the start has not been sent yet, so neither is needed
        else:
            self._outgoing.append((target, op))
        self._wakeup.set()

    async def _send_next(self) -> None:
        target, op = self._outgoing.popleft()
        typing = self._context.client.typing
        try:
            if isinstance(target, MessageEdit):
                await typing.set_edit(op=op, message_id=target.message_id)
            else:
                await typing.set(op=op, to=target)
        except NarrowcastError as error:
            log.debug("typing %s was not sent: %s", op, error)


class TypingExpiry:
    """Removes the typing notifications of others that have expired. `run` is a task of the session."""

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
