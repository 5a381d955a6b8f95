"""The requests of the services, made with the routes; and what they need to know of the state.

Cheap to import: routes and HTTP are loaded with the first request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from narrowcast_api import permissions
from narrowcast_api.errors import REJECTED, MalformedResponse
from narrowcast_api.http.operations import OMIT
from narrowcast_api.model.drafts import DraftVersion, ServerDraft
from narrowcast_api.model.messages import Message, Reaction
from narrowcast_api.narrow.destinations import Destination, DirectDestination
from narrowcast_api.narrow.narrow import Narrow, Term
from narrowcast_api.protocols.outbox_item import FoundMessage, MessageLimits
from narrowcast_api.routes.uploads import markdown_link, upload_file

if TYPE_CHECKING:
    from narrowcast_api.client import Client
    from narrowcast_api.state.state import State

_SEARCH_LIMIT = 100


class RouteRequests:
    """For `Outbox`, `ReadMarks`, `MessageActs` and `UploadQueue`.

    `client` and `state` are called at each use, because the state is replaced during a session.
    """

    def __init__(self, client: Callable[[], Client], state: Callable[[], State]) -> None:
        self._client = client
        self._state = state

    # outbox

    async def send(
        self,
        destination: Destination,
        content: str,
        *,
        local_id: str,
        queue_id: str | None,
        read_by_sender: bool,
    ) -> int:
        sent = await self._client().messages.send(
            to=destination,
            content=content,
            # A local id is only valid for one queue.
            local_id=OMIT if queue_id is None else local_id,
            queue_id=OMIT if queue_id is None else queue_id,
            read_by_sender=read_by_sender,
        )
        return sent.id

    async def find(self, destination: Destination, after_id: int) -> Sequence[FoundMessage]:
        """GET /messages: the current user's last messages in the conversation, as they were sent."""
        state = self._state()
        own = Term("sender", frozenset({state.me}))
        narrow = Narrow((*Narrow.from_destination(destination).terms, own))
        page = await self._client().messages.list(
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
            history = (await self._client().messages.history(message_id=message.id)).message_history
        except REJECTED:
            history = []  # the organization does not show it
        first = history[0].content if history else message.content  # some organizations only show moves
        return FoundMessage(message.id, first, is_original=first != message.content)

    def limits(self) -> MessageLimits:
        """The length limits of a message."""
        limits = self._state().limits
        return MessageLimits(limits.max_message_length, limits.max_topic_length)

    # read marks

    async def mark_read(self, message_ids: Sequence[int]) -> None:
        await self._client().flags.change(message_ids=message_ids, op="add", flag="read")

    # acts on messages

    async def change_flag(self, message_id: int, flag: str, on: bool) -> None:
        await self._client().flags.change(message_ids=[message_id], op="add" if on else "remove", flag=flag)

    async def change_reaction(self, message_id: int, reaction: Reaction, on: bool) -> None:
        """POST or DELETE /messages/{message_id}/reactions."""
        reactions = self._client().reactions
        await (reactions.add if on else reactions.remove)(
            message_id=message_id,
            emoji_name=reaction.emoji_name,
            emoji_code=reaction.emoji_code,
            reaction_type=reaction.reaction_type,
        )

    async def has_reaction(self, message_id: int, reaction: Reaction) -> bool | None:
        """GET /messages/{message_id}: whether a user's reaction is there; None on servers that send only the source."""
        message = (await self._client().messages.get(message_id=message_id)).message
        if message is None:
            return None
        return any(
            (other.key, other.user_id) == (reaction.key, reaction.user_id) for other in message.reactions
        )

    # uploads

    async def upload(
        self,
        path: Path,
        *,
        progress: Callable[[int, int], None],
        resume_from: str | None,
        resumable: Callable[[str], None],
    ) -> str:
        """POST /user_uploads, or tus for large files; returns the Markdown link."""
        connection = self._client().connection
        done = await upload_file(
            connection, path=path, progress=progress, resume_from=resume_from, resumable=resumable
        )
        return markdown_link(done.filename or path.name, done.url)

    # drafts

    def drafts_enabled(self) -> bool:
        """Whether the user has enabled the synchronization of drafts."""
        return self._state().settings.flag("enable_drafts_synchronization", True)


class DraftRoutes:
    """POST, PATCH, DELETE and GET /drafts, for `Drafts`. Times are sent in the server's clock, so that wrong
    clocks of devices do not matter.
    """

    def __init__(self, client: Callable[[], Client], state: Callable[[], State]) -> None:
        self._client = client
        self._state = state

    async def create(self, version: DraftVersion, timestamp: float) -> int:
        """POST /drafts with one draft; returns its id."""
        ids = await self._client().drafts.create(
            drafts=[self._addressed(version)], timestamp=self._on_server(timestamp)
        )
        if not ids:
            raise MalformedResponse("no id of the new draft")
        return ids[0]

    async def edit(self, server_id: int, version: DraftVersion, timestamp: float) -> None:
        """PATCH /drafts/{draft_id} (DRF-01)."""
        await self._client().drafts.edit(
            draft_id=server_id, draft=self._addressed(version), timestamp=self._on_server(timestamp)
        )

    async def delete(self, server_id: int) -> None:
        """DELETE /drafts/{draft_id}."""
        await self._client().drafts.delete(draft_id=server_id)

    async def fetch(self) -> Sequence[ServerDraft]:
        drafts = await self._client().drafts.list()
        return self.in_local_time([draft.without(self._state().me) for draft in drafts])

    def in_local_time(self, drafts: Iterable[ServerDraft]) -> list[ServerDraft]:
        """Converts the times of server drafts to this machine's clock."""
        offset = self._state().presence.server_offset
        return [draft.in_local_time(offset) for draft in drafts]

    def refusal(self, version: DraftVersion) -> str | None:
        """Why the server would reject a draft with this destination, according to the state; None if it would not."""
        return permissions.draft_refusal(self._state(), version.destination) or None

    def _on_server(self, timestamp: float) -> int:
        return max(0, int(timestamp + self._state().presence.server_offset))

    def _addressed(self, version: DraftVersion) -> DraftVersion:
        if version.destination == DirectDestination(frozenset()):
            # No recipients is not the same as a message to the current user.
            return DraftVersion(DirectDestination(frozenset({self._state().me})), version.content)
        return version
