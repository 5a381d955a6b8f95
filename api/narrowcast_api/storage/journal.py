"""journal.db: the user's text, files and read marks that the server does not have yet. Must not be lost.

Every write is durable (synchronous=FULL) when its future resolves with True. Nothing waits for the disk
(`journal_writer`); if a write fails, the future resolves with False, `warning` is set, and the data is kept
in memory and written again later.

Several windows share the file. A message or upload belongs to the window that sends it (`owner`), and only
that window writes its row; a draft is only written over the `revision` that its writer knew. A write that
comes too late changes nothing and is `lost`. Changes by other windows, and the rows of lost writes, are in
the result of `refresh`.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager, suppress
from itertools import count
from pathlib import Path
from secrets import token_hex
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from narrowcast_api.storage.database import DATABASE_ERRORS
from narrowcast_api.storage.executors import MakeExecutor, own_thread
from narrowcast_api.storage.journal_file import JournalConnection, open_for_reading, open_for_writing
from narrowcast_api.storage.journal_rows import (
    OWNED,
    STATUS_END,
    JournalRow,
    Key,
    Write,
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
from narrowcast_api.storage.journal_writer import JournalWriter
from narrowcast_api.storage.records import (
    ActionRecord,
    Draft,
    Edit,
    OutboxMessage,
    StatusEndRecord,
    UploadRecord,
)

Record = TypeVar("Record")

log = logging.getLogger(__name__)


async def committed(write: Future[bool]) -> bool:
    """Waits for a write of the journal; returns whether it is on disk."""
    return write.result() if write.done() else await asyncio.wrap_future(write)


async def deliver_changes(
    reading: Future[JournalChanges], on_changes: Callable[[JournalChanges], None]
) -> None:
    """Passes the changes that are being read to `on_changes`. They are only reported once, so `on_changes` is
    called even if this call is cancelled meanwhile, for example on closing.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def deliver() -> None:
        try:
            if not reading.cancelled():
                on_changes(reading.result())
        except Exception as error:
            if done.done():
                log.exception("what other windows wrote cannot be taken in")
            else:
                done.set_exception(error)
        else:
            if not done.done():
                done.set_result(None)

    def read(_: Future[JournalChanges]) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(deliver)

    reading.add_done_callback(read)
    await done


class JournalChanges(Struct, frozen=True):
    """The current rows of the file, None for those that were deleted; `lost` are writes of this window that
    came too late.
    """

    rows: Mapping[Key, JournalRow | None]
    lost: frozenset[Key] = frozenset()

    def outbox(self) -> dict[str, OutboxMessage | None]:
        """Messages by their local ids."""
        return dict(self._of("outbox", outbox_record))

    def drafts(self) -> dict[str, Draft | None]:
        return dict(self._of("drafts", draft_record))

    def uploads(self) -> dict[str, UploadRecord | None]:
        return dict(self._of("uploads", upload_record))

    def acts(self) -> dict[str, ActionRecord | None]:
        """Actions on messages by their ids."""
        return dict(self._of("acts", act_record))

    def status_end(self) -> list[StatusEndRecord | None]:
        """The changed time at which the user's status is to be cleared, empty if unchanged; None if it is not
        to be cleared any more.
        """
        return [record for _, record in self._of("status_end", status_end_record)]

    def numbers(self, table: str) -> tuple[set[int], set[int]]:
        """Message ids that were added to `table`, and those that were removed."""
        new = {int(key) for (name, key), row in self.rows.items() if name == table and row is not None}
        gone = {int(key) for (name, key), row in self.rows.items() if name == table and row is None}
        return new, gone

    def lost_of(self, table: str) -> frozenset[str]:
        """Keys of this window's writes to `table` that came too late."""
        return frozenset(key for name, key in self.lost if name == table)

    def _of(
        self, table: str, read: Callable[[JournalRow], Record | None]
    ) -> Iterator[tuple[str, Record | None]]:
        for (name, key), row in self.rows.items():
            if name == table:
                yield key, None if row is None else read(row)


