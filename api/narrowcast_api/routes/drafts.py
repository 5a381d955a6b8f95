"""Drafts on the server, shared by a user's clients (DRF rows.

Listing, creating and deleting are outside them).

All of them are refused while the user's setting ``enable_drafts_synchronization`` is off.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import Connection
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.routes.common import Bound, Done, Group, ids, read, segment
from narrowcast_api.wire.drafts import CreatedDrafts, Draft, DraftList
from narrowcast_api.wire.vocabulary import DraftType


@dataclass(frozen=True, slots=True)
class NewDraft:
    """What a draft is to say, and to whom; no destination yet is None.

    `timestamp` is the time of the last edit in whole seconds since 1970; None takes the present.
    """

    destination: Destination | None
    content: str
    timestamp: int | None = None


async def list_drafts(connection: Connection) -> list[Draft]:
    """GET /drafts: all of the user's drafts, oldest first (outside the contract, DRF-17)."""
    return list(read(DraftList, await connection.request("GET", "/drafts")).drafts)


async def create_drafts(connection: Connection, *, drafts: Iterable[NewDraft | Draft]) -> list[int]:
    """POST /drafts: their ids, in the same order. Their event may come before this answer (DRF-17)."""
    written = [_as_wire(connection, draft) for draft in drafts]
    if not written:
        return []
    return list(read(CreatedDrafts, await connection.request("POST", "/drafts", {"drafts": written})).ids)


async def edit_draft(connection: Connection, *, draft_id: int, draft: NewDraft | Draft) -> Done:
    """PATCH /drafts/{draft_id}: replace a draft whole (DRF-01 to DRF-18).

    A draft that was fetched may be passed as it is: its id is left out (DRF-04), its topic too unless it goes
    to a channel (DRF-10). InvalidInput for null characters or a channel draft without exactly one channel;
    BadRequest (or NotFound) when there is no such draft of this user (DRF-15).
    """
    path = f"/drafts/{segment(draft_id, 'draft_id')}"
    return read(Done, await connection.request("PATCH", path, {"draft": _as_wire(connection, draft)}))


async def delete_draft(connection: Connection, *, draft_id: int) -> Done:
    """DELETE /drafts/{draft_id}; BadRequest (or NotFound) when it is gone already."""
    return read(Done, await connection.request("DELETE", f"/drafts/{segment(draft_id, 'draft_id')}"))


def _as_wire(connection: Connection, draft: NewDraft | Draft) -> dict[str, object]:
    kind, to, topic = _address(draft)
    if "\0" in topic or "\0" in draft.content:
        raise InvalidInput("a draft cannot hold null characters")
    seconds = connection.clock.now() if draft.timestamp is None else draft.timestamp
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not math.isfinite(seconds):
        raise InvalidInput("a draft's timestamp is in seconds")
    return {
        "type": kind,
        "to": to,
        "topic": topic,
        "content": draft.content,
        "timestamp": int(seconds),
    }


def _address(draft: NewDraft | Draft) -> tuple[DraftType, list[int], str]:
    if isinstance(draft, Draft):
        return _address_of_fetched(draft)
    match draft.destination:
        case ChannelDestination(channel_id, topic):
            return DraftType.STREAM, ids([channel_id], "channel_id"), topic
        case DirectDestination(user_ids):
            return DraftType.PRIVATE, sorted(ids(user_ids, "user_ids")), ""
        case _:
            return DraftType.UNADDRESSED, [], ""


def _address_of_fetched(draft: Draft) -> tuple[DraftType, list[int], str]:
    try:
        kind = DraftType(draft.type)
    except ValueError:
        raise InvalidInput("a draft's type is '', 'stream' or 'private'") from None
    if kind is DraftType.STREAM and len(draft.to) != 1:
        raise InvalidInput("a channel draft goes to exactly one channel")
    to = [] if kind is DraftType.UNADDRESSED else ids(draft.to, "to")
    return kind, to, draft.topic if kind is DraftType.STREAM else ""


class Drafts(Group):
    """Drafts."""

    list = Bound(list_drafts)
    create = Bound(create_drafts)
    edit = Bound(edit_draft)
    delete = Bound(delete_draft)
