"""journal.db: what it promises to keep, and what it does when the disk does not."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from narrowcast_api.model.drafts import DraftVersion
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.storage.executors import MakeExecutor, inline
from narrowcast_api.storage.journal import Journal, committed, handed_over
from narrowcast_api.storage.journal_changes import JournalChanges
from narrowcast_api.storage.records import Draft, OutboxRecord, OutboxState
from support.journals import connection_of, killed, refuse

LUNCH = ChannelDestination(7, "lunch")
MESSAGE = OutboxRecord("m1", 1, LUNCH, "Soup today", OutboxState.WAITING, 1_800_000_000.0)
DRAFT = Draft("d1", DraftVersion(LUNCH, "Soup to"), 1_800_000_000.0)

destinations: st.SearchStrategy[Destination] = st.one_of(
    st.builds(ChannelDestination, st.integers(1, 2**40), st.text()),
    st.builds(DirectDestination, st.frozensets(st.integers(1, 2**40))),
)
texts = st.text(st.characters(exclude_categories=["Cs"]))


def journal_at(folder: Path, *, read_only: str | None = None, executor: Executor | None = None) -> Journal:
    make: MakeExecutor = inline if executor is None else lambda _name: executor
    return Journal.open(folder / "journal.db", read_only=read_only, executor=make)


class Later(Executor):
    """Does what it is given when the test says so."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._waiting.append((future, lambda: fn(*args, **kwargs)))
        return future

    def step(self) -> None:
        future, work = self._waiting.popleft()
        future.set_result(work())


@given(
    destination=destinations,
    content=texts,
    state=st.sampled_from(OutboxState),
    floor=st.none() | st.integers(0, 2**63 - 1),
    unknown=st.booleans(),
)
def test_a_message_is_read_back_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory,
    destination: Destination,
    content: str,
    state: OutboxState,
    floor: int | None,
    unknown: bool,
) -> None:
    record = OutboxRecord("x", 3, destination, content, state, 12.5, "why", floor, True, unknown)
    folder = tmp_path_factory.mktemp("journal")
    journal = journal_at(folder)
    journal.put_outbox(record)
    journal.close()
    again = journal_at(folder)
    assert again.load_outbox() == [record]
    again.close()


@given(destination=st.none() | destinations, content=texts, base=st.none() | texts)
def test_a_draft_is_read_back_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, destination: Destination | None, content: str, base: str | None
) -> None:
    version = None if base is None else DraftVersion(destination, base)
    record = Draft("d", DraftVersion(destination, content), 1.5, 7, version, False, True, True, "e")
    folder = tmp_path_factory.mktemp("journal")
    journal = journal_at(folder)
    journal.put_draft(record)
    journal.close()
    again = journal_at(folder)
    assert again.load_drafts() == [record]
    again.close()


def test_what_was_deleted_stays_deleted(tmp_path: Path) -> None:
    journal = journal_at(tmp_path)
    journal.put_outbox(MESSAGE)
    journal.put_draft(DRAFT)
    journal.delete_outbox("m1")
    journal.delete_draft("d1")
    journal.close()
    again = journal_at(tmp_path)
    assert (again.load_outbox(), again.load_drafts()) == ([], [])
    again.close()


def test_messages_come_back_in_the_order_in_which_they_were_written(tmp_path: Path) -> None:
    journal = journal_at(tmp_path)
    for position in (3, 1, 2):
        journal.put_outbox(replace(MESSAGE, local_id=f"m{position}", position=position))
    assert [record.position for record in journal.load_outbox()] == [1, 2, 3]
    journal.close()


