"""The records of uploads: added, read, listed, removed. `actions.attachments` handles links from messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.queries.uploads import attachment_object, space_used
from narrowcast_server.uploads.files import FileKind, Folder

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


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


def _emit(organization: Organization, owner_id: int, operation: str, attachment: dict[str, object]) -> None:
    used = space_used(organization)
    event = {"type": "attachment", "op": operation, "attachment": attachment, "upload_space_used": used}
    organization.emit(event, [owner_id])
