"""journal.db with a full disk, a damaged file or a killed process: nothing that was confirmed is lost."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import Future
from pathlib import Path

import pytest
from msgspec.structs import replace

from narrowcast_api.resources.drafts import DraftVersion
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.journal import Journal
from narrowcast_api.storage.records import OutboxState
from support.journals import DRAFT, LUNCH, MESSAGE, Held, connection_of, journal_at, killed, refuse


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


def test_only_what_the_disk_refused_is_reported_as_lost_when_the_process_ends(tmp_path: Path) -> None:
    journal = journal_at(tmp_path)
    journal.put_draft(DRAFT)
    assert journal.refused() == set()
    refuse(journal)
    journal.put_outbox(MESSAGE)
    journal.delete_draft(DRAFT.draft_id)
    assert journal.refused() == {("outbox", MESSAGE.local_id)}
    refuse(journal, False)
    assert journal.flush()
    assert journal.refused() == set()
    journal.close()


def test_what_is_written_together_is_on_disk_together_also_behind_a_write_that_is_due(tmp_path: Path) -> None:
    disk = Held()
    journal = journal_at(tmp_path, executor=disk)
    journal.put_draft(DRAFT)
    disk.write()
    journal.put_read_marks([5])
    with journal.one_write():
        due = threading.Thread(target=disk.step)
        due.start()
        journal.put_outbox(MESSAGE)
        with journal.one_write():
            journal.delete_draft(DRAFT.draft_id)
        saved = journal_at(tmp_path, read_only="another window")
        assert (saved.load_drafts(), saved.load_outbox()) == ([DRAFT], [])
        saved.close()
    due.join(60)
    saved = journal_at(tmp_path, read_only="another window")
    assert (saved.load_drafts(), saved.load_outbox()) == ([], [MESSAGE])
    saved.close()
    assert disk.waiting == []
    killed(journal)


def test_what_was_written_together_before_an_error_is_kept(tmp_path: Path) -> None:
    journal = journal_at(tmp_path)

    def broken() -> None:
        with journal.one_write():
            journal.put_draft(DRAFT)
            raise RuntimeError("a bug")

    with pytest.raises(RuntimeError):
        broken()
    killed(journal)
    again = journal_at(tmp_path)
    assert again.load_drafts() == [DRAFT]
    again.close()


def test_without_a_file_all_rows_are_lost_when_the_process_ends(tmp_path: Path) -> None:
    (tmp_path / "journal.db").mkdir()
    journal = journal_at(tmp_path)
    assert journal.warning is not None
    journal.put_draft(DRAFT)
    assert journal.refused() == {("drafts", DRAFT.draft_id)}
    journal.close()


def test_a_failed_write_is_retried_automatically(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_however_many_writes_fail_one_retry_is_due(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "journal.db")
    before = set(threading.enumerate())
    refuse(journal)
    for number in range(5):
        assert journal.put_draft(replace(DRAFT, edited=float(number))).result() is False
    assert (
        len([one for one in threading.enumerate() if isinstance(one, threading.Timer) and one not in before])
        == 1
    )
    refuse(journal, False)
    journal.close()


def test_a_change_made_while_the_disk_is_full_replaces_the_pending_write(tmp_path: Path) -> None:
    journal = journal_at(tmp_path)
    refuse(journal)
    journal.put_draft(DRAFT)
    journal.put_draft(replace(DRAFT, version=DraftVersion(LUNCH, "Soup today")))
    journal.put_outbox(MESSAGE)
    journal.delete_outbox("m1")
    refuse(journal, False)
    assert journal.flush()
    assert [draft.version.content for draft in journal.load_drafts()] == ["Soup today"]
    assert journal.load_outbox() == []
    journal.close()


def test_a_write_made_during_a_failing_one_is_the_newer(tmp_path: Path) -> None:
    disk = Held()
    journal = journal_at(tmp_path, executor=disk)
    connection = connection_of(journal)
    newer = replace(DRAFT, version=DraftVersion(LUNCH, "Soup today"))
    refuse(journal)
    first = journal.put_draft(DRAFT)
    during: list[Future[bool]] = []
    connection.set_trace_callback(lambda _: None if during else during.append(journal.put_draft(newer)))
    disk.step()
    assert first.result() is False
    refuse(journal, False)
    disk.step()
    assert during[0].result() is True
    assert journal.load_drafts() == [newer]
    killed(journal)


def test_a_folder_that_cannot_be_written_means_memory_and_a_warning(tmp_path: Path) -> None:
    journal = journal_at(tmp_path / "missing")
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
    failed = replace(MESSAGE, state=OutboxState.FAILED, error="No response", tried=True, unknown=True)
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


def test_the_warning_about_a_damaged_file_stays_after_the_next_write(tmp_path: Path) -> None:
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


def test_a_file_that_breaks_while_it_is_open_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = journal_at(tmp_path)
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
    again = journal_at(tmp_path)
    assert again.warning is None
    assert again.load_outbox() == [*before, after]
    assert again.load_read_marks() == [5]
    again.close()
    assert any(".damaged-" in name.name for name in tmp_path.iterdir())


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
    drafts = {draft.draft_id: draft for draft in again.load_drafts()}
    draft = drafts["bad address"]
    assert draft.version == draft.base == DraftVersion(None, DRAFT.content)
    assert drafts["unsent bad address"].version == DraftVersion(None, MESSAGE.content)
    assert drafts["unsent bad state"].version == DraftVersion(LUNCH, MESSAGE.content)
    assert "became drafts" in (again.warning or "")
    again.close()


_VICTIM = """
import os, signal, sys
from itertools import count
from msgspec.structs import replace
from pathlib import Path
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.journal import Journal
from narrowcast_api.storage.journal_file import open_for_writing
from narrowcast_api.storage.records import *