def test_only_its_owner_can_read_the_file(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        journal = journal_at(tmp_path)
        journal.put_draft(DRAFT)
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    journal.close()
    assert set(modes.values()) == {0o600}, modes


def test_the_file_is_written_with_full_sync(tmp_path: Path) -> None:
    journal = journal_at(tmp_path)
    connection = connection_of(journal)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    journal.close()


async def test_a_thread_of_its_own_writes_and_the_future_says_when_it_is_safe(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "journal.db")
    writes = [journal.put_outbox(replace(MESSAGE, local_id=str(n), position=n)) for n in range(200)]
    assert all([await committed(write) for write in writes])
    assert len(journal.load_outbox()) == 200
    journal.close()


def test_lone_surrogates_of_a_terminal_do_not_stop_a_draft_from_being_kept(tmp_path: Path) -> None:
    journal = journal_at(tmp_path)
    assert journal.put_draft(replace(DRAFT, version=DraftVersion(LUNCH, "a\udc80b"))).result()
    assert journal.load_drafts()[0].version.content == "a\ufffdb"
    journal.close()


def test_with_a_full_disk_the_words_stay_in_memory_and_are_written_once_there_is_room(tmp_path: Path) -> None:
    journal = journal_at(tmp_path)
    told: list[str | None] = []
    journal.on_warning(lambda: told.append(journal.warning))
    pages = connection_of(journal).execute("PRAGMA page_count").fetchone()[0]
    connection_of(journal).execute(f"PRAGMA max_page_count={pages}")
    assert journal.put_draft(replace(DRAFT, version=DraftVersion(None, "x" * 50_000))).result() is False
    assert journal.warning is not None
    assert "the disk is full" in journal.warning
    assert journal.put_outbox(MESSAGE).result() is False, "later words wait behind, none overtakes"
    connection_of(journal).execute("PRAGMA max_page_count=100000")
    assert journal.retry().result() is True
    assert journal.warning is None
    assert told == [
        "Drafts and unsent messages cannot be saved: the disk is full. They are kept in memory.",
        None,
    ]
    journal.close()
    again = journal_at(tmp_path)
    assert len(again.load_drafts()) == 1
    assert again.load_outbox() == [MESSAGE]
    again.close()


def test_ids_that_no_database_can_hold_keep_no_words_from_the_disk(tmp_path: Path) -> None:
    journal = journal_at(tmp_path)
    assert journal.put_outbox(replace(MESSAGE, floor_id=2**70)).result() is True
    assert journal.put_draft(replace(DRAFT, server_id=-(2**70))).result() is True
    assert journal.put_outbox(replace(MESSAGE, local_id="bad", position=2**70)).result() is True
    assert journal.put_outbox(replace(MESSAGE, local_id="good")).result() is True
    assert [record.local_id for record in journal.load_outbox()] == ["good", "m1"]
    assert journal.load_drafts()[0].server_id is None
    journal.close()


def test_what_the_disk_refused_is_tried_again_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("narrowcast_api.storage.journal_writer.RETRY_SECONDS", 0.01)
    journal = Journal.open(tmp_path / "journal.db")
    well = threading.Event()
    journal.on_warning(lambda: well.set() if journal.warning is None else None)
    refuse(journal)
    assert journal.put_draft(DRAFT).result() is False
    refuse(journal, False)
    assert well.wait(60)
    assert journal.load_drafts() == [DRAFT]
    journal.close()


def test_what_changes_while_the_disk_is_full_replaces_what_waits(tmp_path: Path) -> None:
    journal = journal_at(tmp_path)
    connection = connection_of(journal)
    connection.execute("PRAGMA query_only=1")
    journal.put_draft(DRAFT)
    journal.put_draft(replace(DRAFT, version=DraftVersion(LUNCH, "Soup today")))
    journal.put_outbox(MESSAGE)
    journal.delete_outbox("m1")
    connection.execute("PRAGMA query_only=0")
    assert journal.flush()
    assert [draft.version.content for draft in journal.load_drafts()] == ["Soup today"]
    assert journal.load_outbox() == []
    journal.close()


def test_what_is_written_during_a_write_that_fails_is_the_newer(tmp_path: Path) -> None:
    executor = Later()
    journal = journal_at(tmp_path, executor=executor)
    connection = connection_of(journal)
    newer = replace(DRAFT, version=DraftVersion(LUNCH, "Soup today"))
    connection.execute("PRAGMA query_only=1")
    first = journal.put_draft(DRAFT)
    during: list[Future[bool]] = []
    connection.set_trace_callback(lambda _: None if during else during.append(journal.put_draft(newer)))
    executor.step()
    assert first.result() is False
    connection.execute("PRAGMA query_only=0")
    executor.step()
    assert during[0].result() is True
    assert journal.load_drafts() == [newer]
    killed(journal)


def test_a_folder_that_cannot_be_written_means_memory_and_a_warning(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "missing" / "journal.db", executor=inline)
    assert journal.warning is not None
    assert "in memory only" in journal.warning
    journal.put_draft(DRAFT)
    assert journal.load_drafts() == [DRAFT]
    assert "in memory only" in (journal.warning or "")
    journal.close()


def test_a_damaged_journal_is_set_aside_and_its_readable_rows_are_taken_over(tmp_path: Path) -> None:
    journal = journal_at(tmp_path)
    for number in range(200):
        journal.put_draft(
            replace(DRAFT, draft_id=f"d{number:03}", version=DraftVersion(None, f"{number} " + "x" * 500))
        )
    failed = replace(MESSAGE, state=OutboxState.FAILED, error="No answer", tried=True, unknown=True)
    journal.put_outbox(failed)
    journal.close()
    path = tmp_path / "journal.db"
    raw = bytearray(path.read_bytes())
    middle = len(raw) // 2
    raw[middle : middle + 3 * 4096] = os.urandom(3 * 4096)
    path.write_bytes(raw)
    again = journal_at(tmp_path)
    assert again.warning is not None
    assert "damaged" in again.warning
    assert 0 < len(again.load_drafts()) < 200
    assert again.load_outbox() == [failed]
    assert [old.name for old in tmp_path.glob("journal.db.damaged-*")], (
        "the old file is kept for a rescue by hand"
    )
    assert again.put_outbox(MESSAGE).result() is True
    again.close()


def test_that_a_file_was_damaged_stays_said_after_the_next_write(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"no database" * 1000)
    journal = journal_at(tmp_path)
    said = journal.warning
    assert said is not None
    assert journal.put_outbox(MESSAGE).result()
    assert journal.warning == said
    journal.close()


def test_a_file_that_is_no_database_is_kept_and_a_new_one_is_made(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"not a database at all, but four hundred bytes" * 10)
    journal = journal_at(tmp_path)
    assert "damaged" in (journal.warning or "")
    assert journal.put_draft(DRAFT).result() is True
    journal.close()


def test_a_file_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    journal_at(tmp_path).close()
    path = tmp_path / "journal.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version=99")
    connection.close()
    before = path.read_bytes()
    journal = journal_at(tmp_path)
    journal.put_draft(DRAFT)
    assert "later version" in (journal.warning or "")
    journal.close()
    assert path.read_bytes() == before


