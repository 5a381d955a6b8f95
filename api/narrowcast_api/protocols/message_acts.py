"""What one does to a message shows at once; the server's event confirms it, and a refusal takes it back.

An act is shown as the event that will follow from it. The state takes an event twice without harm, so that the
foretold one and the true one need no matching. Cheap to import: the events are loaded with the first act.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol
from weakref import WeakValueDictionary

from narrowcast_api.errors import ReactionAlreadyExists, ReactionDoesNotExist
from narrowcast_api.model.messages import Reaction

if TYPE_CHECKING:
    from narrowcast_api.wire.events import Event


class ActRequests(Protocol):
    """The requests behind the acts."""

    async def change_flag(self, message_id: int, flag: str, on: bool) -> None:
        """POST /messages/flags."""

    async def change_reaction(self, message_id: int, reaction: Reaction, on: bool) -> None:
        """POST or DELETE /messages/{message_id}/reactions."""


class MessageActs:
    """The acts on messages that are under way; those on one message are sent one after the other."""

    def __init__(self, *, requests: ActRequests, show: Callable[[Event], object]) -> None:
        self._requests = requests
        self._show = show
        self._queues: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    def flag(self, message_id: int, flag: str, on: bool) -> Awaitable[None]:
        """Shows one of one's own flags set or cleared; what is returned sends it. Raises `NarrowcastError`."""
        from narrowcast_api.wire.events import UpdateMessageFlagsEvent

        def event(on: bool) -> Event:
            return UpdateMessageFlagsEvent(op="add" if on else "remove", flag=flag, messages=[message_id])

        return self._act(message_id, event, on, lambda: self._requests.change_flag(message_id, flag, on))

    def reaction(self, message_id: int, reaction: Reaction, on: bool) -> Awaitable[None]:
        """Shows a reaction of one's own added or removed; what is returned sends it. Raises `NarrowcastError`."""
        from narrowcast_api.wire.events import ReactionEvent

        def event(on: bool) -> Event:
            return ReactionEvent(op="add" if on else "remove", message_id=message_id, reaction=reaction)

        def request() -> Awaitable[None]:
            return self._requests.change_reaction(message_id, reaction, on)

        return self._act(message_id, event, on, request)

    def _act(
        self,
        message_id: int,
        event: Callable[[bool], Event],
        on: bool,
        request: Callable[[], Awaitable[None]],
    ) -> Awaitable[None]:
        self._show(event(on))
        return self._send(message_id, event, on, request)

    async def _send(
        self,
        message_id: int,
        event: Callable[[bool], Event],
        on: bool,
        request: Callable[[], Awaitable[None]],
    ) -> None:
        queue = self._queues.get(message_id)
        if queue is None:
            queue = self._queues[message_id] = asyncio.Lock()
        try:
            async with queue:
                await request()
        except (ReactionAlreadyExists, ReactionDoesNotExist):
            pass  # another of one's clients was faster: what is shown is true
        except BaseException:
            self._show(event(not on))
            raise
