"""Tables and rows of journal.db, their conversion to records and back, and pending writes of rows."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from narrowcast_api.characters import encodable
from narrowcast_api.narrow.destinations import Destination
from narrowcast_api.resources.drafts import DraftVersion
from narrowcast_api.storage.codec import destination_from_text, destination_to_text
from narrowcast_api.storage.records import (
    ActionRecord,
    Draft,
    Edit,
    OutboxMessage,
    StatusEndRecord,
    UploadRecord,
)

log = logging.getLogger(__name__)

JournalRow = tuple[object, ...]
Key = tuple[str, str]
"""Table and primary key of one row."""
Record = TypeVar("Record")

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
    (
        "ALTER TABLE outbox ADD COLUMN owner TEXT",
        "ALTER TABLE uploads ADD COLUMN owner TEXT",
        "ALTER TABLE drafts ADD COLUMN revision TEXT",
        "UPDATE drafts SET revision = draft_id",
        "CREATE TABLE sent (message_id INTEGER PRIMARY KEY) STRICT",
    ),
    (
        """CREATE TABLE acts (
            act_id TEXT PRIMARY KEY, position INTEGER NOT NULL, message_id INTEGER NOT NULL, flag TEXT,
            emoji_name TEXT, emoji_code TEXT, reaction_type TEXT, is_on INTEGER NOT NULL, owner TEXT) STRICT""",
    ),
    (
        """CREATE TABLE status_end (
            name TEXT PRIMARY KEY, at REAL NOT NULL, text TEXT NOT NULL, emoji_name TEXT NOT NULL) STRICT""",
    ),
    (
        """CREATE TABLE edits (
            edit_id TEXT PRIMARY KEY, message_id INTEGER NOT NULL, original TEXT NOT NULL, content TEXT NOT NULL,
            destination TEXT, owner TEXT) STRICT""",
    ),
    (
        "ALTER TABLE outbox ADD COLUMN unknown INTEGER NOT NULL DEFAULT 0",
        # Before, only the error message said so.
        "UPDATE outbox SET unknown = 1 WHERE state = 'failed' AND error LIKE 'It is not known whether this arrived: %'",
    ),
    ("ALTER TABLE drafts ADD COLUMN generation INTEGER NOT NULL DEFAULT 0",),
    ("ALTER TABLE drafts ADD COLUMN missing_since REAL",),
)

_OUTBOX = "local_id position destination content state created error floor_id tried unknown owner"
_DRAFTS = (
    "draft_id destination content edited server_id has_base base_destination base_content dirty deleted posting"
    " conflict_with generation missing_since revision"
)
_UPLOADS = "upload_id position path destination draft_id size changed resume_from state error link owner"
_ACTS = "act_id position message_id flag emoji_name emoji_code reaction_type is_on owner"

COLUMNS: Mapping[str, Sequence[str]] = {
    "outbox": _OUTBOX.split(),
    "drafts": _DRAFTS.split(),
    "read_marks": ["message_id"],
    "uploads": _UPLOADS.split(),
    "sent": ["message_id"],
    "acts": _ACTS.split(),
    "status_end": ["name", "at", "text", "emoji_name"],
    "edits": ["edit_id", "message_id", "original", "content", "destination", "owner"],
}
"""Each table and its columns, the primary key first and the guard column (`GUARDS`) last."""

GUARDS = {"outbox": "owner", "uploads": "owner", "acts": "owner", "drafts": "revision"}
"""The column whose value must be the known one for a row to be written; otherwise another window was faster."""

UNREADABLE = "\N{REPLACEMENT CHARACTER}"
"""Replaces bytes of a damaged file that are not UTF-8."""

OWNED = tuple(table for table, guard in GUARDS.items() if guard == "owner")
"""Tables in which each row belongs to one window."""


def outbox_row(record: OutboxMessage) -> JournalRow:
    return (
        record.local_id,
        record.position,
        destination_to_text(record.destination),
        encodable(record.content),
        record.state.value,
        record.created,
        record.error,
        bounded(record.floor_id),
        int(record.tried),
        int(record.unknown),
        record.owner,
    )


def outbox_record(row: JournalRow) -> OutboxMessage | None:
    """Returns the message of a row; None if it cannot be read."""
    values = _columns("outbox", row)
    return _record(OutboxMessage, {**values, "destination": _destination(values["destination"])})


def draft_of_damaged(row: JournalRow) -> Draft | None:
    """Returns a draft with the text of a message that must not be sent as it is, because its row was damaged;
    None if it can be sent.
    """
    values = _columns("outbox", row)
    content, destination = str(values["content"]), str(values["destination"])
    if UNREADABLE not in content + destination and outbox_record(row) is not None:
        return None
    version = DraftVersion(_destination(destination), content)
    return Draft(f"unsent {values['local_id']}", version, float(str(values["created"])))


def draft_row(record: Draft) -> JournalRow:
    base = record.base
    return (
        record.draft_id,
        destination_to_text(record.version.destination),
        encodable(record.version.content),
        record.edited,
        bounded(record.server_id),
        int(base is not None),
        None if base is None else destination_to_text(base.destination),
        None if base is None else encodable(base.content),
        int(record.dirty),
        int(record.deleted),
        int(record.posting),
        record.conflict_with,
        record.generation,
        record.missing_since,
        record.revision,
    )


def draft_record(row: JournalRow) -> Draft | None:
    """Returns the draft of a row; None if it cannot be read. A draft with an unreadable destination keeps its text."""
    values = _columns("drafts", row)
    version = {"destination": _destination(values["destination"]), "content": values["content"]}
    base = {
        "destination": _destination(values["base_destination"]),
        "content": values["base_content"] or "",
    }
    return _record(Draft, {**values, "version": version, "base": base if values["has_base"] else None})


def upload_row(record: UploadRecord) -> JournalRow:
    """Returns the row of an upload."""
    stamp = record.stamp
    return (
        record.upload_id,
        record.position,
        # File names need not be text; `fsdecode` restores the bytes.
        os.fsencode(record.path).hex(),
        destination_to_text(record.destination),
        record.draft_id,
        None if stamp is None else bounded(stamp.size),
        None if stamp is None else bounded(stamp.changed),
        record.resume_from,
        record.state.value,
        record.error,
        record.link,
        record.owner,
    )


def upload_record(row: JournalRow) -> UploadRecord | None:
    """Returns the upload of a row; None if it cannot be read."""
    values = _columns("uploads", row)
    destination = _destination(values["destination"])
    stamp = {"size": values["size"], "changed": values["changed"]}
    return _record(
        UploadRecord,
        {**values, "destination": destination, "stamp": None if None in stamp.values() else stamp},
    )


def act_row(record: ActionRecord) -> JournalRow:
    """Returns the row of an action on a message."""
    return (
        record.act_id,
        record.position,
        bounded(record.message_id),
        record.flag,
        record.emoji_name,
        record.emoji_code,
        record.reaction_type,
        int(record.is_on),
        record.owner,
    )


def act_record(row: JournalRow) -> ActionRecord | None:
    """Returns the action of a row; None if it cannot be read."""
    return _record(ActionRecord, _columns("acts", row))


def edit_key(edit: Edit) -> str:
    """The key of an edit's row: two windows may edit the same message."""
    return f"{edit.message_id} {edit.owner}"


