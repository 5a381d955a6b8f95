"""The file of the cache: opened in any condition, set aside if it is damaged, not written if the disk is full."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from narrowcast_api.storage.database import (
    DATABASE_ERRORS,
    OPENING_ERRORS,
    Migrations,
    NewerDatabase,
    connect,
    connect_memory,
    connect_read_only,
    describe,
    is_damage,
    set_aside,
    transaction,
)

Rows = list[tuple[object, ...]]

_REBUILT = "The cache was damaged and is being rebuilt. Nothing was lost."


class CacheFile:
    """A database that may be lost: reading returns nothing if it fails, writing sets a warning.

    `writer` and `reader` are separate connections, so that reading never waits for a write. `read_only`:
    another instance writes. `path` None: in memory. `on_warning` is called when `warning` changes, in any thread.
    """

    def __init__(self, path: Path | None, migrations: Migrations, *, read_only: bool = False) -> None:
        self._trouble: str | None = None
        self._rebuilt = False
        self.on_warning: Callable[[], None] = lambda: None
        self.path = path
        self._migrations = migrations
        self._read_only = read_only
        self._lock = threading.RLock()
        self._reading = threading.RLock()
        self.writer, self.reader = self._connect()

    @property
    def warning(self) -> str | None:
        """What the user must be told, or None."""
        return self._trouble or (_REBUILT if self._rebuilt else None)

    def verify(self) -> bool:
        """Checks the whole file (takes seconds for a large one; to be called in the cache's thread). A
        damaged one is replaced by a new one.
        """
        if self.path is None or self._read_only:
            return True
        try:
            # A separate connection, so that readers do not have to wait.
            connection = connect_read_only(self.path, self._migrations)
            try:
                sound: bool = connection.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)]
            finally:
                connection.close()
        except OPENING_ERRORS:
            sound = False
        if not sound:
            self.rebuild()
        return sound

    def _connect(self) -> tuple[sqlite3.Connection, sqlite3.Connection]:
        if self.path is None:
            return self._connect_memory()
        for attempt in (1, 2):
            try:
                if self._read_only:
                    return connect_memory(self._migrations), connect_read_only(self.path, self._migrations)
                writer = connect(self.path, synchronous="NORMAL", migrations=self._migrations, vacuum=True)
                return writer, connect_read_only(self.path, self._migrations)
            except OPENING_ERRORS as error:
                useless = isinstance(error, NewerDatabase) or is_damage(error)
                if useless and attempt == 1 and not self._read_only:
                    with suppress(OSError):
                        self._put_away()
                    continue
                self.warn(f"The cache cannot be used: {describe(error)}.")
                break
        return self._connect_memory()

    def _connect_memory(self) -> tuple[sqlite3.Connection, sqlite3.Connection]:
        self.path = None
        self._reading = self._lock  # one connection, so one lock
        connection = connect_memory(self._migrations)
        return connection, connection

    def _put_away(self) -> None:
        """Sets the damaged file aside; only the latest such file is kept."""
        if self.path is None:
            return
        self._rebuilt = True
        for old in self.path.parent.glob(f"{self.path.name}.damaged-*"):
            old.unlink(missing_ok=True)
        set_aside(self.path)

    def rebuild(self) -> None:
        """Sets the file aside and creates a new one."""
        if self._read_only:
            return
        with self._lock, self._reading:
            self.reader.close()
            self.writer.close()
            with suppress(OSError):
                self._put_away()
            self.writer, self.reader = self._connect()
        self.on_warning()

    def read(self, query: str, *parameters: object, has_words: bool = False) -> Rows:
        """The rows of a query; none if it fails. `has_words`: it contains words of the user, so that an error in
        the query itself does not mean that the file is damaged.
        """
        try:
            with self._reading:
                return self.reader.execute(query, parameters).fetchall()
        except DATABASE_ERRORS as error:
            if is_damage(error) and not (has_words and isinstance(error, sqlite3.OperationalError)):
                self.rebuild()
            return []

    def write(self, write: Callable[[sqlite3.Connection], object]) -> None:
        """Runs this in a transaction; if the disk fails, sets a warning."""
        if self._read_only:
            return
        try:
            with self._lock, transaction(self.writer):
                write(self.writer)
        except DATABASE_ERRORS as error:
            if is_damage(error):
                self.rebuild()
            else:
                self.warn(f"The cache cannot be used: {describe(error)}.")
        else:
            if self.path is not None:
                self.warn(None)

    def warn(self, trouble: str | None) -> None:
        """Sets or clears the warning about the disk."""
        if trouble != self._trouble:
            self._trouble = trouble
            self.on_warning()

    def vacuum(self) -> None:
        """Returns free pages to the disk."""
        if self.path is not None:
            with suppress(*DATABASE_ERRORS), self._lock:
                # `execute` would make one step, which frees only one page.
                self.writer.executescript("PRAGMA incremental_vacuum")

    def close(self) -> None:
        """Closes both connections."""
        with self._lock, self._reading:
            self.reader.close()
            self.writer.close()
