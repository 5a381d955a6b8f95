"""journal.db: words, files and read marks of the user that are not safe on the server yet. Precious.

Every write is durable (synchronous=FULL) when its future resolves with True. Writes are handed to a thread
of the journal's own, so nothing waits for the disk; what is handed over while a commit is under way goes into
the next one together. If the disk refuses (full, read-only), the newest value of every row is kept in memory,
the future resolves with False, `warning` says so, and everything is tried again with each later write and every
few seconds.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from narrowcast_api.storage.database import (
    NewerDatabase,
    connect,
    connect_memory,
    connect_read_only,
    describe,
    is_damage,
    set_aside,
    transaction,
)
from narrowcast_api.storage.executors import MakeExecutor, own_thread
from narrowcast_api.storage.journal_rows import (
    COLUMNS,
    MIGRATIONS,
    Row,
    bounded,
    draft_record,
    draft_row,
    outbox_record,
    outbox_row,
    upload_record,
    upload_row,
)
from narrowcast_api.storage.records import Draft, OutboxRecord, UploadRecord

log = logging.getLogger(__name__)

_OTHER_INSTANCE = "This account is open in another window. Drafts and messages written here are not saved."

RETRY_SECONDS = 5.0

Key = tuple[str, str]
"""Table and primary key of one row."""


async def committed(write: Future[bool]) -> bool:
    """Wait for a write of the journal; whether it is on the disk."""
    return write.result() if write.done() else await asyncio.wrap_future(write)


class Journal:
    """The outbox, drafts, uploads and read marks of one account. Make one with `open`.

    All methods may be called anywhere. `warning` is what the user must be told, or None; `warned` is called
    when it changes, in any thread.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        *,
        executor: Executor,
        read_only: bool = False,
        warning: str | None = None,
    ) -> None:
        self.read_only = read_only
        self.warning = warning
        self._found_at_start = warning
        self.warned: Callable[[], None] = lambda: None
        self._connection = connection
        self._executor = executor
        self._handover = threading.Lock()
        self._disk = threading.Lock()
        self._pending: dict[Key, Row | None] = {}
        self._waiting: list[Future[bool]] = []
        self._scheduled = False
        self._timer: threading.Timer | None = None
        self._closed = False
        self._ended = False
        (file,) = [row[2] for row in connection.execute("PRAGMA database_list") if row[1] == "main"]
        self._path = Path(file) if file else None
        self._rows = {} if read_only else _all_rows(connection)
        """What the file holds or shall hold: it may break while it is open."""

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False, executor: MakeExecutor = own_thread) -> Journal:
        """Open or make the file. Never raises for a bad disk or file: then it is in memory, with a warning.

        A damaged file is set aside and what can still be read of it is taken over.
        """
        connection, warning = _open_read_only(path) if read_only else _open_or_salvage(path)
        return cls(connection, executor=executor("narrowcast-journal"), read_only=read_only, warning=warning)

    def load_outbox(self) -> list[OutboxRecord]:
        """All messages on their way, oldest first."""
        with self._disk:
            rows = self._connection.execute("SELECT * FROM outbox ORDER BY position, local_id").fetchall()
        return [record for row in rows if (record := outbox_record(row)) is not None]

    def load_drafts(self) -> list[Draft]:
        """All drafts, also those whose deletion the server does not know of yet."""
        with self._disk:
            rows = self._connection.execute("SELECT * FROM drafts ORDER BY edited, draft_id").fetchall()
        return [record for row in rows if (record := draft_record(row)) is not None]

    def put_outbox(self, record: OutboxRecord) -> Future[bool]:
        """Keep this state of a message."""
        return self._write(("outbox", record.local_id), outbox_row(record))

    def delete_outbox(self, local_id: str) -> Future[bool]:
        """Forget a message: it has arrived, or the user took it back."""
        return self._write(("outbox", local_id), None)

    def put_draft(self, record: Draft) -> Future[bool]:
        """Keep this state of a draft."""
        return self._write(("drafts", record.draft_id), draft_row(record))

    def delete_draft(self, draft_id: str) -> Future[bool]:
        """Forget a draft."""
        return self._write(("drafts", draft_id), None)

    def load_uploads(self) -> list[UploadRecord]:
        """All files that are on their way or whose links are not used yet, oldest first."""
        with self._disk:
            rows = self._connection.execute("SELECT * FROM uploads ORDER BY position, upload_id").fetchall()
        return [record for row in rows if (record := upload_record(row)) is not None]

    def put_upload(self, record: UploadRecord) -> Future[bool]:
        """Keep this state of a file."""
        return self._write(("uploads", record.upload_id), upload_row(record))

    def delete_upload(self, upload_id: str) -> Future[bool]:
        """Forget a file: its link is used, or the user dropped it."""
        return self._write(("uploads", upload_id), None)

    def load_read_marks(self) -> list[int]:
        """Messages that were read and that the server does not know to be, ascending."""
        with self._disk:
            rows = self._connection.execute(
                "SELECT message_id FROM read_marks ORDER BY message_id"
            ).fetchall()
        return [message_id for (message_id,) in rows if isinstance(message_id, int)]

    def put_read_marks(self, ids: Iterable[int]) -> Future[bool]:
        """Keep that these messages were read."""
        return self._write_all({("read_marks", str(i)): (i,) for i in ids if bounded(i) is not None})

    def delete_read_marks(self, ids: Iterable[int]) -> Future[bool]:
        """Forget that these messages were read: the server knows."""
        return self._write_all({("read_marks", str(i)): None for i in ids})

    def retry(self) -> Future[bool]:
        """Try again what the disk refused."""
        return self._schedule()

    def flush(self, timeout: float | None = None) -> bool:
        """Wait up to `timeout` seconds until all is written; whether it is on the disk. For endings."""
        with suppress(TimeoutError):
            return self._schedule().result(timeout)
        return False

    def close(self, timeout: float = 2.0) -> None:
        """Write what is left, for at most `timeout` seconds, and close the file."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        written = self.read_only or self.flush(timeout)
        self._ended = True
        self._executor.shutdown(wait=written, cancel_futures=True)
        if self._disk.acquire(timeout=0.1):
            try:
                self._connection.close()
            finally:
                self._disk.release()

    def _write(self, key: Key, row: Row | None) -> Future[bool]:
        return self._write_all({key: row})

    def _write_all(self, rows: Mapping[Key, Row | None]) -> Future[bool]:
        with self._handover:
            for key, row in rows.items():
                self._pending.pop(key, None)
                self._pending[key] = row
                if row is None:
                    self._rows.pop(key, None)
                else:
                    self._rows[key] = row
        return self._schedule()

    def _schedule(self) -> Future[bool]:
        done: Future[bool] = Future()
        if self._ended:
            done.set_result(False)
            return done
        with self._handover:
            self._waiting.append(done)
            needed, self._scheduled = not self._scheduled, True
        if needed:
            self._executor.submit(self._commit)
        return done

    def _commit(self) -> None:
        with self._handover:
            batch, self._pending = self._pending, {}
            waiting, self._waiting = self._waiting, []
            self._scheduled = False
        warning = self._store(batch)
        if warning is not None:
            with self._handover:
                self._pending = {**batch, **self._pending}
            self._retry_later()
        if not self.read_only:
            self._warn(warning)
        for future in waiting:
            future.set_result(warning is None)

    def _retry_later(self) -> None:
        """There may be room soon. Only where there is a thread: tests decide that for themselves."""
        if self.read_only or self._closed or not isinstance(self._executor, ThreadPoolExecutor):
            return
        self._timer = threading.Timer(RETRY_SECONDS, self._schedule)
        self._timer.daemon = True
        self._timer.start()

    def _store(self, batch: dict[Key, Row | None]) -> str | None:
        """Write rows in one transaction; what went wrong, in words."""
        if self.read_only:
            return _OTHER_INSTANCE
        try:
            self._write_rows(batch)
        except sqlite3.OperationalError as error:
            return _not_saved(error)
        except (sqlite3.Error, OverflowError, ValueError) as error:
            if isinstance(error, sqlite3.Error) and is_damage(error) and self._path is not None:
                return self._begin_anew(self._path)
            # One row that SQLite cannot hold must not keep the others from the disk.
            return self._store_one_by_one(batch)
        return self._memory_warning()

    def _store_one_by_one(self, batch: dict[Key, Row | None]) -> str | None:
        for key, row in batch.items():
            try:
                self._write_rows({key: row})
            except (sqlite3.Error, OverflowError, ValueError):
                log.exception("a row of the journal cannot be written: %s", key)
        return self._memory_warning()

    def _begin_anew(self, path: Path) -> str | None:
        """The file broke while it was open: all of it goes into a new one."""
        with self._handover:
            rows: dict[Key, Row | None] = dict(self._rows)
        try:
            with self._disk:
                self._connection.close()
                # Until the new file is there, so that nothing is written to a closed one.
                stand_in = connect_memory(MIGRATIONS)
                self._connection, self._path = stand_in, None
                damaged = set_aside(path)
                self._connection = connect(path, synchronous="FULL", migrations=MIGRATIONS)
                self._path = path
                stand_in.close()
            self._write_rows(rows)
        except (sqlite3.Error, OSError, NewerDatabase) as error:
            with self._handover:
                self._pending = {**rows, **self._pending}
            return _not_saved(error)
        log.error("the journal broke and was written anew; the old file is %s", damaged.name)
        return None

    def _write_rows(self, batch: dict[Key, Row | None]) -> None:
        with self._disk, transaction(self._connection):
            for (table, key), row in batch.items():
                self._connection.execute(*_statement(table, key, row))

    def _memory_warning(self) -> str | None:
        """A journal that had to open in memory stays a reason to warn, whatever succeeds there."""
        return self.warning if self._path is None else None

    def _warn(self, warning: str | None) -> None:
        # What was found at the start stays said: a write that works does not bring back what was damaged.
        warning = warning or self._found_at_start
        if warning != self.warning:
            self.warning = warning
            self.warned()


def _not_saved(error: Exception) -> str:
    reason = describe(error) if isinstance(error, sqlite3.Error) else str(error)
    return f"Drafts and unsent messages cannot be saved: {reason}. They are kept in memory."


def _all_rows(connection: sqlite3.Connection) -> dict[Key, Row]:
    """Every row of the file by its table and key, which is its first column."""
    return {
        (table, str(row[0])): tuple(row)
        for table in COLUMNS
        for row in connection.execute(f"SELECT * FROM {table}")
    }


def _statement(table: str, key: str, row: Row | None) -> tuple[str, Row]:
    if row is None:
        return f"DELETE FROM {table} WHERE {COLUMNS[table][0]} = ?", (key,)
    return f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(COLUMNS[table]))})", row


def _open_read_only(path: Path) -> tuple[sqlite3.Connection, str | None]:
    try:
        return connect_read_only(path, MIGRATIONS), _OTHER_INSTANCE
    except (sqlite3.Error, NewerDatabase):
        return connect_memory(MIGRATIONS), _OTHER_INSTANCE


def _open_or_salvage(path: Path) -> tuple[sqlite3.Connection, str | None]:
    try:
        return _open_checked(path), None
    except sqlite3.Error as error:
        if is_damage(error):
            return _salvage(path)
        reason = describe(error)
    except OSError as error:
        reason = error.strerror or str(error)
    except NewerDatabase:
        reason = "the file was written by a later version of this program"
    return connect_memory(MIGRATIONS), f"Drafts and unsent messages are kept in memory only: {reason}."


def _open_checked(path: Path) -> sqlite3.Connection:
    connection = connect(path, synchronous="FULL", migrations=MIGRATIONS)
    # The file is small, so the whole check costs about a millisecond.
    answers = connection.execute("PRAGMA integrity_check(1)").fetchall()
    if answers != [("ok",)]:
        connection.close()
        error = sqlite3.DatabaseError(f"damaged: {answers[0][0]}")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error
    return connection


def _salvage(path: Path) -> tuple[sqlite3.Connection, str | None]:
    try:
        damaged = set_aside(path)
        connection = connect(path, synchronous="FULL", migrations=MIGRATIONS)
    except (sqlite3.Error, OSError, NewerDatabase) as error:
        return connect_memory(MIGRATIONS), f"Drafts and unsent messages are kept in memory only: {error}."
    with transaction(connection):
        for table, columns in COLUMNS.items():
            for row in _readable_rows(damaged, table):
                if len(row) == len(columns):
                    with suppress(sqlite3.Error):
                        connection.execute(*_statement(table, str(row[0]), row))
    return connection, f"The journal of drafts was damaged; the old file is kept as {damaged.name}."


def _readable_rows(path: Path, table: str) -> Iterator[Row]:
    """Rows of a damaged file, as many as SQLite still gives."""
    with suppress(sqlite3.Error):
        connection = sqlite3.connect(path)
        try:
            yield from connection.execute(f"SELECT * FROM {table}")
        finally:
            connection.close()