async def test_after_the_end_writes_are_refused_quietly(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "journal.db")
    journal.close()
    assert await committed(journal.put_draft(DRAFT)) is False
    assert journal.flush() is False
    journal.close()


def test_a_second_instance_reads_and_never_writes(tmp_path: Path) -> None:
    first = journal_at(tmp_path)
    first.put_outbox(MESSAGE)
    second = journal_at(tmp_path, read_only="open elsewhere")
    assert second.load_outbox() == [MESSAGE]
    assert second.put_draft(DRAFT).result() is False
    assert "elsewhere" in (second.warning or "")
    second.close()
    assert first.load_drafts() == []
    first.close()


_VICTIM = """
import os, signal, sys
from msgspec.structs import replace
from pathlib import Path
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.journal import Journal
from narrowcast_api.storage.records import *

fatal = int(sys.argv[2])
statements = 0

def trace(statement):
    # Before each statement that SQLite runs, commits included: the process is killed at number `fatal`.
    global statements
    statements += 1
    if statements == fatal:
        os.kill(os.getpid(), signal.SIGKILL)

journal = Journal.open(Path(sys.argv[1]), executor=inline)
journal._file.connection.set_trace_callback(trace)
where = ChannelDestination(7, "lunch")
for number in range(1, 3):
    # What the journal is told, then, only if that is durable, what is promised to the world.
    journal.put_draft(Draft("d", DraftVersion(where, f"text {number}"), float(number)))
    print("draft", number, flush=True)
    record = OutboxRecord(f"m{number}", number, where, f"text {number}", OutboxState.WAITING, 1.0)
    journal.put_outbox(record)
    print("queued", number, flush=True)
    journal.put_outbox(replace(record, state=OutboxState.SENDING, tried=True))
    print("sending", number, flush=True)
    journal.delete_outbox(f"m{number}")
    print("sent", number, flush=True)
print("statements", statements, flush=True)
"""


