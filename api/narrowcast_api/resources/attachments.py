"""Files that the current user has uploaded (outside the contract); `routes.uploads` uploads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from narrowcast_api.http.operations import Done, read, segment
from narrowcast_api.model.reading import RawRecord, ids, integer, required_int, rows, text
from narrowcast_api.resources.collection import Collection, EventHandlers
from narrowcast_api.wire.event import Event
from narrowcast_api.wire.model import GoodList, Int, WireModel, read_by

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection

_SECONDS_END = 10**11


class Attachment(NamedTuple):
    """A file that the current user uploaded, with the messages that link to it; `created` in UTC milliseconds."""

    id: int
    name: str
    path_id: str
    size: int
    created: int
    message_ids: tuple[int, ...]


def read_attachment(row: RawRecord) -> Attachment:
    """Reads the `attachment` of an event."""
    return Attachment(
        id=required_int(row, "id"),
        name=text(row, "name"),
        path_id=text(row, "path_id"),
        size=integer(row, "size"),
        created=_milliseconds(integer(row, "create_time")),
        message_ids=tuple(_message_ids(row)),
    )


def _message_ids(row: RawRecord) -> list[int]:
    """The ids of the messages; TODO(server-472): before, they were in objects."""
    if "message_ids" in row:
        return ids(row["message_ids"])
    return [integer(message, "id") for message in rows(row.get("messages"))]


def _milliseconds(moment: int) -> int:
    """Converts seconds, which servers from level 443 on send, to milliseconds. Events do not contain the
    level, but no file is older than 1974, so that the size of the number decides.
    """
    return moment * 1000 if moment < _SECONDS_END else moment


AttachmentRow = Annotated[Attachment, read_by(read_attachment)]


def collection() -> Collection[int, Attachment]:
    """The files in the state, as far as events reported them; the full list must be requested from the server."""
    return Collection("attachments", lambda attachment: attachment.id, read_attachment)


# events

handlers = EventHandlers[Collection[int, Attachment]]()


class AttachmentEvent(Event):
    """A file of the current user was added, changed (linked in messages) or removed (then only its id is valid)."""

    type: Literal["attachment"] = "attachment"
    op: Literal["add", "update", "remove"]
    attachment: AttachmentRow
    upload_space_used: Int = 0


@handlers.of(AttachmentEvent)
def _changed(attachments: Collection[int, Attachment], event: AttachmentEvent) -> None:
    if event.op == "remove":
        attachments.remove(event.attachment.id)
    else:
        attachments.put([event.attachment])


# operations


class AttachmentList(WireModel):
    """Response of GET /attachments; ``upload_space_used`` in bytes, of the whole organization."""

    attachments: GoodList[AttachmentRow] = []
    upload_space_used: Int = 0


async def list_attachments(connection: Connection) -> AttachmentList:
    """GET /attachments: the files that the current user has uploaded (outside the contract)."""
    return read(AttachmentList, await connection.request("GET", "/attachments"))


async def delete_attachment(connection: Connection, *, attachment_id: int) -> Done:
    """DELETE /attachments/{id}: delete one of the current user's files from the server (outside the contract)."""
    path = f"/attachments/{segment(attachment_id, 'attachment_id')}"
    return read(Done, await connection.request("DELETE", path))
