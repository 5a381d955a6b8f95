"""Rows of journal.db: what they hold, and how they are read back."""

from __future__ import annotations

from narrowcast_api.storage.codec import destination_from_text, destination_to_text
from narrowcast_api.storage.records import DraftRecord, DraftVersion, OutboxRecord, OutboxState

Row = tuple[object, ...]


def outbox_row(record: OutboxRecord) -> Row:
    """A message as its row."""
    return (
        record.local_id,
        record.position,
        destination_to_text(record.destination),
        storable(record.content),
        record.state.value,
        record.created,
        record.error,
        bounded(record.floor_id),
        int(record.tried),
    )


def outbox_record(row: Row) -> OutboxRecord | None:
    """A row as its message; None if it cannot be read."""
    match row:
        case (str(local_id), int(position), str(where), str(content), str(state), float(created), *rest):
            error, floor_id, tried = rest
            destination = destination_from_text(where)
            if destination is None:
                return None
            return OutboxRecord(
                local_id,
                position,
                destination,
                content,
                OutboxState(state),
                created,
                error if isinstance(error, str) else None,
                floor_id if isinstance(floor_id, int) else None,
                bool(tried),
            )
    return None


def draft_row(record: DraftRecord) -> Row:
    """A draft as its row."""
    base = record.base
    return (
        record.draft_id,
        destination_to_text(record.version.destination),
        storable(record.version.content),
        record.edited,
        bounded(record.server_id),
        int(base is not None),
        None if base is None else destination_to_text(base.destination),
        None if base is None else storable(base.content),
        int(record.dirty),
        int(record.deleted),
        int(record.posting),
        record.conflict_with,
    )


def draft_record(row: Row) -> DraftRecord | None:
    """A row as its draft; None if it cannot be read."""
    texts = [value if isinstance(value, str) else None for value in row]
    draft_id, edited, server_id = texts[0], row[3], row[4]
    if draft_id is None or not isinstance(edited, float):
        return None
    base = DraftVersion(destination_from_text(texts[6]), texts[7] or "") if row[5] else None
    return DraftRecord(
        draft_id=draft_id,
        version=DraftVersion(destination_from_text(texts[1]), texts[2] or ""),
        edited=edited,
        server_id=server_id if isinstance(server_id, int) else None,
        base=base,
        dirty=bool(row[8]),
        deleted=bool(row[9]),
        posting=bool(row[10]),
        conflict_with=texts[11],
    )


def bounded(number: int | None) -> int | None:
    """Ids come from a server, which may say anything; SQLite has 64 bits."""
    return number if number is not None and abs(number) < 2**63 else None


def storable(text: str) -> str:
    """SQLite takes no lone surrogates, which a terminal can produce from bytes that are not UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
