"""journal.db: what is stored in it, in which form, and who may read it."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from concurrent.futures import Future
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.resources.drafts import DraftVersion
from narrowcast_api.storage.journal import Journal, JournalChanges, committed, deliver_changes
from narrowcast_api.storage.records import Draft, OutboxMessage, OutboxState
from support.journals import DRAFT, LUNCH, MESSAGE, Held, connection_of, journal_at

destinations: st.SearchStrategy[Destination] = st.one_of(
    st.builds(ChannelDestination, st.integers(1, 2**40), st.text()),
    st.builds(DirectDestination, st.frozensets(st.integers(1, 2**40))),
)


texts = st.text(st.characters(exclude_categories=["Cs"]))


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
    record = OutboxMessage("x", 3, destination, content, state, 12.5, "why", floor, True, unknown)
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


def test_the_ids_of_only_the_newest_500_sent_messages_are_kept(tmp_path: Path) -> None:
    journal = journal_at(tmp_path)
    for message_id in (*range(1, 600), 7):
        journal.delete_outbox(f"m{message_id}", message_id)
    journal.close()
    again = journal_at(tmp_path)
    assert again.load_sent() == list(range(100, 600))
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


async def test_a_cancelled_wait_for_a_write_does_not_delay_the_others(tmp_path: Path) -> None:
    journal = journal_at(tmp_path, executor=(disk := Held()))
    first = asyncio.create_task(committed(journal.put_draft(DRAFT)))
    second = asyncio.create_task(committed(journal.put_outbox(MESSAGE)))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    disk.write()
    assert await second
    assert [draft.draft_id for draft in journal.load_drafts()] == [DRAFT.draft_id]
    connection_of(journal).close()


def test_lone_surrogates_of_a_terminal_do_not_stop_a_draft_from_being_kept(tmp_path: Path) -> None:
    journal = journal_at(tmp_path)
    assert journal.put_draft(replace(DRAFT, version=DraftVersion(LUNCH, "a\udc80b"))).result()
    assert journal.load_drafts()[0].version.content == "a\ufffdb"
    journal.close()


def test_ids_that_no_database_can_hold_keep_no_words_from_the_disk(tmp_path: Path) -> None:
    journal = journal_at(tmp_path)
    assert journal.put_outbox(replace(MESSAGE, floor_id=2**70)).result() is True
    assert journal.put_draft(replace(DRAFT, server_id=-(2**70))).result() is True
    assert journal.put_outbox(replace(MESSAGE, local_id="bad", position=2**70)).result() is True
    assert journal.put_outbox(replace(MESSAGE, local_id="good")).result() is True
    assert [record.local_id for record in journal.load_outbox()] == ["good", "m1"]
    assert journal.load_drafts()[0].server_id is None
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


async def test_changes_read_from_other_windows_are_delivered_even_if_the_wait_is_cancelled() -> None:
    delivered: list[JournalChanges] = []
    reading: Future[JournalChanges] = Future()
    waiting = asyncio.ensure_future(deliver_changes(reading, delivered.append))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    changes = JournalChanges({}, frozenset({("drafts", "one")}))
    reading.set_result(changes)
    await asyncio.sleep(0)
    assert delivered == [changes]


async def test_an_error_while_processing_another_windows_changes_raises_for_every_waiter() -> None:
    def broken(changes: JournalChanges) -> None:
        raise RuntimeError("a bug")

    reading: Future[JournalChanges] = Future()
    reading.set_result(JournalChanges({}))
    with pytest.raises(RuntimeError, match="a bug"):
        await deliver_changes(reading, broken)