class Journal:
    """The outbox, drafts, uploads, read marks, actions and unsaved edits of one account. Create one with
    `open`.

    All methods may be called in any thread. `window` is the owner of rows written here. If `read_only`, which
    is a reason, is set, nothing is written.
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
        self._file = JournalConnection(connection, window)
        self._writer = JournalWriter(
            self._file, executor=executor, read_only=read_only, warning=warning or read_only
        )
        self._life = token_hex(4)
        self._numbers = count(1)

    @classmethod
    def open(
        cls,
        path: Path | None,
        *,
        window: str | None = None,
        read_only: str | None = None,
        executor: MakeExecutor = own_thread,
    ) -> Journal:
        """Opens or creates the file. Never raises for a bad disk or file: the journal is then in memory, with
        a warning.

        A damaged file is set aside and its readable rows are taken over. `read_only` says why nothing may be
        written; None for `path` is an empty journal in memory.
        """
        if path is None or read_only is not None:
            connection, warning = open_for_reading(path)
        else:
            connection, warning = open_for_writing(path)
        return cls(
            connection,
            executor=executor("narrowcast-journal"),
            window=window,
            read_only=read_only,
            warning=warning,
        )

    @property
    def warning(self) -> str | None:
        """What the user must be told, or None."""
        return self._writer.warning

    @property
    def is_on_disk(self) -> bool:
        """Whether what is written survives the end of the process, as far as is known."""
        return self.read_only is None and self._writer.is_on_disk

    @property
    def is_behind(self) -> bool:
        """Whether a window that has ended could not write all that it did, on a full disk: a message may have been sent
        or cancelled since its row was written.
        """
        return self._writer.is_behind

    def looked_through(self) -> None:
        """If it `is_behind`: messages of this window that are uncertain are written as such, so it ends with that."""
        self._writer.looked_through()

    def on_warning(self, call: Callable[[], None]) -> None:
        """Sets the function that is called, in any thread, when `warning` changes."""
        self._writer.on_warning = call

    def on_lost_write(self, call: Callable[[], None]) -> None:
        """Sets the function that is called, in any thread, when another window was faster to write a row that
        was written here.
        """
        self._writer.on_lost_write = call

    def load_outbox(self) -> list[OutboxMessage]:
        """All unsent messages, of all windows, oldest first."""
        return self._records("outbox", outbox_record, "position, created, local_id")

    def load_drafts(self) -> list[Draft]:
        """All drafts, including those that the server has yet to delete."""
        return self._records("drafts", draft_record, "edited, draft_id")

    def load_uploads(self) -> list[UploadRecord]:
        """All unfinished uploads, and those whose links are not used yet, oldest first."""
        return self._records("uploads", upload_record, "position, upload_id")

    def load_read_marks(self) -> list[int]:
        """Ids of messages that were read, as far as the server does not know yet, ascending."""
        return self._message_ids("read_marks")

    def load_sent(self) -> list[int]:
        """Ids of messages that were sent recently, from any window, ascending."""
        return self._message_ids("sent")

    def delete_sent(self, ids: Iterable[int]) -> Future[bool]:
        """Forgets ids of messages that were sent."""
        return self._writer.write({("sent", str(i)): Write(None) for i in ids})

    def put_outbox(self, record: OutboxMessage) -> Future[bool]:
        """Writes the state of a message that this window owns."""
        return self._write_own("outbox", record.local_id, outbox_row(record))

    def delete_outbox(self, local_id: str, message_id: int | None = None) -> Future[bool]:
        """Deletes a message that has arrived as `message_id`, or that the user cancelled.

        An arrived message is deleted whichever window owns it now: a window that has just taken it over would
        look for it among the messages without an entry, and send it again.
        """
        has_arrived = message_id is not None
        writes = {("outbox", local_id): Write(None) if has_arrived else self._without("outbox")}
        if message_id is not None and bounded(message_id) is not None:
            writes["sent", str(message_id)] = Write((message_id,))
        return self._writer.write(writes)

    def next_revision(self) -> str:
        """A new revision for a draft that is being written."""
        return f"{self._life}-{next(self._numbers)}"

    def put_draft(self, record: Draft, over: str | None = None) -> Future[bool]:
        """Writes a draft if its row has the revision `over`; unconditionally for None."""
        row = draft_row(record)
        return self._writer.write(
            {("drafts", record.draft_id): Write(row, guarded=over is not None, expects=over)}
        )

    def delete_draft(self, draft_id: str, over: str | None = None) -> Future[bool]:
        """Deletes a draft if its row has the revision `over`; unconditionally for None."""
        return self._writer.write({("drafts", draft_id): Write(None, guarded=over is not None, expects=over)})

    def put_upload(self, record: UploadRecord) -> Future[bool]:
        """Writes the state of an upload that this window owns."""
        return self._write_own("uploads", record.upload_id, upload_row(record))

    def delete_upload(self, upload_id: str) -> Future[bool]:
        """Deletes an upload whose link is used, or that the user dismissed."""
        return self._writer.write({("uploads", upload_id): self._without("uploads")})

    def put_read_marks(self, ids: Iterable[int]) -> Future[bool]:
        """Adds read marks for these messages."""
        return self._writer.write(
            {("read_marks", str(i)): Write((i,)) for i in ids if bounded(i) is not None}
        )

    def delete_read_marks(self, ids: Iterable[int]) -> Future[bool]:
        """Deletes read marks, because the server has them."""
        return self._writer.write({("read_marks", str(i)): Write(None) for i in ids})

    def load_acts(self) -> list[ActionRecord]:
        """All actions on messages that the server has not confirmed, of all windows, oldest first."""
        return self._records("acts", act_record, "position, act_id")

    def put_act(self, record: ActionRecord) -> Future[bool]:
        """Writes an action on a message."""
        return self._write_own("acts", record.act_id, act_row(record))

    def delete_act(self, act_id: str) -> Future[bool]:
        """Deletes an action that the server has accepted or rejected."""
        return self._writer.write({("acts", act_id): self._without("acts")})

    def edits(self) -> list[Edit]:
        """All unsaved edits, of all windows; does not wait for the disk."""
        rows = [row for (table, _), row in self._writer.rows().items() if table == "edits"]
        return [edit for edit in map(edit_record, rows) if edit is not None]

    def put_edit(self, edit: Edit) -> Future[bool]:
        """Writes an unsaved edit as this window's; if another window owned it, its row is replaced."""
        own = replace(edit, owner=self.window)
        writes = {("edits", edit_key(edit)): Write(None), ("edits", edit_key(own)): Write(edit_row(own))}
        return self._writer.write(writes)

    def delete_edit(self, edit: Edit) -> Future[bool]:
        """Deletes this window's edit of a message, which is saved or not wanted any more."""
        return self._writer.write({("edits", edit_key(replace(edit, owner=self.window))): Write(None)})

    def load_status_end(self) -> StatusEndRecord | None:
        """When the user's status is to be cleared; None if it is not."""
        return next((status_end_record(row) for row in self._file.select("status_end", "name")), None)

    def put_status_end(self, record: StatusEndRecord) -> Future[bool]:
        """Writes when the user's status is to be cleared."""
        return self._writer.write({("status_end", STATUS_END): Write(status_end_row(record))})

    def delete_status_end(self) -> Future[bool]:
        """Deletes that time: the status is cleared, or has no end any more."""
        return self._writer.write({("status_end", STATUS_END): Write(None)})

    def one_write(self) -> AbstractContextManager[None]:
        """Commits everything that is written inside in one transaction: after a crash there is all of it, or
        nothing. Nothing inside may wait for anything.
        """
        return self._writer.one_write()

    def retry(self) -> Future[bool]:
        """Repeats the writes that failed."""
        return self._writer.retry()

    def flush(self, timeout: float | None = None) -> bool:
        """Waits up to `timeout` seconds until everything is written; returns whether it is on disk. For closing."""
        return self._writer.flush(timeout)

    def close(self, timeout: float = 2.0) -> None:
        """Writes what is left, for at most `timeout` seconds, and closes the file."""
        self._writer.close(timeout)

    # other windows

    def is_lost(self, table: str, key: str) -> bool:
        """Whether another window was faster to write a row that was last written here."""
        return self._writer.is_lost((table, key))

    def is_pending(self, table: str, key: str) -> bool:
        """Whether a row that was written here is not on disk yet, so that what was read from the file is outdated."""
        return self._writer.is_pending((table, key))

    def refused(self) -> set[Key]:
        """The rows that cannot be written to the disk, and are lost when the process ends: table and key."""
        return self._writer.refused()

    def changed_elsewhere(self) -> bool:
        """Whether there is something to `refresh`. Costs microseconds; does not wait while the disk is busy."""
        return self._writer.changed_elsewhere()

    def refresh(self) -> Future[JournalChanges]:
        """Reads what other windows have written since the last call."""
        return self._do(self._reread)

    def owners(self) -> set[str | None]:
        """The other windows that have unsent messages or uploads; None stands for a version that allowed one
        window only.
        """
        owners = {row[-1] for (table, _), row in self._writer.rows().items() if table in OWNED}
        return {owner if isinstance(owner, str) else None for owner in owners - {self.window}}

    def adopt(self, gone: Collection[str | None]) -> bool:
        """Takes over what those windows have left behind. Waits for the disk; returns whether that worked."""
        try:
            self._file.adopt(gone)
        except DATABASE_ERRORS:
            log.exception("what a window left behind cannot be taken over")
            return False
        return True

    def take_over(self, gone: Collection[str | None]) -> Future[JournalChanges]:
        """Like `adopt`, in the journal's thread; returns the changes, including the new rows."""

        def work() -> JournalChanges:
            self.adopt(gone)
            return self._reread()

        return self._do(work)

    def claim_outbox(self, local_id: str) -> Future[JournalChanges]:
        """Takes a message over from another open window, unless it is being sent; returns the changes."""

        def work() -> JournalChanges:
            with suppress(*DATABASE_ERRORS):
                self._file.claim_outbox(local_id)
            return self._reread()

        return self._do(work)

    def load(self) -> None:
        """Reads all rows again after `adopt`, before they are used."""
        self._writer.load()

    def _reread(self) -> JournalChanges:
        return JournalChanges(*self._writer.reread())

    def _do(self, work: Callable[[], JournalChanges]) -> Future[JournalChanges]:
        try:
            return self._writer.executor.submit(work)
        except RuntimeError:  # closing
            nothing: Future[JournalChanges] = Future()
            nothing.set_result(JournalChanges({}))
            return nothing

    def _records(self, table: str, read: Callable[[JournalRow], Record | None], order: str) -> list[Record]:
        """The readable rows of a table."""
        records = map(read, self._file.select(table, order))
        return [record for record in records if record is not None]

    def _message_ids(self, table: str) -> list[int]:
        rows = self._file.select(table, "message_id")
        return [message_id for (message_id,) in rows if isinstance(message_id, int)]

    def _write_own(self, table: str, key: str, row: JournalRow) -> Future[bool]:
        fresh = not self._writer.has((table, key))
        write = Write((*row[:-1], self.window), fresh=fresh, guarded=True, expects=self.window)
        return self._writer.write({(table, key): write})

    def _without(self, table: str) -> Write:
        return Write(None, guarded=table in OWNED, expects=self.window)