def run(path, fatal):
    statements = 0

    def trace(statement):
        # Before each statement that SQLite runs, commits included: the process is killed at number `fatal`.
        nonlocal statements
        statements += 1
        if statements == fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    connection, _ = open_for_writing(path)
    connection.set_trace_callback(trace)
    journal = Journal(connection, executor=inline("journal"))
    where = ChannelDestination(7, "lunch")
    for number in range(1, 3):
        # What the journal is told, then, only if that is durable, what is promised to the world.
        journal.put_draft(Draft("d", DraftVersion(where, f"text {number}"), float(number)))
        print(fatal, "draft", number, flush=True)
        record = OutboxMessage(f"m{number}", number, where, f"text {number}", OutboxState.WAITING, 1.0)
        journal.put_outbox(record)
        print(fatal, "queued", number, flush=True)
        journal.put_outbox(replace(record, state=OutboxState.SENDING, tried=True))
        print(fatal, "sending", number, flush=True)
        journal.delete_outbox(f"m{number}")
        print(fatal, "sent", number, flush=True)

for fatal in count(1):
    # In a copy of this process, since the imports take longer than all else.
    if (copy := os.fork()) == 0:
        run(Path(sys.argv[1]) / f"killed-{fatal}.db", fatal)
        os._exit(0)
    _, status = os.waitpid(copy, 0)
    if not os.WIFSIGNALED(status):
        sys.exit(os.waitstatus_to_exitcode(status))
"""


def killed_at_each(folder: Path) -> list[dict[str, int]]:
    """Runs the victim and kills it before its first statement, its second one, and so on, each time with a file of
    its own; then once to its end. Returns the last number of each confirmation.
    """
    ran = subprocess.run(
        [sys.executable, "-c", _VICTIM, str(folder)], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = [line.split() for line in ran.stdout.splitlines()]
    return [
        {what: int(number) for at, what, number in lines if int(at) == fatal}
        for fatal in range(1, int(lines[-1][0]) + 1)
    ]


def test_nothing_promised_is_lost_whichever_statement_the_process_is_killed_at(tmp_path: Path) -> None:
    *killed, whole = killed_at_each(tmp_path)
    assert whole == dict.fromkeys(["draft", "queued", "sending", "sent"], 2)
    assert len(killed) >= 2 * 4 * 3, "begin, write and commit of each step are all points to die at"
    for statement, promised in enumerate(killed, 1):
        path = tmp_path / f"killed-{statement}.db"
        journal = Journal.open(path, executor=inline)
        assert journal.warning is None
        drafts = [record.version.content for record in journal.load_drafts()]
        outbox = {record.position: record.state for record in journal.load_outbox()}
        journal.close()
        written = promised.get("draft", 0)
        assert drafts in ([f"text {written}"], [f"text {written + 1}"]) or (written == 0 and drafts == [])
        for number in range(1, promised.get("queued", 0) + 1):
            if number <= promised.get("sent", 0):
                allowed: set[OutboxState | None] = {None}  # sent and deleted: it must not reappear
            elif number <= promised.get("sending", 0):
                allowed = {OutboxState.SENDING, None}  # the attempt is recorded, or its outcome already is
            else:
                allowed = {OutboxState.WAITING, OutboxState.SENDING}
            assert outbox.get(number) in allowed
