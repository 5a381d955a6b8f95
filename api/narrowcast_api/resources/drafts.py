"""Drafts that all clients of a user share (EVT-04, DRF rows; listing, creating and deleting are outside them).

The server rejects all operations if the user's setting `enable_drafts_synchronization` is off.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Struct

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.operations import Bound, Done, Operations, ids, read, segment
from narrowcast_api.model.reading import RawRecord, number, required_int, text
from narrowcast_api.narrow.destinations import (
    ChannelDestination,
    Destination,
    DirectDestination,
    others_only,
    read_destination,
)
from narrowcast_api.resources.collection import Collection, EventHandlers
from narrowcast_api.wire.event import Event
from narrowcast_api.wire.model import GoodList, Id, Int, WireModel, read_by
from narrowcast_api.wire.vocabulary import DraftType

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection


class DraftVersion(Struct, frozen=True):
    """The content and the destination of a draft, without its id. `destination` None: not chosen yet."""

    destination: Destination | None
    content: str


class ServerDraft(Struct, frozen=True):
    """A draft on the server; `timestamp` is the last edit in UTC seconds.

    After reading, a direct destination includes the current user: see `without`.
    """

    id: int
    version: DraftVersion
    timestamp: float

    @property
    def destination(self) -> Destination | None:
        return self.version.destination

    @property
    def content(self) -> str:
        return self.version.content

    def without(self, me: int) -> ServerDraft:
        """The draft with a destination as elsewhere: without the user `me`."""
        version = DraftVersion(others_only(self.destination, me), self.content)
        return ServerDraft(self.id, version, self.timestamp)

    def in_local_time(self, server_offset: float) -> ServerDraft:
        """The draft with its time on the local clock; the server's clock is `server_offset` seconds ahead."""
        return ServerDraft(self.id, self.version, self.timestamp - server_offset if self.timestamp else 0.0)


def read_draft(row: RawRecord) -> ServerDraft:
    """Reads a row of `drafts` (EVT-04)."""
    version = DraftVersion(read_destination(row), text(row, "content"))
    return ServerDraft(required_int(row, "id"), version, number(row, "timestamp", 0.0))


ServerDraftRow = Annotated[ServerDraft, read_by(read_draft)]


class DraftCollection(Collection[int, ServerDraft]):
    """The user's drafts in the state; destinations are as elsewhere, without the current user."""

    def __init__(self, me: int) -> None:
        super().__init__("drafts", lambda draft: draft.id, read_draft)
        self._me = me

    def put(self, records: Iterable[ServerDraft]) -> None:
        super().put(record.without(self._me) for record in records)


# events


handlers = EventHandlers[DraftCollection]()


class DraftsEvent(Event):
    """Base class of draft events (EVT-04)."""

    type: Literal["drafts"] = "drafts"


class DraftsAddEvent(DraftsEvent):
    """New drafts; may arrive before the response to the request that created them."""

    op: Literal["add"] = "add"
    drafts: GoodList[ServerDraftRow]


class DraftsUpdateEvent(DraftsEvent):
    """A changed draft, complete."""

    op: Literal["update"] = "update"
    draft: ServerDraftRow


class DraftsRemoveEvent(DraftsEvent):
    """A draft was deleted or sent."""

    op: Literal["remove"] = "remove"
    draft_id: Id


@handlers.of(DraftsAddEvent)
def _add(drafts: DraftCollection, event: DraftsAddEvent) -> None:
    drafts.put(event.drafts)


@handlers.of(DraftsUpdateEvent)
def _update(drafts: DraftCollection, event: DraftsUpdateEvent) -> None:
    drafts.put([event.draft])


@handlers.of(DraftsRemoveEvent)
def _remove(drafts: DraftCollection, event: DraftsRemoveEvent) -> None:
    drafts.remove(event.draft_id)


# operations


class DraftList(WireModel):
    """Response of GET /drafts, oldest first."""

    drafts: GoodList[ServerDraftRow] = []
    count: Int = 0


class CreatedDrafts(WireModel):
    """Response of POST /drafts: ids in the order of the request."""

    ids: list[Id]


async def list_drafts(connection: Connection) -> list[ServerDraft]:
    """GET /drafts: all of the user's drafts, oldest first (outside the contract, DRF-17)."""
    return list(read(DraftList, await connection.request("GET", "/drafts")).drafts)


async def create_drafts(
    connection: Connection, *, drafts: Iterable[DraftVersion], timestamp: float | None = None
) -> list[int]:
    """POST /drafts: create drafts; returns their ids, in the same order. Their event may arrive before the
    response (DRF-17).

    `timestamp` is the time of the last edit in seconds since 1970; None means now.
    """
    written = [_as_wire(connection, draft, timestamp) for draft in drafts]
    if not written:
        return []
    return list(read(CreatedDrafts, await connection.request("POST", "/drafts", {"drafts": written})).ids)


async def edit_draft(
    connection: Connection, *, draft_id: int, draft: DraftVersion, timestamp: float | None = None
) -> Done:
    """PATCH /drafts/{draft_id}: replace a draft completely (DRF-01 to DRF-18).

    The draft is sent without an id (DRF-04), and with a topic only if it is addressed to a channel (DRF-10).
    `timestamp` is the time of the last edit in seconds since 1970; None means now. Raises InvalidInput for
    null characters; BadRequest (or NotFound) if the user has no such draft (DRF-15).
    """
    path = f"/drafts/{segment(draft_id, 'draft_id')}"
    written = _as_wire(connection, draft, timestamp)
    return read(Done, await connection.request("PATCH", path, {"draft": written}))


async def delete_draft(connection: Connection, *, draft_id: int) -> Done:
    """DELETE /drafts/{draft_id}. Raises BadRequest (or NotFound) if it is already deleted."""
    return read(Done, await connection.request("DELETE", f"/drafts/{segment(draft_id, 'draft_id')}"))


def _as_wire(connection: Connection, draft: DraftVersion, timestamp: float | None) -> dict[str, object]:
    kind, to, topic = _address(draft)
    if "\0" in topic or "\0" in draft.content:
        raise InvalidInput("a draft cannot hold null characters")
    seconds = connection.clock.now() if timestamp is None else timestamp
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not math.isfinite(seconds):
        raise InvalidInput("a draft's timestamp is in seconds")
    return {
        "type": kind,
        "to": to,
        "topic": topic,
        "content": draft.content,
        "timestamp": int(seconds),
    }


def _address(draft: DraftVersion) -> tuple[DraftType, list[int], str]:
    match draft.destination:
        case ChannelDestination(channel_id, topic):
            return DraftType.STREAM, ids([channel_id], "channel_id"), topic
        case DirectDestination(user_ids):
            return DraftType.PRIVATE, sorted(ids(user_ids, "user_ids")), ""
        case _:
            return DraftType.UNADDRESSED, [], ""


class DraftOperations(Operations):
    """Drafts, synchronized between the user's devices."""

    list = Bound(list_drafts)
    create = Bound(create_drafts)
    edit = Bound(edit_draft)
    delete = Bound(delete_draft)
