"""The file of the journal: opened in any condition, with the readable rows of a damaged one."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from narrowcast_api.storage.database import (
    DATABASE_ERRORS,
    OPENING_ERRORS,
    connect,
    connect_memory,
    connect_read_only,
    damage,
    describe,
    is_damage,
    remove,
    set_aside,
    transaction,
)
from narrowcast_api.storage.journal_rows import (
    COLUMNS,
    MIGRATIONS,
    JournalRow,
    draft_of_damaged,
    draft_row,
    outbox_record,
)

Key = tuple[str, str]
"""Table and primary key of one row."""


def open_for_writing(path: Path) -> tuple[sqlite3.Connection, str | None]:
    """Opens the file; if that fails, returns a journal in memory and a warning for the user. A damaged file
    is set aside, and its readable rows are taken over.
    """
    try:
        return _open_checked(path), None
    except OPENING_ERRORS as error:
        return _salvage(path) if is_damage(error) else _in_memory(error)


def open_for_reading(path: Path | None) -> tuple[sqlite3.Connection, str | None]:
    """Opens the file that other windows write; an empty journal in memory if it cannot be read, or for None.
    The warning says that the file is damaged.
    """
    warning = None
    if path is not None:
        try:
            if path.exists() and not _has_content(path):
                raise damage("the file is empty")
            connection = connect_read_only(path, MIGRATIONS)
            with _closed_on_error(connection):
                rows_of(connection)
            return connection, None
        except OPENING_ERRORS as error:
            if is_damage(error):
                warning = "The journal of drafts is damaged: its drafts and unsent messages cannot be read."
    return connect_memory(MIGRATIONS), warning


def reopen(path: Path) -> sqlite3.Connection:
    """Opens the file with which another window replaced a damaged one. Raises `OPENING_ERRORS`."""
    return connect(path, synchronous="FULL", migrations=MIGRATIONS)


def replace_file(path: Path, broken: int) -> tuple[sqlite3.Connection, Path | None]:
    """Replaces the file with inode `broken` by a new one; returns it and the path of the old one, None if
    another window has replaced it. Raises `OPENING_ERRORS`.
    """
    with _alone(path):
        damaged = set_aside(path) if inode(path) == broken else None
        return reopen(path), damaged


def inode(path: Path) -> int:
    """Distinguishes a file from one that replaced it; 0 if there is none."""
    try:
        return os.stat(path).st_ino  # noqa: PTH116 - every window asks for this several times a second
    except OSError:
        return 0


def rows_of(connection: sqlite3.Connection) -> dict[Key, JournalRow]:
    """Every row of the file, by table and key."""
    return {
        (table, str(row[0])): tuple(row)
        for table, columns in COLUMNS.items()
        for row in connection.execute(f"SELECT {', '.join(columns)} FROM {table}")
    }


def insert(
    table: str, row: JournalRow, columns: Sequence[str] | None = None, *, replacing: bool = True
) -> tuple[str, JournalRow]:
    """The statement that writes a row; `columns` are by default those of `COLUMNS`."""
    instead = "REPLACE" if replacing else "IGNORE"
    columns = columns or COLUMNS[table]
    places = ", ".join("?" * len(columns))
    return f"INSERT OR {instead} INTO {table} ({', '.join(columns)}) VALUES ({places})", row


def insert_all(connection: sqlite3.Connection, rows: Mapping[Key, JournalRow], *, replacing: bool) -> None:
    """Writes these rows in one transaction."""
    with transaction(connection):
        for (table, _), row in rows.items():
            connection.execute(*insert(table, row, replacing=replacing))


def _in_memory(error: Exception) -> tuple[sqlite3.Connection, str]:
    return connect_memory(
        MIGRATIONS
    ), f"Drafts and unsent messages are kept in memory only: {describe(error)}."


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Prevents two windows that find a file damaged from both setting it aside."""
    descriptor = os.open(path.with_name("mending"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        with suppress(OSError):  # without locks only one window can write
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _open_checked(path: Path) -> sqlite3.Connection:
    _create(path)
    connection = connect(path, synchronous="FULL", migrations=MIGRATIONS)
    # The file is small, so the full check takes about a millisecond.
    with _closed_on_error(connection):
        found = connection.execute("PRAGMA integrity_check(1)").fetchall()
        if found != [("ok",)]:
            raise damage(found[0][0])
        # The check above looks neither at the names of columns nor at what the texts contain.
        rows = rows_of(connection)
        if any(table == "outbox" and outbox_record(row) is None for (table, _), row in rows.items()):
            raise damage("a message cannot be read")
    return connection


@contextmanager
def _closed_on_error(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


def _create(path: Path) -> None:
    """Creates the file if there is none. It is whole before it has its name, and an earlier version's is after a
    moment, so that an empty file has lost its content: raises the error of damage for it.
    """
    if _has_content(path):
        return
    with _alone(path):
        if not path.exists():
            new = path.with_name(f"{path.name}.new")
            remove(new)
            reopen(new).close()
            new.rename(path)
        elif not _has_content(path):
            raise damage("the file is empty")


def _has_content(path: Path) -> bool:
    return path.exists() and (not path.is_file() or path.stat().st_size > 0)


def _salvage(path: Path) -> tuple[sqlite3.Connection, str | None]:
    try:
        connection, damaged = replace_file(path, inode(path))
    except OPENING_ERRORS as error:
        return _in_memory(error)
    if damaged is None:
        return connection, None
    with transaction(connection):
        for table, columns in COLUMNS.items():
            for row in _readable_rows(damaged, table):
                values = {name: value for name, value in row.items() if name in columns}
                with suppress(*DATABASE_ERRORS):
                    connection.execute(*insert(table, tuple(values.values()), tuple(values)))
        kept = _keep_as_drafts(connection)
    warning = f"The journal of drafts was damaged; the old file is kept as {damaged.name}."
    return connection, f"{warning} Damaged messages became drafts: check their text." if kept else warning


def _keep_as_drafts(connection: sqlite3.Connection) -> bool:
    """Replaces messages that must not be sent as they are by drafts; returns whether there were any."""
    rows = connection.execute(f"SELECT {', '.join(COLUMNS['outbox'])} FROM outbox").fetchall()
    drafts = {row[0]: draft for row in rows if (draft := draft_of_damaged(row)) is not None}
    for key, draft in drafts.items():
        connection.execute(*insert("drafts", draft_row(draft)))
        connection.execute("DELETE FROM outbox WHERE local_id = ?", (key,))
    return bool(drafts)


def _readable_rows(path: Path, table: str) -> Iterator[dict[str, object]]:
    """Rows of a damaged file by their columns, as many as SQLite can still read."""
    with suppress(*DATABASE_ERRORS), closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda raw: raw.decode(errors="replace")
        connection.execute(
            "PRAGMA writable_schema = ON"
        )  # damage in one part of the schema does not hide the rest
        for row in connection.execute(f"SELECT * FROM {table}"):
            yield dict(row)
