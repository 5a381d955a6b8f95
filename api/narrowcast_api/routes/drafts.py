"""Drafts on the server, shared by all clients of a user (DRF rows; listing, creating and deleting are outside them).

The server rejects all operations if the user's setting ``enable_drafts_synchronization`` is off.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import Bound, Done, Group, ids, read, segment
from narrowcast_api.model.drafts import DraftVersion, ServerDraft
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.wire.drafts import CreatedDrafts, DraftList
from narrowcast_api.wire.vocabulary import DraftType


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


class Drafts(Group):
    """Drafts, synchronized between the user's devices."""

    list = Bound(list_drafts)
    create = Bound(create_drafts)
    edit = Bound(edit_draft)
    delete = Bound(delete_draft)
