"""The records of uploads: added, read, listed, removed. `actions.attachments` handles links from messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.queries.uploads import attachment_object, space_used
from narrowcast_server.uploads.files import FileKind, Folder

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def add_attachment(core: Core, owner: User, path_id: str, name: str, size: int, kind: FileKind) -> int:
    """Records an upload whose bytes are stored. Only its owner can open it until a message links to it."""
    identity = core.store.insert(
        "INSERT INTO attachments (path_id, name, owner_id, size, content_type, created, width, height)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        path_id,
        name,
        owner.id,
        size,
        kind.content_type,
        core.now(),
        kind.width,
        kind.height,
    )
    _emit(core, owner.id, "add", attachment_object(core, identity))
    return identity


def remove_attachment(core: Core, user: User, identity: int) -> None:
    """Deletes an upload of the user; its bytes are removed after the commit."""
    row = core.store.one("SELECT * FROM attachments WHERE id = ? AND owner_id = ?", identity, user.id)
    if row is None:
        raise ServiceError("Invalid attachment")
    core.store.execute("DELETE FROM attachments WHERE id = ?", identity)
    _emit(core, user.id, "remove", {"id": identity})
    path_id: str = row["path_id"]
    core.after_commit(lambda: Folder(core).remove(path_id))


def _emit(core: Core, owner_id: int, operation: str, attachment: dict[str, object]) -> None:
    used = space_used(core)
    event = {"type": "attachment", "op": operation, "attachment": attachment, "upload_space_used": used}
    core.emit(event, [owner_id])
