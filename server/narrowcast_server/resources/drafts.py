"""Drafts that the clients of a user share (rows DRF). Edits are not merged: the last one wins.

Listing, creating and deleting are outside the contract (DRF-17).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import DraftType
from narrowcast_server.http.params import mapping, objects, required
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.checks import (
    check_dict,
    check_integer,
    check_list,
    check_string,
)
from narrowcast_server.organization.errors import ServiceError, field_missing
from narrowcast_server.organization.models import User
from narrowcast_server.organization.personal import switched_on
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.resources.owned import OwnedTable
from narrowcast_server.rules.access import readable_channel
from narrowcast_server.rules.quotas import check_room
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_DRAFTS: Final = OwnedTable("drafts", "Draft does not exist")
_KEYS: Final = {"type", "to", "topic", "content", "timestamp"}


def draft_object(row: Row) -> dict[str, object]:
    """A draft in lists and events."""
    return {
        "id": row["id"],
        "type": row["type"],
        "to": json.loads(row["recipients"]),
        "topic": row["topic"],
        "content": row["content"],
        "timestamp": row["timestamp"],
    }


def drafts_of(organization: Organization, user: User) -> list[dict[str, object]]:
    """A user's drafts, oldest first."""
    rows = organization.store.all("SELECT * FROM drafts WHERE user_id = ? ORDER BY timestamp, id", user.id)
    return [draft_object(row) for row in rows]


@dataclass(frozen=True, slots=True)
class DraftFields:
    """A checked draft; `timestamp` in UTC seconds, or None for the current time."""

    type: DraftType
    to: list[int]
    topic: str
    content: str
    timestamp: int | None


def checked_draft(name: str, raw: object) -> DraftFields:
    """Reads a draft object of a request (DRF-03 to DRF-14); raises BAD_REQUEST if it is invalid."""
    fields = check_dict(name, raw)
    for key in sorted(fields.keys() - _KEYS):
        raise ServiceError(f'Argument "{key}" at {name}["{key}"] is unexpected')
    for key in ("type", "to", "topic", "content"):
        if key not in fields:
            raise field_missing(f'{name}["{key}"]')
    kind = check_string(f'{name}["type"]', fields["type"])
    if kind not in set(DraftType):
        raise ServiceError(f'Invalid {name}["type"]')
    recipients = check_list(f'{name}["to"]', fields["to"])
    to = [check_integer(f'{name}["to"][{index}]', item) for index, item in enumerate(recipients)]
    topic = check_string(f'{name}["topic"]', fields["topic"])
    content = check_string(f'{name}["content"]', fields["content"]).strip()
    if not content:
        raise ServiceError(f'{name}["content"] cannot be blank')
    if "\x00" in topic:
        raise ServiceError("Topic must not contain null bytes")
    if "\x00" in content:
        raise ServiceError("Message must not contain null bytes")
    stamp = fields.get("timestamp")
    timestamp = None if stamp is None else _checked_time(name, stamp)
    return _by_type(DraftType(kind), to, topic, content, timestamp)


def _checked_time(name: str, raw: object) -> int:
    if isinstance(raw, float) and isfinite(raw):
        raw = int(raw)
    seconds = check_integer(f'{name}["timestamp"]', raw)
    if seconds <= 0:
        raise ServiceError("Timestamp must not be negative.")
    return seconds


def _by_type(kind: DraftType, to: list[int], topic: str, content: str, timestamp: int | None) -> DraftFields:
    if kind is DraftType.STREAM:
        if len(to) != 1:
            raise ServiceError("Must specify exactly 1 channel ID for channel messages")
        return DraftFields(kind, to, topic, content, timestamp)
    return DraftFields(kind, to if kind is DraftType.PRIVATE else [], "", content, timestamp)


def require_synchronization(user: User) -> None:
    """Raises BAD_REQUEST if the user has turned off the synchronization of drafts."""
    if not switched_on(user, "enable_drafts_synchronization"):
        raise ServiceError("User has disabled synchronizing drafts.")


