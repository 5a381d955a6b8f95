"""The file of the journal: opened in any condition, with the readable rows of a damaged one."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from narrowcast_api.storage.database import (
    OPENING_ERRORS,
    connect,
    connect_memory,
    connect_read_only,
    describe,
    is_damage,
    set_aside,
    transaction,
)
from narrowcast_api.storage.journal_rows import COLUMNS, MIGRATIONS, JournalRow

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


def open_for_reading(path: Path | None) -> sqlite3.Connection:
    """Opens the file that other windows write; an empty journal in memory if it cannot be read, or for None."""
    if path is not None:
        with suppress(*OPENING_ERRORS):
            return connect_read_only(path, MIGRATIONS)
    return connect_memory(MIGRATIONS)


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
    connection = connect(path, synchronous="FULL", migrations=MIGRATIONS)
    # The file is small, so the full check takes about a millisecond.
    rows = connection.execute("PRAGMA integrity_check(1)").fetchall()
    if rows != [("ok",)]:
        connection.close()
        error = sqlite3.DatabaseError(f"damaged: {rows[0][0]}")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error
    return connection


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
                with suppress(sqlite3.Error):
                    connection.execute(*insert(table, tuple(values.values()), tuple(values)))
    return connection, f"The journal of drafts was damaged; the old file is kept as {damaged.name}."


def _readable_rows(path: Path, table: str) -> Iterator[dict[str, object]]:
    """Rows of a damaged file by their columns, as many as SQLite can still read."""
    with suppress(sqlite3.Error):
        connection = sqlite3.connect(path)
        connection.row_factory = sqlite3.Row
        try:
            for row in connection.execute(f"SELECT * FROM {table}"):
                yield dict(row)
        finally:
            connection.close()