def killed_at(statement: int, path: Path) -> dict[str, int]:
    """Run the victim and kill it before one of its statements; the last number of each promise it made."""
    ran = subprocess.run(
        [sys.executable, "-c", _VICTIM, str(path), str(statement)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stderr == ""
    return {line.split()[0]: int(line.split()[1]) for line in ran.stdout.splitlines()}


def test_nothing_promised_is_lost_whichever_statement_the_process_is_killed_at(tmp_path: Path) -> None:
    total = killed_at(10_000, tmp_path / "whole.db")["statements"]
    assert total >= 2 * 4 * 3, "begin, write and commit of each step are all points to die at"
    for statement in range(1, total + 1):
        path = tmp_path / f"killed-{statement}.db"
        promised = killed_at(statement, path)
        journal = Journal.open(path, executor=inline)
        assert journal.warning is None
        drafts = [record.version.content for record in journal.load_drafts()]
        outbox = {record.position: record.state for record in journal.load_outbox()}
        journal.close()
        written = promised.get("draft", 0)
        assert drafts in ([f"text {written}"], [f"text {written + 1}"]) or (written == 0 and drafts == [])
        for number in range(1, promised.get("queued", 0) + 1):
            if number <= promised.get("sent", 0):
                allowed: set[OutboxState | None] = {None}  # sent and forgotten: it must not come back
            elif number <= promised.get("sending", 0):
                allowed = {OutboxState.SENDING, None}  # the try is known, or its end already is
            else:
                allowed = {OutboxState.WAITING, OutboxState.SENDING}
            assert outbox.get(number) in allowed


def test_a_file_that_breaks_while_it_is_open_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = Journal.open(path, executor=inline)
    before = [replace(MESSAGE, local_id=f"before-{n}", position=n, content="x" * 3000) for n in range(20)]
    for one in before:
        assert journal.put_outbox(one).result()
    journal.put_read_marks([5])
    connection_of(journal).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * 4096 * 6)
    connection_of(journal).execute("PRAGMA cache_size=1")
    after = replace(MESSAGE, local_id="after", position=99)
    assert journal.put_outbox(after).result()
    assert journal.warning is None
    journal.close()
    again = Journal.open(path, executor=inline)
    assert again.warning is None
    assert again.load_outbox() == [*before, after]
    assert again.load_read_marks() == [5]
    again.close()
    assert any(".damaged-" in name.name for name in tmp_path.iterdir())


def test_what_was_read_is_kept_whatever_ids_a_server_gives(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    journal = journal_at(tmp_path)
    assert journal.put_read_marks([5, 2**63, -(2**70), 2**63 - 1]).result() is True
    assert journal.load_read_marks() == [5, 2**63 - 1]
    assert journal.refresh().result().rows == {}, "nothing is held to be in the file that cannot be"
    assert caplog.records == [], "all are written together"
    assert journal.delete_read_marks([5]).result() is True
    assert journal.load_read_marks() == [2**63 - 1]
    journal.close()


def test_a_row_with_nonsense_costs_no_other_row_and_no_words_of_a_draft(tmp_path: Path) -> None:
    journal = journal_at(tmp_path)
    for name in ("bad address", "bad state", "good"):
        journal.put_outbox(replace(MESSAGE, local_id=name))
    journal.put_draft(replace(DRAFT, draft_id="bad address", base=DRAFT.version))
    journal.close()
    connection = sqlite3.connect(tmp_path / "journal.db")
    connection.execute("UPDATE outbox SET destination = '[' WHERE local_id = 'bad address'")
    connection.execute("UPDATE outbox SET state = 'flying' WHERE local_id = 'bad state'")
    connection.execute("UPDATE drafts SET destination = '[\"channel\"]', base_destination = '{}'")
    connection.commit()
    connection.close()
    again = journal_at(tmp_path)
    assert [record.local_id for record in again.load_outbox()] == ["good"]
    (draft,) = again.load_drafts()
    assert draft.version == draft.base == DraftVersion(None, DRAFT.content)
    again.close()


async def test_what_was_read_of_other_windows_is_handed_over_also_when_the_wait_for_it_is_cancelled() -> None:
    heard: list[JournalChanges] = []
    reading: Future[JournalChanges] = Future()
    waiting = asyncio.ensure_future(handed_over(reading, heard.append))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    changes = JournalChanges({}, frozenset({("drafts", "one")}))
    reading.set_result(changes)
    await asyncio.sleep(0)
    assert heard == [changes]


async def test_a_mistake_in_taking_in_what_other_windows_wrote_is_raised_to_whoever_waits() -> None:
    def broken(changes: JournalChanges) -> None:
        raise RuntimeError("a bug")

    reading: Future[JournalChanges] = Future()
    reading.set_result(JournalChanges({}))
    with pytest.raises(RuntimeError, match="a bug"):
        await handed_over(reading, broken)
