"""The open file of the journal, which other windows also write and may replace if it is damaged."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Collection, Mapping
from pathlib import Path

from narrowcast_api.storage.database import DATABASE_ERRORS, connect_memory, transaction
from narrowcast_api.storage.journal_file import Key, inode, insert_all, reopen, replace_file, rows_of
from narrowcast_api.storage.journal_rows import COLUMNS, MIGRATIONS, OWNED, JournalRow
from narrowcast_api.storage.journal_writes import Write, carry_out

_MAX_SENT = 500
"""The number of ids of sent messages that are kept, so that no window takes one for another's."""


class JournalConnection:
    """One connection for all threads, which use it one at a time; all methods but `changed_elsewhere` wait
    for the disk.

    `window` is the owner of rows written here. `path` is None for a journal in memory.
    """

    def __init__(self, connection: sqlite3.Connection, window: str | None) -> None:
        self.connection = connection
        self._window = window
        self._disk = threading.Lock()
        self._closed = False
        (file,) = [row[2] for row in connection.execute("PRAGMA database_list") if row[1] == "main"]
        self.path = Path(file) if file else None
        self._inode = inode(self.path) if self.path else 0
        self._seen = self._version()

    def select(self, table: str, order: str) -> list[JournalRow]:
        """The rows of a table, sorted by the columns that `order` names."""
        with self._disk:
            return self.connection.execute(
                f"SELECT {', '.join(COLUMNS[table])} FROM {table} ORDER BY {order}"
            ).fetchall()

    def rows(self) -> dict[Key, JournalRow]:
        """Every row by its table and key."""
        with self._disk:
            return rows_of(self.connection)

    def write(self, batch: Mapping[Key, Write]) -> set[Key]:
        """Makes these writes in one transaction; returns those for which another window was faster. Raises
        `DATABASE_ERRORS`, and OverflowError or ValueError for values that SQLite cannot store.
        """
        with self._disk, transaction(self.connection):
            lost = {key for key, write in batch.items() if not carry_out(self.connection, key, write)}
            if any(table == "sent" for table, _ in batch):
                self.connection.execute(
                    "DELETE FROM sent WHERE message_id <= "
                    f"(SELECT message_id FROM sent ORDER BY message_id DESC LIMIT 1 OFFSET {_MAX_SENT})"
                )
            return lost

    def adopt(self, gone: Collection[str | None]) -> None:
        """Makes this window the owner of what those have left behind. Raises `DATABASE_ERRORS`."""
        with self._disk, transaction(self.connection):
            for table in OWNED:
                for owner in gone:
                    self.connection.execute(
                        f"UPDATE {table} SET owner = ? WHERE owner IS ?", (self._window, owner)
                    )

    def claim_outbox(self, local_id: str) -> None:
        """Makes this window the owner of another window's message, unless it is being sent. Raises
        `DATABASE_ERRORS`.
        """
        statement = "UPDATE outbox SET owner = ? WHERE local_id = ? AND state <> 'sending'"
        with self._disk, transaction(self.connection):
            self.connection.execute(statement, (self._window, local_id))

    def changed_elsewhere(self) -> bool:
        """Whether another connection has written since `reread`. Does not wait while the disk is busy."""
        if self.path is None or self._closed or not self._disk.acquire(blocking=False):
            return False
        try:
            return self._version() != self._seen or inode(self.path) != self._inode
        except DATABASE_ERRORS:
            return True
        finally:
            self._disk.release()

    def reread(self, known: Mapping[Key, JournalRow]) -> dict[Key, JournalRow]:
        """Returns every row as it is now. If another window has replaced a damaged file, this window's
        `known` rows are written to the new one first. Raises `OPENING_ERRORS`.
        """
        with self._disk:
            if self.path is not None and inode(self.path) != self._inode:
                new = reopen(self.path)
                self.connection.close()
                self.connection, self._inode = new, inode(self.path)
                self._put_back(known, only_ours=True)
            self._seen = self._version()
            return rows_of(self.connection)

    def recreate(self, path: Path, known: Mapping[Key, JournalRow]) -> Path | None:
        """Replaces the file, which became damaged while it was open, and writes all `known` rows to the new
        one; if another window has replaced it already, only what that window cannot know. Returns the new
        path of the damaged file, None in the latter case. Raises `OPENING_ERRORS`: then the journal is in
        memory.
        """
        with self._disk:
            self.connection.close()
            # Used until the new file is open, so that nothing is written to a closed connection.
            stand_in = connect_memory(MIGRATIONS)
            self.connection, self.path = stand_in, None
            self.connection, damaged = replace_file(path, self._inode)
            self.path, self._inode = path, inode(path)
            stand_in.close()
            self._put_back(known, only_ours=damaged is None)
            return damaged

    def close(self, timeout: float = 0.1) -> None:
        """Closes the file, unless the disk keeps it busy for longer than `timeout` seconds."""
        self._closed = True
        if self._disk.acquire(timeout=timeout):
            try:
                self.connection.close()
            finally:
                self._disk.release()

    def _put_back(self, known: Mapping[Key, JournalRow], *, only_ours: bool) -> None:
        """Writes known rows to a new file; with `only_ours`, without replacing rows of other windows."""
        own = {key: row for key, row in known.items() if key[0] in OWNED and row[-1] == self._window}
        rest = {key: row for key, row in known.items() if not (only_ours and key[0] in OWNED)}
        insert_all(self.connection, rest, replacing=not only_ours)
        insert_all(self.connection, own, replacing=True)

    def _version(self) -> int:
        """A number that changes whenever another connection has written."""
        (version,) = self.connection.execute("PRAGMA data_version").fetchone()
        return int(version)
