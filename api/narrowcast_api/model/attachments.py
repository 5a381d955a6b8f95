"""Files that the current user uploaded."""

from __future__ import annotations

from typing import NamedTuple

from narrowcast_api.model.reading import RawRecord, ids, integer, required_int, rows, text


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


_SECONDS_END = 10**11