def create_drafts(organization: Organization, user: User, drafts: list[DraftFields]) -> list[int]:
    """Stores drafts; returns their ids in the same order."""
    require_synchronization(user)
    check_room(organization, user, "drafts", len(drafts))
    _check_length(organization, user, drafts)
    for draft in drafts:
        _check_recipients(organization, user, draft)
    ids = [
        organization.store.insert(
            "INSERT INTO drafts (user_id, type, recipients, topic, content, timestamp) VALUES (?, ?, ?, ?, ?, ?)",
            user.id,
            *_columns(organization, draft),
        )
        for draft in drafts
    ]
    if ids:
        rows = [draft_object(_DRAFTS.row(organization, identity, user)) for identity in ids]
        organization.emit({"type": "drafts", "op": "add", "drafts": rows}, [user.id])
    return ids


def edit_draft(organization: Organization, user: User, draft_id: int, draft: DraftFields) -> None:
    """Replaces a draft (DRF-01)."""
    require_synchronization(user)
    _DRAFTS.row(organization, draft_id, user)
    _check_length(organization, user, [draft], replaced=draft_id)
    _check_recipients(organization, user, draft)
    organization.store.execute(
        "UPDATE drafts SET type = ?, recipients = ?, topic = ?, content = ?, timestamp = ? WHERE id = ?",
        *_columns(organization, draft),
        draft_id,
    )
    changed = draft_object(_DRAFTS.row(organization, draft_id, user))
    organization.emit({"type": "drafts", "op": "update", "draft": changed}, [user.id])


def _check_length(
    organization: Organization, user: User, drafts: list[DraftFields], replaced: int = 0
) -> None:
    there = organization.store.integer(
        "SELECT sum(length(content) + length(topic) + length(recipients)) FROM drafts WHERE user_id = ? AND id != ?",
        user.id,
        replaced,
    )
    adding = sum(len(draft.content) + len(draft.topic) + 8 * len(draft.to) for draft in drafts)
    limit = organization.config.quotas.draft_characters
    if (there or 0) + adding > limit:
        raise ServiceError(
            f"Your drafts are too long together (limit: {limit} characters). Delete some of them."
        )


def _check_recipients(organization: Organization, user: User, draft: DraftFields) -> None:
    for identity in draft.to:
        if draft.type is DraftType.STREAM:
            readable_channel(organization, user, identity)
        elif organization.users.get(identity) is None:
            raise ServiceError(f"Invalid user ID {identity}")


def _columns(organization: Organization, draft: DraftFields) -> tuple[str, str, str, str, int]:
    timestamp = organization.now() if draft.timestamp is None else draft.timestamp
    return draft.type.value, json.dumps(draft.to), draft.topic, draft.content, timestamp


def remove_draft(organization: Organization, user: User, draft_id: int) -> None:
    require_synchronization(user)
    _DRAFTS.remove(organization, draft_id, user)
    organization.emit({"type": "drafts", "op": "remove", "draft_id": draft_id}, [user.id])


def forget_drafts(organization: Organization, user: User) -> None:
    """Deletes a user's drafts, without events: for users who turn off the synchronization."""
    organization.store.execute("DELETE FROM drafts WHERE user_id = ?", user.id)


MAX_DRAFTS: Final = 1000


@part("drafts")
def drafts(request: Snapshot) -> dict[str, object]:
    """The caller's drafts, newest first; empty if the user does not synchronize drafts."""
    if not switched_on(request.user, "enable_drafts_synchronization"):
        return {"drafts": []}
    return {"drafts": drafts_of(request.organization, request.user)[::-1][:MAX_DRAFTS]}


routes = Routes()

DRAFT = required("draft", mapping)
DRAFTS = required("drafts", objects)


@routes.get("/drafts")
def get_drafts(call: Call) -> ResponseBody:
    """The caller's drafts, oldest first."""
    require_synchronization(call.user)
    rows = drafts_of(call.organization, call.user)
    return {"count": len(rows), "drafts": rows}


@routes.post("/drafts", DRAFTS)
def post_drafts(call: Call) -> ResponseBody:
    checked = [checked_draft(f"drafts[{index}]", raw) for index, raw in enumerate(call[DRAFTS])]
    return {"ids": create_drafts(call.organization, call.user, checked)}


@routes.patch("/drafts/{draft_id}", DRAFT)
def patch_draft(call: Call) -> ResponseBody:
    """Replaces a draft (DRF-01)."""
    edit_draft(call.organization, call.user, call.path_id("draft_id"), checked_draft("draft", call[DRAFT]))
    return {}


@routes.delete("/drafts/{draft_id}")
def delete_draft(call: Call) -> ResponseBody:
    remove_draft(call.organization, call.user, call.path_id("draft_id"))
    return {}
