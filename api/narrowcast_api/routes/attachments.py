"""The caller's uploaded files (outside the contract, CONV-23)."""

from __future__ import annotations

from narrowcast_api.connection import Connection
from narrowcast_api.routes.common import Bound, Done, Group, read, segment
from narrowcast_api.wire.organization import AttachmentList


async def list_attachments(connection: Connection) -> AttachmentList:
    """GET /attachments: files with the messages that link to them, and the bytes that all uploads use."""
    return read(AttachmentList, await connection.request("GET", "/attachments"))


async def delete_attachment(connection: Connection, *, attachment_id: int) -> Done:
    """DELETE /attachments/{attachment_id}: links to it break at once; BadRequest when it is not one's own."""
    path = f"/attachments/{segment(attachment_id, 'attachment_id')}"
    return read(Done, await connection.request("DELETE", path))


class Attachments(Group):
    """Uploaded files."""

    list = Bound(list_attachments)
    delete = Bound(delete_attachment)
