"""Writes to the journal in a separate thread, so that nothing waits for the disk.

Writes that are queued during a commit go into the next one together. If a write fails (disk full, read-only),
the newest value of every row is kept in memory, and everything is tried again with each later write and every
few seconds.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from narrowcast_api.storage.database import OPENING_ERRORS, describe, is_damage
from narrowcast_api.storage.journal_file import JournalConnection
from narrowcast_api.storage.journal_rows import JournalRow, Key, Write, combined

log = logging.getLogger(__name__)

RETRY_SECONDS = 5.0


class JournalWriter:
    """The writes that are not on disk yet, and all rows including those writes.

    `warning` is what the user must be told, or None; `on_warning` is called when it changes, in any thread,
    and `on_lost_write` when another window was faster to write a row. If `read_only`, which is a reason, is
    set, nothing is written.
    """

    def __init__(
        self, file: JournalConnection, *, executor: Executor, read_only: str | None, warning: str | None
    ) -> None:
        self.warning = warning
        self.on_warning: Callable[[], None] = lambda: None
        self.on_lost_write: Callable[[], None] = lambda: None
        self.executor = executor
        self._file = file
        self._read_only = read_only
        self._found_at_start = warning
        self._handover = threading.RLock()
        self._gathering = 0
        """How many `one_write` are open."""
        self._pending: dict[Key, Write] = {}
        self._under_way: Collection[Key] = ()
        self._lost: set[Key] = set()
        self._waiting: list[Future[bool]] = []
        self._scheduled = False
        self._timer: threading.Timer | None = None
        self._closed = False
        self._ended = False
        self._is_refused = False
        """Whether the disk refused the last commit."""
        self.is_behind = file.is_behind()
        """Whether a window that has ended could not write all that it did: its rows may be older than that."""
        self._may_unmark = False
        """Whether the mark for that may be removed: this window has set it, or has looked through the messages."""
        self._rows = file.rows()
        """The rows of the file, including pending writes: the file may become unreadable while it is open."""

    @property
    def is_on_disk(self) -> bool:
        """Whether writes reach the disk, as far as is known."""
        return self._file.path is not None and not self._is_refused

    # rows

    def rows(self) -> dict[Key, JournalRow]:
        """Every row, including pending writes, without waiting for the disk."""
        with self._handover:
            return dict(self._rows)

    def has(self, key: Key) -> bool:
        """Whether the row exists, including pending writes."""
        return key in self._rows

    def load(self) -> None:
        """Reads all rows again, before they are used."""
        rows = self._file.rows()
        with self._handover:
            self._rows = rows

    def is_lost(self, key: Key) -> bool:
        """Whether another window was faster to write a row that was last written here."""
        return key in self._lost

    def is_pending(self, key: Key) -> bool:
        """Whether a row that was written here is not on disk yet."""
        with self._handover:
            return key in self._pending or key in self._under_way

    def refused(self) -> set[Key]:
        """The rows that cannot be written to the disk, and are lost when the process ends."""
        with self._handover:
            if self._read_only is not None:
                return set()
            if self._file.path is None:
                return set(self._rows)
            return {key for key in self._pending if key in self._rows} if self._is_refused else set()

    def changed_elsewhere(self) -> bool:
        """Whether there is something to `reread`. Costs microseconds; does not wait while the disk is busy."""
        return bool(self._lost) or self._file.changed_elsewhere()

    def reread(self) -> tuple[Mapping[Key, JournalRow | None], frozenset[Key]]:
        """Reads what other windows have written since the last call; returns the rows that have changed, and the
        keys of lost writes. Runs in the journal's thread.
        """
        self.is_behind = self._file.is_behind()
        try:
            rows = self._file.reread(self.rows())
        except OPENING_ERRORS as error:
            log.warning("the journal cannot be read again: %s", error)
            return {}, frozenset()
        changed: dict[Key, JournalRow | None] = {}
        with self._handover:
            for key in dict.fromkeys((*self._rows, *rows)):
                row = rows.get(key)
                # What is pending was written here while the file was read, so it is newer.
                if key not in self._pending and row != self._rows.get(key):
                    changed[key] = row
                    self._mirror(key, row)
            lost, self._lost = self._lost - set(self._pending), self._lost & set(self._pending)
            if self.is_behind and any(table == "outbox" for table, _ in (*changed, *lost)):
                self._may_unmark = False  # until they are looked through
        changed.update({key: rows.get(key) for key in sorted(lost)})
        return changed, frozenset(lost)

    def looked_through(self) -> None:
        """If the file `is_behind`: what may have happened to the messages of this window is written, so that the mark
        goes with the next commit.
        """
        if self.is_behind:
            with self._handover:
                self._may_unmark = True
            self.retry()

    # handing over

    def write(self, writes: Mapping[Key, Write]) -> Future[bool]:
        """Queues these writes; the future resolves with whether they are on disk."""
        with self._handover:
            self._pending = combined(self._pending, writes)
            for key, write in writes.items():
                self._mirror(key, write.row)
        return self.retry()

    def retry(self) -> Future[bool]:
        """Commits pending writes when the thread is free; the future resolves with whether they are on disk."""
        done: Future[bool] = Future()
        done.set_running_or_notify_cancel()  # a cancelled caller must not cancel the write or other callers
        if self._ended:
            done.set_result(False)
            return done
        with self._handover:
            self._waiting.append(done)
        self._schedule()
        return done

    @contextmanager
    def one_write(self) -> Iterator[None]:
        """Commits everything that is written inside in one transaction. Nothing inside may wait: the thread that
        commits waits for it.
        """
        try:
            with self._handover:
                self._gathering += 1
                try:
                    yield
                finally:
                    self._gathering -= 1
        finally:
            self._schedule()

    def _schedule(self) -> None:
        with self._handover:
            needed = bool(self._waiting) and not (self._scheduled or self._gathering)
            self._scheduled = self._scheduled or needed
        if needed:
            self.executor.submit(self._commit)

    def flush(self, timeout: float | None = None) -> bool:
        """Waits up to `timeout` seconds until everything is written; returns whether it is on disk."""
        with suppress(TimeoutError):
            return self.retry().result(timeout)
        return False

    def close(self, timeout: float) -> None:
        """Writes what is pending, for at most `timeout` seconds, and closes the file."""
        self._closed = True
        if (timer := self._timer) is not None:
            timer.cancel()
        written = self._read_only is not None or self.flush(timeout)
        self._ended = True
        self.executor.shutdown(wait=written, cancel_futures=True)
        self._file.close()

    def _mirror(self, key: Key, row: JournalRow | None) -> None:
        if row is None:
            self._rows.pop(key, None)
        else:
            self._rows[key] = row

    # in the journal's thread

    def _commit(self) -> None:
        with self._handover:
            batch, self._pending = self._pending, dict[Key, Write]()
            self._under_way = batch.keys()
            waiting, self._waiting = self._waiting, []
            self._scheduled = False
            may_unmark = self._may_unmark  # what was looked through later is not in this batch
        warning = self._store(batch)
        if self._read_only is None:
            self._mark(may_unmark, is_refused=warning is not None)
        with self._handover:
            self._under_way = ()
            self._is_refused = warning is not None
            if warning is not None:
                # What was written meanwhile is later than the batch that failed, and must win.
                self._pending = combined(batch, self._pending)
        if warning is not None:
            self._retry_later()
        if self._read_only is None:
            self._warn(warning)
        for future in waiting:
            future.set_result(warning is None)

    def _mark(self, may_unmark: bool, *, is_refused: bool) -> None:
        """Records whether the file is behind. Messages of other windows may be those of one that has ended, so the mark
        stays as long as there are any.
        """
        if is_refused:
            self._may_unmark = self._may_unmark or not self.is_behind
            self._file.mark_behind(True)
        elif may_unmark and not self._file.has_messages_of_others():
            self._may_unmark = self.is_behind = False
            self._file.mark_behind(False)

    def _retry_later(self) -> None:
        """Retries later, when there may be room on the disk. Only with a thread: tests retry explicitly."""
        has_thread = isinstance(self.executor, ThreadPoolExecutor)
        if self._read_only is not None or self._closed or self._timer is not None or not has_thread:
            return
        self._timer = threading.Timer(RETRY_SECONDS, self._retry_due)
        self._timer.daemon = True
        self._timer.start()

    def _retry_due(self) -> None:
        self._timer = None  # first, so that the next failure starts another one
        self.retry()

    def _store(self, batch: Mapping[Key, Write]) -> str | None:
        """Writes rows in one transaction; returns a message for the user if that failed."""
        if self._read_only is not None:
            return self._read_only
        try:
            self._write_rows(batch)
        except sqlite3.OperationalError as error:
            return _not_saved(error)
        except (sqlite3.Error, OverflowError, ValueError) as error:
            if is_damage(error) and self._file.path is not None:
                return self._recreate(self._file.path)
            # A row that SQLite cannot store must not prevent the others from being written.
            return self._store_one_by_one(batch)
        return self._memory_warning()

    def _store_one_by_one(self, batch: Mapping[Key, Write]) -> str | None:
        # Deletions come last: after a crash in between, a text that was to be moved is there twice, not nowhere.
        for key, write in sorted(batch.items(), key=lambda item: item[1].row is None):
            try:
                self._write_rows({key: write})
            except (sqlite3.Error, OverflowError, ValueError):
                log.exception("a row of the journal cannot be written: %s", key)
        return self._memory_warning()

    def _recreate(self, path: Path) -> str | None:
        """Writes all rows to a new file, because the file became damaged while it was open."""
        try:
            damaged = self._file.recreate(path, self.rows())
        except OPENING_ERRORS as error:
            with self._handover:
                rows = {key: Write(row) for key, row in self._rows.items()}
                self._pending = combined(rows, self._pending)
            return _not_saved(error)
        log.error("the journal broke and was written anew; the old file is %s", damaged)
        return None

    def _write_rows(self, batch: Mapping[Key, Write]) -> None:
        lost = self._file.write(batch)
        with self._handover:
            self._lost = (self._lost - batch.keys()) | lost
        if lost:
            self.on_lost_write()

    def _memory_warning(self) -> str | None:
        """Keeps warning about a journal that had to open in memory, even if writes to it succeed."""
        return self.warning if self._file.path is None else None

    def _warn(self, warning: str | None) -> None:
        # Keep the warning from opening: a write that works does not restore what was damaged.
        warning = warning or self._found_at_start
        if warning != self.warning:
            self.warning = warning
            self.on_warning()


def _not_saved(error: Exception) -> str:
    return f"Drafts and unsent messages cannot be saved: {describe(error)}. They are kept in memory."
