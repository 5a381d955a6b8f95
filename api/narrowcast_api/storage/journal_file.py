"""The file of the journal, which other windows also write: opened in any condition, with the readable rows of a
damaged one, and replaced if it becomes damaged.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
from collections.abc import Collection, Iterator, Mapping
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
    OWNED,
    JournalRow,
    Key,
    Write,
    carry_out,
    draft_of_damaged,
    draft_row,
    insert,
    outbox_record,
)

_MAX_SENT = 500
"""The number of ids of sent messages that are kept, so that no window takes one for another's."""


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
                _rows_of(connection)
            return connection, None
        except OPENING_ERRORS as error:
            if is_damage(error):
                warning = "The journal of drafts is damaged: its drafts and unsent messages cannot be read."
    return connect_memory(MIGRATIONS), warning


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
        self._inode = _inode(self.path) if self.path else 0
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
            return _rows_of(self.connection)

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
        # While it is being sent, only the window that waits for the response will know whether it arrived.
        statement = "UPDATE outbox SET owner = ? WHERE local_id = ? AND state <> 'sending'"
        with self._disk, transaction(self.connection):
            self.connection.execute(statement, (self._window, local_id))

    def changed_elsewhere(self) -> bool:
        """Whether another connection has written since `reread`. Does not wait while the disk is busy."""
        if self.path is None or self._closed or not self._disk.acquire(blocking=False):
            return False
        try:
            return self._version() != self._seen or _inode(self.path) != self._inode
        except DATABASE_ERRORS:
            return True
        finally:
            self._disk.release()

    def reread(self, known: Mapping[Key, JournalRow]) -> dict[Key, JournalRow]:
        """Returns every row as it is now. If another window has replaced a damaged file, this window's
        `known` rows are written to the new one first. Raises `OPENING_ERRORS`.
        """
        with self._disk:
            if self.path is not None and _inode(self.path) != self._inode:
                new = _reopen(self.path)
                self.connection.close()
                self.connection, self._inode = new, _inode(self.path)
                self._put_back(known, only_ours=True)
            self._seen = self._version()
            return _rows_of(self.connection)

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
            self.connection, damaged = _replace_file(path, self._inode)
            self.path, self._inode = path, _inode(path)
            stand_in.close()
            self._put_back(known, only_ours=damaged is None)
            return damaged

    def has_messages_of_others(self) -> bool:
        """Whether there are unsent messages of other windows; also True if the file cannot be read."""
        statement = "SELECT 1 FROM outbox WHERE owner IS NOT ? LIMIT 1"
        with self._disk, suppress(*DATABASE_ERRORS):
            return self.connection.execute(statement, (self._window,)).fetchone() is not None
        return True

    def mark_behind(self, is_behind: bool) -> None:
        """Records whether the file lacks what was done since, by an empty file beside it: a full disk has room for
        that.
        """
        if self.path is not None:
            with suppress(OSError):
                mark = _mark_of(self.path)
                mark.touch(0o600) if is_behind else mark.unlink(missing_ok=True)

    def is_behind(self) -> bool:
        """Whether a window has recorded this, and could not write what was missing before it ended."""
        with suppress(OSError):
            return self.path is not None and _mark_of(self.path).exists()
        return False

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
        _insert_all(self.connection, rest, replacing=not only_ours)
        _insert_all(self.connection, own, replacing=True)

    def _version(self) -> int:
        """A number that changes whenever another connection has written."""
        (version,) = self.connection.execute("PRAGMA data_version").fetchone()
        return int(version)


def _mark_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-behind")


def _reopen(path: Path) -> sqlite3.Connection:
    """Opens the file with which another window replaced a damaged one. Raises `OPENING_ERRORS`."""
    return connect(path, synchronous="FULL", migrations=MIGRATIONS)


def _replace_file(path: Path, broken: int) -> tuple[sqlite3.Connection, Path | None]:
    """Replaces the file with inode `broken` by a new one; returns it and the path of the old one, None if
    another window has replaced it. Raises `OPENING_ERRORS`.
    """
    with _alone(path):
        damaged = set_aside(path) if _inode(path) == broken else None
        return _reopen(path), damaged


def _inode(path: Path) -> int:
    """Distinguishes a file from one that replaced it; 0 if there is none."""
    try:
        return os.stat(path).st_ino  # noqa: PTH116 - every window asks for this several times a second
    except OSError:
        return 0


def _rows_of(connection: sqlite3.Connection) -> dict[Key, JournalRow]:
    """Every row of the file, by table and key."""
    return {
        (table, str(row[0])): tuple(row)
        for table, columns in COLUMNS.items()
        for row in connection.execute(f"SELECT {', '.join(columns)} FROM {table}")
    }


def _insert_all(connection: sqlite3.Connection, rows: Mapping[Key, JournalRow], *, replacing: bool) -> None:
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
        rows = _rows_of(connection)
        if any(table == "outbox" and outbox_record(row) is None for (table, _), row in rows.items()):
            raise damage("a message cannot be read")
    return connection


@contextmanager
def _closed_on_error(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:  # an open connection would keep the file locked
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
            _reopen(new).close()
            new.rename(path)
        elif not _has_content(path):
            raise damage("the file is empty")


def _has_content(path: Path) -> bool:
    return path.exists() and (not path.is_file() or path.stat().st_size > 0)


def _salvage(path: Path) -> tuple[sqlite3.Connection, str | None]:
    try:
        connection, damaged = _replace_file(path, _inode(path))
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
