"""The data of one organization in one SQLite file.

Write-ahead logging, one connection that writes, one transaction per request: acknowledged changes are in the log before
the response is sent, so they survive `kill -9`; `disk.Disk` flushes the log to the disk. Everything runs on
the server's one event loop, so transactions never overlap.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from narrowcast_server.storage.schema import MIGRATIONS
from narrowcast_server.storage.schema_check import schema_faults

_log = logging.getLogger("narrowcast.server")
_DAMAGE: Final = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
UNUSABLE: Final = (sqlite3.DatabaseError, UnicodeDecodeError, OverflowError)
"""What SQLite and Python raise for a damaged file. SQLite's message repeats damaged bytes of the schema, and Python
cannot decode it.
"""
Row = sqlite3.Row
Value = str | int | float | bytes | None


class StoreError(Exception):
    """The reason why this server cannot use a data folder."""


class Reading:
    """Reads through a connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def one(self, sql: str, *values: Value) -> Row | None:
        """The first row, or None."""
        row: Row | None = self._connection.execute(sql, values).fetchone()
        return row

    def all(self, sql: str, *values: Value) -> list[Row]:
        return self._connection.execute(sql, values).fetchall()

    def integer(self, sql: str, *values: Value) -> int | None:
        """The first column of the first row as an integer; None if there is no row or the value is null."""
        row = self.one(sql, *values)
        return None if row is None or row[0] is None else int(row[0])

    def integers(self, sql: str, *values: Value) -> list[int]:
        """The first column of every row."""
        return [int(row[0]) for row in self._connection.execute(sql, values)]

    def strings(self, sql: str, *values: Value) -> list[str]:
        """The first column of every row."""
        return [str(row[0]) for row in self._connection.execute(sql, values)]


class Store(Reading):
    """Executes SQL. Raises StoreError if the file is newer than this server or not a database."""

    damage: str | None = None
    """What was found damaged while the store is open. From then on it can only be read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        _make_private(path)
        super().__init__(sqlite3.connect(path, isolation_level=None, cached_statements=512))
        self._connection.row_factory = sqlite3.Row
        try:
            self._configure()
            self._migrate()
            connect_words(self._connection)
        except BaseException as error:  # an open connection would keep the file locked
            self._connection.close()
            if isinstance(error, UNUSABLE):
                raise unusable(path, error) from error
            raise

    def _configure(self) -> None:
        run = self._connection.execute
        run("PRAGMA journal_mode = WAL")
        # Commits survive the end of the process at once, and a machine crash after a flush (`disk.Disk`).
        run("PRAGMA synchronous = NORMAL")
        run("PRAGMA foreign_keys = ON")
        run("PRAGMA trusted_schema = OFF")
        run("PRAGMA busy_timeout = 5000")
        # Checkpoints wait for the disk: `fold_log` runs them in a thread, long before a commit has to.
        run("PRAGMA wal_autocheckpoint = 16000")
        run("PRAGMA cache_size = -16000")

    def _migrate(self) -> None:
        version = int(self._connection.execute("PRAGMA user_version").fetchone()[0])
        if version < 0:
            raise StoreError(f"{self.path} has the unknown schema {version}")
        if version > len(MIGRATIONS):
            raise StoreError(
                f"{self.path} was created by a newer server (schema {version} > {len(MIGRATIONS)})"
            )
        # Before anything is written: a trigger would act at once.
        for fault in schema_faults(self._connection):
            raise StoreError(f"{self.path} is not a database of this server: {fault}")
        for number, script in enumerate(MIGRATIONS[version:], start=version + 1):
            self._connection.executescript(
                f"BEGIN IMMEDIATE;\n{script}\nPRAGMA user_version = {number};\nCOMMIT;"
            )

    @property
    def connection(self) -> sqlite3.Connection:
        """For code that works on the whole file."""
        return self._connection

    @property
    def log_path(self) -> Path:
        """The write-ahead log, to which commits are written."""
        return self.path.with_name(f"{self.path.name}-wal")

    @property
    def changes(self) -> int:
        """The number of rows changed so far."""
        return self._connection.total_changes

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._connection.in_transaction

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction: all statements inside take effect together, or none. Cannot be nested."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            # SQLite has already rolled back if the disk is full.
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def execute(self, sql: str, *values: Value) -> int:
        """Executes a statement; returns the number of rows changed."""
        return self._connection.execute(sql, values).rowcount

    def execute_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        """Executes a statement once for each row of values."""
        self._connection.executemany(sql, rows)

    def insert(self, sql: str, *values: Value) -> int:
        """Executes an INSERT; returns the id of the new row."""
        identity = self._connection.execute(sql, values).lastrowid
        assert identity is not None
        return identity

    def notice(self, error: BaseException) -> bool:
        """Refuses writes from now on if `error` means that the file is damaged, and tells the operator once;
        returns whether the file is damaged.
        """
        if self.damage is None and _is_damage(error):
            self.damage = str(error)
            self._connection.execute("PRAGMA query_only = ON")
            folder = self.path.parent
            _log.critical(
                "the database is damaged (%s): it can be read as far as possible, and changes are refused. Stop the"
                " server, see all faults with: narrowcast serve --check --data %s and restore a backup with:"
                " narrowcast serve --restore BACKUP --data NEW_FOLDER",
                *(error, folder),
            )
        return self.damage is not None

    def rewrite(self) -> None:
        """Rewrites the whole file, so that it contains no remains of deleted or overwritten data."""
        self._connection.execute("VACUUM")
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Copies the log into the file and closes it."""
        with suppress(*(UNUSABLE if self.damage else ())):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()


def connect_words(connection: sqlite3.Connection) -> None:
    """Gives a connection the words of messages as a table, for search; it stores nothing itself."""
    connection.execute(
        "CREATE VIRTUAL TABLE temp.message_terms USING fts5vocab('main', 'message_words', 'instance')"
    )


def unusable(path: Path, error: Exception) -> StoreError:
    """The error for a database that SQLite cannot read."""
    what = "its schema is damaged" if isinstance(error, UnicodeDecodeError) else error
    return StoreError(
        f"{path} is not a usable database: {what}. Restore a backup with: narrowcast serve --restore BACKUP"
        " --data NEW_FOLDER"
    )


def _is_damage(error: BaseException) -> bool:
    """Text that is not UTF-8 is reported by Python, without a code."""
    if type(error) not in (sqlite3.DatabaseError, sqlite3.OperationalError):
        return False
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF in _DAMAGE


def _make_private(path: Path) -> None:
    """Creates the file if needed, readable by its owner only; SQLite's files beside it get the same mode."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    for file in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        with suppress(FileNotFoundError):
            file.chmod(0o600)


def fold_log(path: Path) -> int:
    """Copies the log of an open store into its file while the store is in use; returns the number of pages
    copied.

    Uses its own connection, so it may run in any thread.
    """
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)
    try:
        row = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        return int(row[2])
    finally:
        connection.close()


def marks(values: Sequence[object]) -> str:
    """Placeholders for an IN list of these values."""
    return ",".join("?" * len(values))
