"""The requests of the outbox. Cheap to import: routes and HTTP are loaded with the first request."""

from __future__ import annotations

from collections.abc import Sequence

from narrowcast_api.errors import REJECTED
from narrowcast_api.http.operations import OMIT
from narrowcast_api.model.messages import Message
from narrowcast_api.narrow.destinations import Destination
from narrowcast_api.narrow.narrow import Narrow, Term
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.protocols.outbox_item import FoundMessage

_SEARCH_LIMIT = 100


class OutboxRequests:
    """Sending a message, and looking for one whose outcome is unknown. Both raise `NarrowcastError`."""

    def __init__(self, context: SessionContext) -> None:
        self._context = context

    async def send(
        self,
        destination: Destination,
        content: str,
        *,
        local_id: str,
        queue_id: str | None,
    ) -> int:
        """POST /messages: returns the new message's id."""
        sent = await self._context.client.messages.send(
            to=destination,
            content=content,
            # A local id is only valid for one queue.
            local_id=OMIT if queue_id is None else local_id,
            queue_id=OMIT if queue_id is None else queue_id,
            read_by_sender=True,
        )
        return sent.id

    async def find(self, destination: Destination, after_id: int) -> Sequence[FoundMessage]:
        """GET /messages: the current user's last messages in a conversation, with ids greater than `after_id`, as they
        were sent.
        """
        state = self._context.state
        own = Term("sender", frozenset({state.me}))
        narrow = Narrow((*Narrow.from_destination(destination).terms, own))
        page = await self._context.client.messages.list(
            narrow=narrow.to_wire(state.server, state, state.me),
            num_before=_SEARCH_LIMIT,
            apply_markdown=False,
        )
        return [
            await self._as_sent(message)
            for message in page.messages
            if message.id > after_id and message.sender_id == state.me
        ]

    async def _as_sent(self, message: Message) -> FoundMessage:
        """The message with its first text: if it was edited, from GET /messages/{message_id}/history."""
        if message.edited_at is None:
            return FoundMessage(message.id, message.content)
        try:
            history = (await self._context.client.messages.history(message_id=message.id)).message_history
        except REJECTED:
            history = []  # the organization does not show it
        first = history[0].content if history else message.content  # some organizations only show moves
        return FoundMessage(message.id, first, is_original=first != message.content)
