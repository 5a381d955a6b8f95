"""journal.db: words, files and read marks of the user that are not safe on the server yet. Precious.

Every write is durable (synchronous=FULL) when its future resolves with True. Writes are handed to a thread
of the journal's own, so nothing waits for the disk; what is handed over while a commit is under way goes into
the next one together. If the disk refuses (full, read-only), the newest value of every row is kept in memory,
the future resolves with False, `warning` says so, and everything is tried again with each later write and every
few seconds.

Several windows share the file. A message or upload belongs to the window that sends it (`owner`), and only that one
writes its row; a draft is written only over the `revision` that its writer knew. A write that comes too late changes
nothing and is `lost`. What others have written, and what was lost to them, is in the answer of `refresh`.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from pathlib import Path

from msgspec.structs import replace

from narrowcast_api.storage.database import OPENING_ERRORS, connect_memory, describe, is_damage, transaction
from narrowcast_api.storage.executors import MakeExecutor, own_thread
from narrowcast_api.storage.journal_changes import JournalChanges
from narrowcast_api.storage.journal_file import (
    Key,
    inode,
    insert_all,
    open_for_reading,
    open_for_writing,
    reopen,
    replaced,
    rows_of,
)
from narrowcast_api.storage.journal_rows import (
    COLUMNS,
    MIGRATIONS,
    OWNED,
    STATUS_END,
    JournalRow,
    act_record,
    act_row,
    bounded,
    draft_record,
    draft_row,
    edit_key,
    edit_record,
    edit_row,
    outbox_record,
    outbox_row,
    status_end_record,
    status_end_row,
    upload_record,
    upload_row,
)
from narrowcast_api.storage.journal_writes import Write, carry_out, combined
from narrowcast_api.storage.records import ActRecord, Draft, Edit, OutboxRecord, StatusEndRecord, UploadRecord

log = logging.getLogger(__name__)

RETRY_SECONDS = 5.0

_SENT_KEPT = 500
"""Ids of one's own sent messages that are remembered, so that no window takes one for another's."""

_READ_ONLY = "This account is open elsewhere. Drafts and messages written here are not saved."


async def committed(write: Future[bool]) -> bool:
    """Wait for a write of the journal; whether it is on the disk."""
    return write.result() if write.done() else await asyncio.wrap_future(write)


class Journal:
    """The outbox, drafts, uploads and read marks of one account. Make one with `open`.

    All methods may be called anywhere. `window` is the owner of what is written here. `warning` is what the user
    must be told, or None; `warned` is called when it changes, in any thread. With `read_only`, a reason, nothing is
    written.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        *,
        executor: Executor,
        window: str | None = None,
        read_only: str | None = None,
        warning: str | None = None,
    ) -> None:
        self.window = window
        self.read_only = read_only
        self.warning = warning or read_only
        self._found_at_start = self.warning
        self.warned: Callable[[], None] = lambda: None
        self._connection = connection
        self._executor = executor
        self._handover = threading.Lock()
        self._disk = threading.Lock()
        self._pending: dict[Key, Write] = {}
        self._under_way: Collection[Key] = ()
        self._lost: set[Key] = set()
        self._waiting: list[Future[bool]] = []
        self._scheduled = False
        self._timer: threading.Timer | None = None
        self._closed = False
        self._ended = False
        self._life = secrets.token_hex(4)
        self._numbers = count(1)
        (file,) = [row[2] for row in connection.execute("PRAGMA database_list") if row[1] == "main"]
        self._path = Path(file) if file else None
        self._inode = inode(self._path) if self._path else 0
        self._seen = self._version()
        self._rows = rows_of(connection)
        """What the file holds or shall hold: it may break while it is open."""

    @classmethod
    def open(
        cls,
        path: Path | None,
        *,
        window: str | None = None,
        read_only: str | None = None,
        executor: MakeExecutor = own_thread,
    ) -> Journal:
        """Open or make the file. Never raises for a bad disk or file: then it is in memory, with a warning.

        A damaged file is set aside and what can still be read of it is taken over. `read_only` says why nothing is
        to be written; None for `path` is an empty journal in memory.
        """
        if path is None or read_only is not None:
            connection, warning = open_for_reading(path), None
        else:
            connection, warning = open_for_writing(path)
        return cls(
            connection,
            executor=executor("narrowcast-journal"),
            window=window,
            read_only=read_only,
            warning=warning,
        )

    def load_outbox(self) -> list[OutboxRecord]:
        """All messages on their way, of all windows, oldest first."""
        records = (outbox_record(row) for row in self._select("outbox", "position, created, local_id"))
        return [record for record in records if record is not None]

    def load_drafts(self) -> list[Draft]:
        """All drafts, also those whose deletion the server does not know of yet."""
        records = (draft_record(row) for row in self._select("drafts", "edited, draft_id"))
        return [record for record in records if record is not None]

    def load_uploads(self) -> list[UploadRecord]:
        """All files that are on their way or whose links are not used yet, oldest first."""
        records = (upload_record(row) for row in self._select("uploads", "position, upload_id"))
        return [record for record in records if record is not None]

    def load_read_marks(self) -> list[int]:
        """Messages that were read and that the server does not know to be, ascending."""
        rows = self._select("read_marks", "message_id")
        return [message_id for (message_id,) in rows if isinstance(message_id, int)]

    def load_sent(self) -> list[int]:
        """Messages that were sent lately, from any window, ascending."""
        return [
            message_id for (message_id,) in self._select("sent", "message_id") if isinstance(message_id, int)
        ]

    def put_outbox(self, record: OutboxRecord) -> Future[bool]:
        """Keep this state of a message of this window's."""
        return self._write_own("outbox", record.local_id, outbox_row(record))

    def delete_outbox(self, local_id: str, message_id: int | None = None) -> Future[bool]:
        """Forget a message: it has arrived as `message_id`, or the user took it back."""
        writes = {("outbox", local_id): self._without("outbox")}
        if message_id is not None and bounded(message_id) is not None:
            writes["sent", str(message_id)] = Write((message_id,))
        return self._write_all(writes)

    def next_revision(self) -> str:
        """For a draft that is written now."""
        return f"{self._life}-{next(self._numbers)}"

    def put_draft(self, record: Draft, over: str | None = None) -> Future[bool]:
        """Keep this state of a draft, over the revision that it was made from; over any for None."""
        row = draft_row(record)
        return self._write_all(
            {("drafts", record.draft_id): Write(row, guarded=over is not None, expects=over)}
        )

    def delete_draft(self, draft_id: str, over: str | None = None) -> Future[bool]:
        """Forget a draft, if its revision is that one; any for None."""
        return self._write_all({("drafts", draft_id): Write(None, guarded=over is not None, expects=over)})

    def put_upload(self, record: UploadRecord) -> Future[bool]:
        """Keep this state of a file of this window's."""
        return self._write_own("uploads", record.upload_id, upload_row(record))

    def delete_upload(self, upload_id: str) -> Future[bool]:
        """Forget a file: its link is used, or the user dropped it."""
        return self._write_all({("uploads", upload_id): self._without("uploads")})

    def put_read_marks(self, ids: Iterable[int]) -> Future[bool]:
        """Keep that these messages were read."""
        return self._write_all({("read_marks", str(i)): Write((i,)) for i in ids if bounded(i) is not None})

    def delete_read_marks(self, ids: Iterable[int]) -> Future[bool]:
        """Forget that these messages were read: the server knows."""
        return self._write_all({("read_marks", str(i)): Write(None) for i in ids})

    def load_acts(self) -> list[ActRecord]:
        """What was done to messages and the server has not taken, by all windows, oldest first."""
        records = (act_record(row) for row in self._select("acts", "position, act_id"))
        return [record for record in records if record is not None]

    def put_act(self, record: ActRecord) -> Future[bool]:
        """Keep what was done to a message."""
        return self._write_own("acts", record.act_id, act_row(record))

    def delete_act(self, act_id: str) -> Future[bool]:
        """Forget it: the server has taken or refused it."""
        return self._write_all({("acts", act_id): self._without("acts")})

    def edits(self) -> list[Edit]:
        """Changes of messages that were not saved, of all windows; does not wait for the disk."""
        with self._handover:
            rows = [row for (table, _), row in self._rows.items() if table == "edits"]
        return [edit for edit in map(edit_record, rows) if edit is not None]

    def put_edit(self, edit: Edit) -> Future[bool]:
        """Keep this state of a change of a message as this window's, in the place of its owner's if that is another."""
        own = replace(edit, owner=self.window)
        writes = {("edits", edit_key(edit)): Write(None), ("edits", edit_key(own)): Write(edit_row(own))}
        return self._write_all(writes)

    def delete_edit(self, edit: Edit) -> Future[bool]:
        """Forget this window's change of a message: it is saved, or not wanted any more."""
        return self._write_all({("edits", edit_key(replace(edit, owner=self.window))): Write(None)})

    def load_status_end(self) -> StatusEndRecord | None:
        """When one's own status is to be cleared, if it is."""
        return next((status_end_record(row) for row in self._select("status_end", "name")), None)

    def put_status_end(self, record: StatusEndRecord) -> Future[bool]:
        """Keep when one's own status is to be cleared."""
        return self._write_all({("status_end", STATUS_END): Write(status_end_row(record))})

    def delete_status_end(self) -> Future[bool]:
        """The status is cleared, or has no end any more."""
        return self._write_all({("status_end", STATUS_END): Write(None)})

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
        written = self.read_only is not None or self.flush(timeout)
        self._ended = True
        self._executor.shutdown(wait=written, cancel_futures=True)
        if self._disk.acquire(timeout=0.1):
            try:
                self._connection.close()
            finally:
                self._disk.release()

    # other windows

    def is_lost(self, table: str, key: str) -> bool:
        """Whether another window was faster with a row that was last written here."""
        return (table, key) in self._lost

    def is_pending(self, table: str, key: str) -> bool:
        """Whether a row that was written here is not on the disk yet, so that what was read of it is no news."""
        with self._handover:
            return (table, key) in self._pending or (table, key) in self._under_way

    def changed_elsewhere(self) -> bool:
        """Whether there is something to `refresh`. Costs microseconds; does not wait while the disk is busy."""
        if self._lost:
            return True
        if self._path is None or self._ended or not self._disk.acquire(blocking=False):
            return False
        try:
            return self._version() != self._seen or inode(self._path) != self._inode
        except sqlite3.Error:
            return True
        finally:
            self._disk.release()

    def refresh(self) -> Future[JournalChanges]:
        """Read what other windows have written since the last time."""
        return self._do(self._reread)

    def owners(self) -> set[str | None]:
        """The other windows that have messages or uploads on their way; None for a version that knew one window."""
        with self._handover:
            found = {row[-1] for (table, _), row in self._rows.items() if table in OWNED}
        return {owner if isinstance(owner, str) else None for owner in found - {self.window}}

    def adopt(self, gone: Collection[str | None]) -> bool:
        """Take over what those windows have left behind. Waits for the disk; whether it worked."""
        try:
            with self._disk, transaction(self._connection):
                for table in OWNED:
                    for owner in gone:
                        self._connection.execute(
                            f"UPDATE {table} SET owner = ? WHERE owner IS ?", (self.window, owner)
                        )
                self._connection.execute(
                    "DELETE FROM sent WHERE message_id NOT IN "
                    f"(SELECT message_id FROM sent ORDER BY message_id DESC LIMIT {_SENT_KEPT})"
                )
        except sqlite3.Error:
            log.exception("what a window left behind cannot be taken over")
            return False
        return True

    def take_over(self, gone: Collection[str | None]) -> Future[JournalChanges]:
        """The same in the journal's thread; what has changed, the new rows among it."""

        def work() -> JournalChanges:
            self.adopt(gone)
            return self._reread()

        return self._do(work)

    def claim_outbox(self, local_id: str) -> Future[JournalChanges]:
        """Take a message over from another window that lives, unless it is being sent; what has changed."""

        def work() -> JournalChanges:
            statement = "UPDATE outbox SET owner = ? WHERE local_id = ? AND state <> 'sending'"
            with suppress(sqlite3.Error), self._disk, transaction(self._connection):
                self._connection.execute(statement, (self.window, local_id))
            return self._reread()

        return self._do(work)

    def load(self) -> None:
        """Read all rows again after `adopt`, before anybody has asked for them."""
        with self._disk:
            rows = rows_of(self._connection)
        with self._handover:
            self._rows = rows

    def _do(self, work: Callable[[], JournalChanges]) -> Future[JournalChanges]:
        try:
            return self._executor.submit(work)
        except RuntimeError:  # closing
            nothing: Future[JournalChanges] = Future()
            nothing.set_result(JournalChanges({}))
            return nothing

    def _reread(self) -> JournalChanges:
        try:
            with self._disk:
                if self._path is not None and inode(self._path) != self._inode:
                    self._follow(self._path)
                self._seen = self._version()
                rows = rows_of(self._connection)
        except OPENING_ERRORS as error:
            log.warning("the journal cannot be read again: %s", error)
            return JournalChanges({})
        changed: dict[Key, JournalRow | None] = {}
        with self._handover:
            for key in dict.fromkeys((*self._rows, *rows)):
                row = rows.get(key)
                if key not in self._pending and row != self._rows.get(key):
                    changed[key] = row
                    self._mirror(key, row)
            lost, self._lost = self._lost - set(self._pending), self._lost & set(self._pending)
        changed.update({key: rows.get(key) for key in sorted(lost)})
        return JournalChanges(changed, frozenset(lost))

    def _follow(self, path: Path) -> None:
        """Another window found the file damaged and made a new one: what is ours must be there too."""
        new = reopen(path)
        self._connection.close()
        self._connection, self._inode = new, inode(path)
        self._put_back(only_ours=True)

    def _put_back(self, *, only_ours: bool) -> None:
        """Write what this window knows into a new file; if another one made that, only what it cannot know better."""
        with self._handover:
            rows = dict(self._rows)
        own = {key: row for key, row in rows.items() if key[0] in OWNED and row[-1] == self.window}
        rest = {key: row for key, row in rows.items() if not (only_ours and key[0] in OWNED)}
        insert_all(self._connection, rest, replacing=not only_ours)
        insert_all(self._connection, own, replacing=True)

    def _mirror(self, key: Key, row: JournalRow | None) -> None:
        if row is None:
            self._rows.pop(key, None)
        else:
            self._rows[key] = row

    def _version(self) -> int:
        """Another number whenever somebody else has written."""
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        return int(version)

    def _select(self, table: str, order: str) -> list[JournalRow]:
        with self._disk:
            return self._connection.execute(
                f"SELECT {', '.join(COLUMNS[table])} FROM {table} ORDER BY {order}"
            ).fetchall()

    # writing

    def _write_own(self, table: str, key: str, row: JournalRow) -> Future[bool]:
        fresh = (table, key) not in self._rows
        write = Write((*row[:-1], self.window), fresh=fresh, guarded=True, expects=self.window)
        return self._write_all({(table, key): write})

    def _without(self, table: str) -> Write:
        return Write(None, guarded=table in OWNED, expects=self.window)

    def _write_all(self, writes: Mapping[Key, Write]) -> Future[bool]:
        with self._handover:
            self._pending = combined(self._pending, writes)
            for key, write in writes.items():
                self._mirror(key, write.row)
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
            batch, self._pending = self._pending, dict[Key, Write]()
            self._under_way = batch.keys()
            waiting, self._waiting = self._waiting, []
            self._scheduled = False
        warning = self._store(batch)
        with self._handover:
            self._under_way = ()
            if warning is not None:
                self._pending = combined(batch, self._pending)
        if warning is not None:
            self._retry_later()
        if self.read_only is None:
            self._warn(warning)
        for future in waiting:
            future.set_result(warning is None)

    def _retry_later(self) -> None:
        """There may be room soon. Only where there is a thread: tests decide that for themselves."""
        if self.read_only is not None or self._closed or not isinstance(self._executor, ThreadPoolExecutor):
            return
        self._timer = threading.Timer(RETRY_SECONDS, self._schedule)
        self._timer.daemon = True
        self._timer.start()

    def _store(self, batch: Mapping[Key, Write]) -> str | None:
        """Write rows in one transaction; what went wrong, in words."""
        if self.read_only is not None:
            return _READ_ONLY
        try:
            self._write_rows(batch)
        except sqlite3.OperationalError as error:
            return _not_saved(error)
        except (sqlite3.Error, OverflowError, ValueError) as error:
            if is_damage(error) and self._path is not None:
                return self._begin_anew(self._path)
            # One row that SQLite cannot hold must not keep the others from the disk.
            return self._store_one_by_one(batch)
        return self._memory_warning()

    def _store_one_by_one(self, batch: Mapping[Key, Write]) -> str | None:
        for key, write in batch.items():
            try:
                self._write_rows({key: write})
            except (sqlite3.Error, OverflowError, ValueError):
                log.exception("a row of the journal cannot be written: %s", key)
        return self._memory_warning()

    def _begin_anew(self, path: Path) -> str | None:
        """The file broke while it was open: all of it goes into a new one."""
        try:
            with self._disk:
                self._connection.close()
                # Until the new file is there, so that nothing is written to a closed one.
                stand_in = connect_memory(MIGRATIONS)
                self._connection, self._path = stand_in, None
                self._connection, damaged = replaced(path, self._inode)
                self._path, self._inode = path, inode(path)
                stand_in.close()
                self._put_back(only_ours=damaged is None)
        except OPENING_ERRORS as error:
            with self._handover:
                rows = {key: Write(row) for key, row in self._rows.items()}
                self._pending = combined(rows, self._pending)
            return _not_saved(error)
        log.error("the journal broke and was written anew; the old file is %s", damaged)
        return None

    def _write_rows(self, batch: Mapping[Key, Write]) -> None:
        with self._disk, transaction(self._connection):
            lost = {key for key, write in batch.items() if not carry_out(self._connection, key, write)}
        with self._handover:
            self._lost = (self._lost - batch.keys()) | lost

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
    return f"Drafts and unsent messages cannot be saved: {describe(error)}. They are kept in memory."
