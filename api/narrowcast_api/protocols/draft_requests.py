"""The requests of drafts, and why some are not made. Cheap to import: routes are loaded with the first request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from narrowcast_api import permissions
from narrowcast_api.errors import MalformedResponse
from narrowcast_api.narrow.destinations import DirectDestination
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.resources.drafts import DraftVersion, ServerDraft


class DraftRequests:
    """POST, PATCH, DELETE and GET /drafts, for `Drafts`. Times are sent in the server's clock, so that wrong
    clocks of devices do not matter.
    """

    def __init__(self, context: SessionContext) -> None:
        self._context = context

    @property
    def enabled(self) -> bool:
        """Whether the user has enabled the synchronization of drafts."""
        return self._context.state.settings.flag("enable_drafts_synchronization", True)

    @property
    def possible(self) -> bool:
        """Whether requests may be made. Without a queue, edits on other devices are not received here, and would
        be overwritten.
        """
        return self._context.is_live and self._context.queue_id is not None

    @property
    def known_ids(self) -> list[int]:
        """The ids of the server's drafts that are in the state."""
        return [draft.id for draft in self._context.state.drafts.all()]

    async def create(self, version: DraftVersion, timestamp: float) -> int:
        """POST /drafts with one draft; returns its id."""
        ids = await self._context.client.drafts.create(
            drafts=[self._addressed(version)], timestamp=self._on_server(timestamp)
        )
        if not ids:
            raise MalformedResponse("no id of the new draft")
        return ids[0]

    async def edit(self, server_id: int, version: DraftVersion, timestamp: float) -> None:
        """PATCH /drafts/{draft_id} (DRF-01)."""
        await self._context.client.drafts.edit(
            draft_id=server_id, draft=self._addressed(version), timestamp=self._on_server(timestamp)
        )

    async def delete(self, server_id: int) -> None:
        """DELETE /drafts/{draft_id}."""
        await self._context.client.drafts.delete(draft_id=server_id)

    async def fetch(self) -> Sequence[ServerDraft]:
        drafts = await self._context.client.drafts.list()
        return self.in_local_time([draft.without(self._context.state.me) for draft in drafts])

    def in_local_time(self, drafts: Iterable[ServerDraft]) -> list[ServerDraft]:
        """Converts the times of server drafts to this machine's clock."""
        offset = self._context.state.presence.server_offset
        return [draft.in_local_time(offset) for draft in drafts]

    def refusal(self, version: DraftVersion) -> str | None:
        """Why the server would reject a draft with this destination, according to the state; None if it would not."""
        return permissions.draft_refusal(self._context.state, version.destination) or None

    def _on_server(self, timestamp: float) -> int:
        return max(0, int(timestamp + self._context.state.presence.server_offset))

    def _addressed(self, version: DraftVersion) -> DraftVersion:
        if version.destination == DirectDestination(frozenset()):
            # No recipients is not the same as a message to the current user.
            return DraftVersion(DirectDestination(frozenset({self._context.state.me})), version.content)
        return version