def edit_row(edit: Edit) -> JournalRow:
    """Returns the row of an unsaved edit."""
    return (
        edit_key(edit),
        bounded(edit.message_id),
        encodable(edit.original),
        encodable(edit.content),
        destination_to_text(edit.destination),
        edit.owner,
    )


def edit_record(row: JournalRow) -> Edit | None:
    """Returns the edit of a row; None if it cannot be read."""
    values = _columns("edits", row)
    return _record(Edit, {**values, "destination": _destination(values["destination"])})


STATUS_END = "own"
"""The key of the only row of its table."""


def status_end_row(record: StatusEndRecord) -> JournalRow:
    """Returns the row of the end of a status."""
    return (STATUS_END, record.at, encodable(record.text), record.emoji_name)


def status_end_record(row: JournalRow) -> StatusEndRecord | None:
    """Returns the end of a status from a row; None if it cannot be read."""
    return _record(StatusEndRecord, _columns("status_end", row))


def _columns(table: str, row: JournalRow) -> dict[str, object]:
    return dict(zip(COLUMNS[table], row, strict=True))


def _destination(text: object) -> Destination | None:
    try:
        return destination_from_text(text) if isinstance(text, str) else None
    except ValueError:
        return None


def _record(kind: type[Record], values: Mapping[str, object]) -> Record | None:
    try:
        return msgspec.convert(values, kind, strict=False, dec_hook=_path)
    except ValueError as error:
        log.error("a row of the journal cannot be read: %s", error)
        return None


