"""The records of uploads, and the messages that link to them, whose readers may then fetch them (UPL-09)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.levels import Gate
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Message, User
from narrowcast_server.rules.uploads import may_fetch
from narrowcast_server.storage.store import Row
from narrowcast_server.uploads.files import FileKind, Folder

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


def add_attachment(
    organization: Organization, owner: User, path_id: str, name: str, size: int, kind: FileKind
) -> int:
    """Records an upload whose bytes are stored. Only its owner can open it until a message links to it."""
    identity = organization.store.insert(
        "INSERT INTO attachments (path_id, name, owner_id, size, content_type, created, width, height)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        path_id,
        name,
        owner.id,
        size,
        kind.content_type,
        organization.now(),
        kind.width,
        kind.height,
    )
    _emit(organization, owner.id, "add", attachment_object(organization, identity))
    return identity


def remove_attachment(organization: Organization, user: User, identity: int) -> None:
    """Deletes an upload of the user; its bytes are removed after the commit."""
    row = organization.store.one("SELECT * FROM attachments WHERE id = ? AND owner_id = ?", identity, user.id)
    if row is None:
        raise ServiceError("Invalid attachment")
    organization.store.execute("DELETE FROM attachments WHERE id = ?", identity)
    _emit(organization, user.id, "remove", {"id": identity})
    path_id: str = row["path_id"]
    organization.after_commit(lambda: Folder(organization).remove(path_id))


def claim_attachments(
    organization: Organization, sender: User, message: Message, path_ids: Sequence[str]
) -> None:
    """Links to a message those uploads that its sender may fetch, and notifies their owners."""
    for path_id in path_ids:
        row = organization.store.one("SELECT id, owner_id FROM attachments WHERE path_id = ?", path_id)
        if row is None or not may_fetch(organization, sender, row["id"]):
            continue
        is_new = organization.store.execute(
            "INSERT OR IGNORE INTO message_attachments (message_id, attachment_id) VALUES (?, ?)",
            message.id,
            row["id"],
        )
        if not is_new:
            continue
        _emit(organization, row["owner_id"], "update", attachment_object(organization, row["id"]))


def release_attachments(organization: Organization, message: Message, path_ids: Sequence[str]) -> None:
    """Removes the links of a message to all uploads but these."""
    organization.store.execute(
        "DELETE FROM message_attachments WHERE message_id = ? AND attachment_id NOT IN"
        " (SELECT id FROM attachments WHERE path_id IN (SELECT value FROM json_each(?)))",
        message.id,
        json.dumps(path_ids),
    )


def _emit(organization: Organization, owner_id: int, operation: str, attachment: dict[str, object]) -> None:
    used = space_used(organization)
    event = {"type": "attachment", "op": operation, "attachment": attachment, "upload_space_used": used}
    organization.emit(event, [owner_id])
