"""Tables and rows of journal.db: what they hold, and how they are read back."""

from __future__ import annotations

import os
from pathlib import Path

from narrowcast_api.model.drafts import DraftVersion
from narrowcast_api.storage.codec import destination_from_text, destination_to_text
from narrowcast_api.storage.records import (
    Draft,
    FileStamp,
    OutboxRecord,
    OutboxState,
    UploadRecord,
    UploadState,
)

Row = tuple[object, ...]

MIGRATIONS = (
    (
        """CREATE TABLE outbox (
            local_id TEXT PRIMARY KEY, position INTEGER NOT NULL, destination TEXT NOT NULL,
            content TEXT NOT NULL, state TEXT NOT NULL, created REAL NOT NULL, error TEXT,
            floor_id INTEGER, tried INTEGER NOT NULL) STRICT""",
        """CREATE TABLE drafts (
            draft_id TEXT PRIMARY KEY, destination TEXT, content TEXT NOT NULL, edited REAL NOT NULL,
            server_id INTEGER, has_base INTEGER NOT NULL, base_destination TEXT, base_content TEXT,
            dirty INTEGER NOT NULL, deleted INTEGER NOT NULL, posting INTEGER NOT NULL,
            conflict_with TEXT) STRICT""",
    ),
    ("CREATE TABLE read_marks (message_id INTEGER PRIMARY KEY) STRICT",),
    (
        """CREATE TABLE uploads (
            upload_id TEXT PRIMARY KEY, position INTEGER NOT NULL, path TEXT NOT NULL, destination TEXT,
            draft_id TEXT, size INTEGER, changed INTEGER, resume_from TEXT, state TEXT NOT NULL,
            error TEXT, link TEXT) STRICT""",
    ),
)

TABLES = {"outbox": 9, "drafts": 12, "read_marks": 1, "uploads": 11}
"""Each table and how many columns it has."""

KEYS = {"outbox": "local_id", "drafts": "draft_id", "read_marks": "message_id", "uploads": "upload_id"}
"""Each table and its first column, the primary key."""


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


def draft_row(record: Draft) -> Row:
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


def draft_record(row: Row) -> Draft | None:
    """A row as its draft; None if it cannot be read."""
    texts = [value if isinstance(value, str) else None for value in row]
    draft_id, edited, server_id = texts[0], row[3], row[4]
    if draft_id is None or not isinstance(edited, float):
        return None
    base = DraftVersion(destination_from_text(texts[6]), texts[7] or "") if row[5] else None
    return Draft(
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


def upload_row(record: UploadRecord) -> Row:
    """A file on its way as its row."""
    stamp = record.stamp
    return (
        record.upload_id,
        record.position,
        # Names need not be text; the bytes come back with `fsdecode`.
        os.fsencode(record.path).hex(),
        destination_to_text(record.destination),
        record.draft_id,
        None if stamp is None else bounded(stamp.size),
        None if stamp is None else bounded(stamp.changed),
        record.resume_from,
        record.state.value,
        record.error,
        record.link,
    )


def upload_record(row: Row) -> UploadRecord | None:
    """A row as its file; None if it cannot be read."""
    texts = [value if isinstance(value, str) else None for value in row]
    position, size, changed = row[1], row[5], row[6]
    upload_id, path, state = texts[0], texts[2], texts[8]
    if upload_id is None or path is None or state is None or not isinstance(position, int):
        return None
    stamp = FileStamp(size, changed) if isinstance(size, int) and isinstance(changed, int) else None
    try:
        return UploadRecord(
            upload_id,
            position,
            Path(os.fsdecode(bytes.fromhex(path))),
            destination_from_text(texts[3]),
            texts[4],
            stamp,
            texts[7],
            UploadState(state),
            texts[9],
            texts[10],
        )
    except ValueError:
        return None


def bounded(number: int | None) -> int | None:
    """Ids come from a server, which may say anything; SQLite has 64 bits."""
    return number if number is not None and abs(number) < 2**63 else None


def storable(text: str) -> str:
    """SQLite takes no lone surrogates, which a terminal can produce from bytes that are not UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