def _path(kind: type, value: object) -> object:
    # File names need not be text: their bytes are stored as hexadecimal digits.
    if kind is not Path or not isinstance(value, str):
        raise ValueError(f"not a value of {kind.__name__}")
    return Path(os.fsdecode(bytes.fromhex(value)))


def bounded(number: int | None) -> int | None:
    """Returns None for ids from a server that do not fit into SQLite's 64 bits."""
    return number if number is not None and abs(number) < 2**63 else None


def insert(
    table: str, row: JournalRow, columns: Sequence[str] | None = None, *, replacing: bool = True
) -> tuple[str, JournalRow]:
    """The statement that writes a row; `columns` are by default those of `COLUMNS`."""
    instead = "REPLACE" if replacing else "IGNORE"
    columns = columns or COLUMNS[table]
    places = ", ".join("?" * len(columns))
    return f"INSERT OR {instead} INTO {table} ({', '.join(columns)}) VALUES ({places})", row


class Write(Struct, frozen=True):
    """One row to write, or None to delete it.

    If `guarded`, it is only written over a row whose guard (`GUARDS`) is `expects`; if `fresh`, there is no
    row yet.
    """

    row: JournalRow | None
    fresh: bool = False
    guarded: bool = False
    expects: object = None

    def after(self, earlier: Write) -> Write:
        """Returns the write that replaces an earlier pending one of the same row."""
        if earlier.row is None or not self.guarded:
            return self
        if self.expects != earlier.row[-1]:
            return self  # it is based on a row that was read since
        fresh = earlier.fresh and self.row is not None
        return Write(self.row, fresh, earlier.guarded, earlier.expects)


def combined(earlier: Mapping[Key, Write], later: Mapping[Key, Write]) -> dict[Key, Write]:
    """Returns both, as long as none of the earlier ones has been executed."""
    both = dict(earlier)
    for key, write in later.items():
        before = both.pop(key, None)
        both[key] = write if before is None else write.after(before)
    return both


def carry_out(connection: sqlite3.Connection, key: Key, write: Write) -> bool:
    """Executes one write; returns False if another window was faster."""
    table, name = key
    if write.row is not None and (write.fresh or not write.guarded):
        connection.execute(*insert(table, write.row))
        return True
    columns = COLUMNS[table]
    where = f"{columns[0]} = ?"
    if not write.guarded:
        connection.execute(f"DELETE FROM {table} WHERE {where}", (name,))
        return True
    guard = f"{where} AND {GUARDS[table]} IS ?"
    if write.row is None:
        connection.execute(f"DELETE FROM {table} WHERE {guard}", (name, write.expects))
        left = connection.execute(f"SELECT 1 FROM {table} WHERE {where}", (name,)).fetchone()
        return left is None
    values = ", ".join(f"{column} = ?" for column in columns)
    made = connection.execute(f"UPDATE {table} SET {values} WHERE {guard}", (*write.row, name, write.expects))
    return made.rowcount == 1
