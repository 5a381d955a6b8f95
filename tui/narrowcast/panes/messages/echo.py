"""What one does to a message shows at once; the server's event confirms it, and a refusal takes it back.

The state's handlers take the same event twice without harm, so the foretold event and the true one need no matching.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from narrowcast_api.errors import ReactionAlreadyExists, ReactionDoesNotExist

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session

Fields = Mapping[str, object]


class Echo:
    """The acts on messages of one session that are under way."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._queues: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    def flag(self, message_id: int, flag: str, on: bool) -> Awaitable[None]:
        """Set or clear one of one's own flags."""
        op = "add" if on else "remove"
        fields = {"type": "update_message_flags", "flag": flag, "messages": [message_id]}
        change = self._session.client.flags.change
        return self._act(message_id, fields, on, lambda: change(message_ids=[message_id], op=op, flag=flag))

    def reaction(
        self, message_id: int, reaction_type: str, code: str, name: str, on: bool
    ) -> Awaitable[None]:
        """Add or remove a reaction of one's own."""
        reactions = self._session.client.reactions
        act = reactions.add if on else reactions.remove
        names = {"emoji_name": name, "emoji_code": code, "reaction_type": reaction_type}
        fields = {"type": "reaction", "message_id": message_id, "user_id": self._session.state.me, **names}
        return self._act(
            message_id,
            fields,
            on,
            lambda: act(message_id=message_id, emoji_name=name, emoji_code=code, reaction_type=reaction_type),
        )

    def _act(
        self, message_id: int, fields: Fields, on: bool, request: Callable[[], Awaitable[object]]
    ) -> Awaitable[None]:
        """Show it now; what is returned sends it, after what was done to the same message before."""
        self._show(fields, on)
        return self._send(message_id, fields, on, request)

    async def _send(
        self, message_id: int, fields: Fields, on: bool, request: Callable[[], Awaitable[object]]
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
            self._show(fields, not on)
            raise

    def _show(self, fields: Fields, on: bool) -> None:
        from narrowcast_api.wire.events import parse_event

        event = parse_event({**fields, "id": 0, "op": "add" if on else "remove"})
        self._session.publish(*self._session.state.apply(event))
