"""Uploads and the messages that link to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.levels import Gate
from narrowcast_server.organization.models import User
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_MAX_MESSAGES: Final = 100


def attachment_object(organization: Organization, attachment_id: int) -> dict[str, object]:
    """An upload in lists and events, with the newest messages that link to it; times in milliseconds below level
    443.
    """
    unit = 1 if organization.level >= Gate.FILE_TIMES_IN_SECONDS.level else 1000
    row = organization.store.one("SELECT * FROM attachments WHERE id = ?", attachment_id)
    assert row is not None
    messages = organization.store.all(
        "SELECT m.id, m.timestamp FROM message_attachments a JOIN messages m ON m.id = a.message_id"
        " WHERE a.attachment_id = ? ORDER BY m.id DESC LIMIT ?",
        attachment_id,
        _MAX_MESSAGES,
    )
    return {
        "id": row["id"],
        "name": row["name"],
        "path_id": row["path_id"],
        "size": row["size"],
        "create_time": row["created"] * unit,
        "messages": [
            {"id": message["id"], "date_sent": message["timestamp"] * unit} for message in reversed(messages)
        ],
    }


def space_used(organization: Organization) -> int:
    """Size of all uploads of the organization, in bytes."""
    return organization.store.integer("SELECT coalesce(sum(size), 0) FROM attachments") or 0


def row_by_path(organization: Organization, path_id: str) -> Row | None:
    """An upload by its path id."""
    return organization.store.one("SELECT * FROM attachments WHERE path_id = ?", path_id)


def attachments_of(organization: Organization, user: User) -> list[dict[str, object]]:
    """A user's uploads, oldest first."""
    mine = organization.store.integers("SELECT id FROM attachments WHERE owner_id = ? ORDER BY id", user.id)
    return [attachment_object(organization, identity) for identity in mine]
