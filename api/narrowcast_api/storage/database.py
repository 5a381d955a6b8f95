"""SQLite as both files use it: WAL, private files, numbered migrations, and what its errors mean."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from narrowcast_api.storage.folders import private_file

Migrations = Sequence[Sequence[str]]
"""Statements for each version; the file's `user_version` is the number of migrations applied."""

_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
_SIDE_FILES = ("-wal", "-shm", "-journal")


class NewerDatabase(Exception):
    """The file was written by a later version of this program."""


class OlderDatabase(Exception):
    """The file was written by an earlier version of this program and was opened read-only, so that it cannot
    be migrated.
    """


DATABASE_ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""What using an open file may raise. Where the schema is damaged, SQLite's message repeats the damaged bytes, and
Python cannot decode it.
"""

OPENING_ERRORS = (*DATABASE_ERRORS, OSError, NewerDatabase, OlderDatabase)
"""What opening a file may raise."""


def is_damage(error: Exception) -> bool:
    """Whether `error` means that the file itself is damaged, not that the disk is full or read-only.

    So does an error in a statement that is correct for an intact file, and text that is not UTF-8.
    """
    if isinstance(error, UnicodeDecodeError):
        return True
    code = _primary_code(error)
    if isinstance(error, sqlite3.OperationalError) and code == sqlite3.SQLITE_ERROR:
        return True
    return isinstance(error, sqlite3.Error) and code in _DAMAGED


def damage(reason: str) -> sqlite3.DatabaseError:
    """The error for damage that SQLite does not notice itself."""
    error = sqlite3.DatabaseError(f"damaged: {reason}")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def describe(error: Exception) -> str:
    """The cause, for the user."""
    if isinstance(error, NewerDatabase):
        return "the file was written by a later version of this program"
    if isinstance(error, OlderDatabase):
        return "the file was written by an earlier version of this program; open the account once with this version"
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if isinstance(error, UnicodeDecodeError):
        return "the file is damaged"
    return {
        sqlite3.SQLITE_FULL: "the disk is full",
        sqlite3.SQLITE_READONLY: "the folder is read-only",
        sqlite3.SQLITE_CANTOPEN: "the file cannot be opened",
        sqlite3.SQLITE_IOERR: "the disk reports errors",
        sqlite3.SQLITE_BUSY: "another program uses the file",
    }.get(_primary_code(error), str(error))


def _primary_code(error: Exception) -> int:
    # The low byte is the primary code; the rest is detail.
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def connect(
    path: Path,
    *,
    synchronous: Literal["FULL", "NORMAL"],
    migrations: Migrations,
    vacuum: bool = False,
) -> sqlite3.Connection:
    """Opens for writing; creates the file (0600) and migrates its tables.

    Several threads may use the connection, one at a time. Raises `OPENING_ERRORS`.
    """
    private_file(path)
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=2.0)
    try:
        if vacuum:
            connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(f"PRAGMA synchronous={synchronous}")
        migrate(connection, migrations)
    except BaseException:  # an open connection would keep the file locked
        connection.close()
        raise
    return connection


def connect_read_only(path: Path, migrations: Migrations) -> sqlite3.Connection:
    """Opens a file that another process writes. Raises `OPENING_ERRORS`, sqlite3.Error if there is none."""
    uri = f"{path.absolute().as_uri()}?mode=ro"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=2.0)
    try:
        version = version_of(connection)
        if version != len(migrations):
            error = NewerDatabase if version > len(migrations) else OlderDatabase
            raise error(f"version {version}, this program knows {len(migrations)}")
    except BaseException:  # an open connection would keep the file locked
        connection.close()
        raise
    return connection


def connect_memory(migrations: Migrations) -> sqlite3.Connection:
    """A temporary database with the same tables."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    migrate(connection, migrations)
    return connection


def version_of(connection: sqlite3.Connection) -> int:
    """The number of migrations applied to the file. Raises `DATABASE_ERRORS`."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version < 0:
        raise damage(f"version {version}")
    return int(version)


def migrate(connection: sqlite3.Connection, migrations: Migrations) -> None:
    """Applies the missing migrations, each in a separate transaction."""
    version = version_of(connection)
    if version > len(migrations):
        connection.close()
        raise NewerDatabase(f"version {version}, this program knows {len(migrations)}")
    for number in range(version, len(migrations)):
        with transaction(connection):
            if version_of(connection) > number:
                continue  # another window has done it meanwhile
            for statement in migrations[number]:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version={number + 1}")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Runs the block in a transaction. The commit is included, so its errors (disk full) are raised here too."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:  # an open transaction would block all other windows
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def remove(path: Path) -> None:
    """Deletes a database, if it exists, and SQLite's files beside it. Raises OSError."""
    for suffix in ("", *_SIDE_FILES):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def set_aside(path: Path) -> Path:
    """Renames a damaged file and SQLite's files beside it, so that a new one can replace it."""
    target = path.with_name(f"{path.name}.damaged-{int(time.time())}")
    for suffix in ("", *_SIDE_FILES):
        source = path.with_name(path.name + suffix)
        if source.exists():
            source.replace(target.with_name(target.name + suffix))
    return target
