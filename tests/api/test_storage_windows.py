"""One journal and several windows: who may write which row, which write loses, and how others learn of it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.protocols.draft_rows import is_same_version, merge_rows
from narrowcast_api.resources.drafts import DraftVersion
from narrowcast_api.storage.database import connect
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.journal import Journal
from narrowcast_api.storage.journal_rows import MIGRATIONS
from narrowcast_api.storage.records import Draft, OutboxMessage, OutboxState
from support.journals import connection_of

LUNCH = ChannelDestination(7, "lunch")
MESSAGE = OutboxMessage("m1", 1, LUNCH, "Soup", OutboxState.WAITING, 1.0)
DRAFT = Draft("d1", DraftVersion(LUNCH, "Soup"), 1.0, revision="r1")


def window(folder: Path, name: str) -> Journal:
    return Journal.open(folder / "journal.db", window=name, executor=inline)


def test_a_window_sees_changes_only_when_another_window_has_written(tmp_path: Path) -> None:
    with closing(window(tmp_path, "a")) as first, closing(window(tmp_path, "b")) as second:
        first.put_outbox(MESSAGE)
        assert not first.changed_elsewhere()
        assert second.changed_elsewhere()
        changes = second.refresh().result()
        assert changes.outbox() == {"m1": replace(MESSAGE, owner="a")}
        assert not second.changed_elsewhere()
        first.delete_outbox("m1", 55)
        gone = second.refresh().result()
        assert (gone.outbox(), gone.numbers("sent")) == ({"m1": None}, ({55}, set()))


def test_only_the_owner_of_a_message_writes_it(tmp_path: Path) -> None:
    with closing(window(tmp_path, "a")) as first, closing(window(tmp_path, "b")) as second:
        first.put_outbox(MESSAGE)
        assert second.claim_outbox("m1").result().outbox() == {"m1": replace(MESSAGE, owner="b")}
        first.put_outbox(replace(MESSAGE, state=OutboxState.SENDING, tried=True))
        assert first.is_lost("outbox", "m1"), "so it must not be sent there"
        assert first.changed_elsewhere()
        changes = first.refresh().result()
        assert changes.outbox() == {"m1": replace(MESSAGE, owner="b")}
        assert changes.lost_of("outbox") == {"m1"}
        first.delete_outbox("m1")
        assert [record.owner for record in second.load_outbox()] == ["b"]


def test_a_message_that_has_arrived_goes_also_where_another_window_has_just_taken_it_over(
    tmp_path: Path,
) -> None:
    with closing(window(tmp_path, "a")) as first, closing(window(tmp_path, "b")) as second:
        first.put_outbox(MESSAGE)
        second.claim_outbox("m1").result()
        first.delete_outbox("m1", 55)
        gone = second.refresh().result()
        assert (gone.outbox(), gone.numbers("sent")) == ({"m1": None}, ({55}, set()))


def test_what_was_taken_back_elsewhere_does_not_come_again_with_a_late_write(tmp_path: Path) -> None:
    with closing(window(tmp_path, "a")) as first, closing(window(tmp_path, "b")) as second:
        first.put_outbox(MESSAGE)
        second.claim_outbox("m1").result()
        second.delete_outbox("m1")
        first.put_outbox(replace(MESSAGE, state=OutboxState.SENDING, tried=True))
        assert first.is_lost("outbox", "m1")
        assert second.load_outbox() == []


def test_a_message_that_is_being_sent_cannot_be_claimed_and_is_adopted_from_a_window_that_is_gone(
    tmp_path: Path,
) -> None:
    with closing(window(tmp_path, "a")) as first, closing(window(tmp_path, "b")) as second:
        sending = replace(MESSAGE, state=OutboxState.SENDING, tried=True)
        first.put_outbox(sending)
        second.claim_outbox("m1").result()
        assert second.load_outbox() == [replace(sending, owner="a")]
        assert second.owners() == {"a"}
        assert second.take_over({"a"}).result().outbox() == {"m1": replace(sending, owner="b")}
        assert second.owners() == set()


def test_a_draft_is_written_only_over_the_revision_that_its_writer_knew(tmp_path: Path) -> None:
    with closing(window(tmp_path, "a")) as first, closing(window(tmp_path, "b")) as second:
        first.put_draft(DRAFT)
        second.refresh()
        theirs = replace(DRAFT, version=DraftVersion(LUNCH, "Soup and bread"), revision="r2")
        second.put_draft(theirs, over="r1")
        mine = replace(DRAFT, version=DraftVersion(LUNCH, "Soup or stew"), revision="r3")
        first.put_draft(mine, over="r1")
        first.put_draft(replace(mine, revision="r4"), over="r3")
        assert first.is_lost("drafts", "d1")
        assert first.refresh().result().drafts() == {"d1": theirs}
        first.delete_draft("d1", over="r4")
        assert first.load_drafts() == [theirs]
        first.put_draft(replace(mine, revision="r5"), over="r2")
        assert not first.is_lost("drafts", "d1")
        assert [draft.revision for draft in second.load_drafts()] == ["r5"]


def test_a_window_whose_file_another_one_replaced_writes_on_in_the_new_one(tmp_path: Path) -> None:
    first = window(tmp_path, "a")
    first.put_outbox(MESSAGE)
    connection_of(first).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with (tmp_path / "journal.db").open("r+b") as file:
        file.write(b"\xa5" * 20_000)
    second = window(tmp_path, "b")
    assert "damaged" in (second.warning or "")
    assert second.load_outbox() == []
    assert first.changed_elsewhere()
    first.refresh()
    assert second.refresh().result().outbox() == {"m1": replace(MESSAGE, owner="a")}
    first.put_outbox(replace(MESSAGE, local_id="m2", position=2))
    assert [record.local_id for record in second.load_outbox()] == ["m1", "m2"]
    first.close()
    second.close()


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_a_journal_of_an_earlier_version_opens_and_what_it_holds_is_adopted(
    tmp_path: Path, version: int
) -> None:
    path = tmp_path / "journal.db"
    with closing(connect(path, synchronous="FULL", migrations=MIGRATIONS[:version])) as old:
        old.execute(
            """INSERT INTO outbox (local_id, position, destination, content, state, created, tried)
               VALUES ('m1', 1, '["channel",7,"lunch"]', 'Soup', 'waiting', 1.0, 0)"""
        )
        old.execute(
            """INSERT INTO drafts (draft_id, content, edited, has_base, dirty, deleted, posting)
               VALUES ('d1', 'Stew', 1.0, 0, 1, 0, 0)"""
        )
    with closing(window(tmp_path, "a")) as journal:
        assert journal.warning is None
        assert journal.owners() == {None}
        assert journal.adopt(journal.owners())
        journal.load()
        assert journal.load_outbox() == [replace(MESSAGE, owner="a")]
        (draft,) = journal.load_drafts()
        changed = replace(draft, version=DraftVersion(None, "Stew again"), revision="r2")
        journal.put_draft(changed, over=draft.revision)
        assert journal.load_drafts() == [changed]


def test_what_an_earlier_version_did_not_know_is_unknown_still(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    errors = {
        "m1": "It is not known whether this arrived: no response within 30 s",
        "m2": "You may not post here.",
    }
    with closing(connect(path, synchronous="FULL", migrations=MIGRATIONS[:7])) as old:
        old.executemany(
            """INSERT INTO outbox (local_id, position, destination, content, state, created, error, tried, owner)
               VALUES (?, 1, '["channel",7,"lunch"]', 'Soup', 'failed', 1.0, ?, 1, 'a')""",
            errors.items(),
        )
    with closing(window(tmp_path, "a")) as journal:
        assert {record.local_id: record.unknown for record in journal.load_outbox()} == {
            "m1": True,
            "m2": False,
        }


def test_windows_that_start_together_migrate_the_file_once(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    connect(path, synchronous="FULL", migrations=MIGRATIONS[:3]).close()
    first = sqlite3.connect(path, isolation_level=None, timeout=0.0)
    second = connect(path, synchronous="FULL", migrations=MIGRATIONS)
    connect(path, synchronous="FULL", migrations=MIGRATIONS).close()
    assert first.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    first.close()
    second.close()


def version(words: str) -> DraftVersion:
    return DraftVersion(LUNCH, words)


SYNCED = replace(DRAFT, server_id=9, base=version("Soup"), dirty=False)


@pytest.mark.parametrize(
    ("mine", "theirs", "is_leader", "words", "deleted", "both"),
    [
        # One wrote, the other learned what the server has.
        ({"version": version("Stew")}, {}, False, "Stew", False, False),
        ({}, {"version": version("Stew")}, True, "Stew", False, False),
        # Both wrote.
        ({"version": version("Stew")}, {"version": version("Pie")}, False, "Stew", False, True),
        ({"version": version("Stew")}, {"version": version("Stew")}, False, "Stew", False, False),
        # Newer words prevail over a decision to delete older ones.
        ({"deleted": True}, {"version": version("Pie")}, False, "Pie", False, False),
        ({"version": version("Stew")}, {"deleted": True}, False, "Stew", False, False),
        ({"deleted": True}, {}, False, "Soup", True, False),
        ({}, {"deleted": True}, True, "Soup", True, False),
        ({"deleted": True, "dirty": True}, {"deleted": True}, True, "Soup", True, False),
    ],
)
def test_what_two_windows_made_of_a_draft_comes_together(
    mine: dict[str, object], theirs: dict[str, object], is_leader: bool, words: str, deleted: bool, both: bool
) -> None:
    merged, keeps_both = merge_rows(
        replace(SYNCED, revision="mine", **mine),
        replace(SYNCED, revision="theirs", **theirs),
        version("Soup"),
        written_here="version" in mine,
        is_leader=is_leader,
    )
    assert (merged.version, merged.deleted, keeps_both) == (version(words), deleted, both)
    assert (merged.server_id, merged.revision) == (9, "theirs")
    assert merged.dirty == (deleted or words != "Soup")


def test_what_the_server_has_deleted_is_made_anew_where_words_came_meanwhile() -> None:
    gone = replace(SYNCED, deleted=True, dirty=False)
    written = replace(SYNCED, version=version("Pie"), revision="theirs")
    merged, _ = merge_rows(gone, written, version("Soup"), written_here=False, is_leader=True)
    assert (merged.version, merged.server_id, merged.dirty, merged.deleted) == (
        version("Pie"),
        None,
        True,
        False,
    )


@pytest.mark.parametrize("is_leader", [True, False])
def test_the_syncing_window_knows_what_the_server_has(is_leader: bool) -> None:
    unsynced = replace(DRAFT, dirty=True)
    mine, theirs = (SYNCED, unsynced) if is_leader else (unsynced, SYNCED)
    merged, _ = merge_rows(mine, theirs, version("Soup"), written_here=False, is_leader=is_leader)
    assert (merged.server_id, merged.base, merged.dirty) == (9, version("Soup"), False)


def test_an_absent_server_text_equals_only_another_absent_one() -> None:
    assert is_same_version(None, None)
    assert not is_same_version(version("Soup"), None)
    assert is_same_version(version("Soup"), version("Soup "))


@pytest.mark.parametrize(("mine", "theirs"), [("d2", None), (None, "d2"), (None, None)])
def test_two_texts_of_one_draft_belong_together_whichever_window_found_out(
    mine: str | None, theirs: str | None
) -> None:
    merged, _ = merge_rows(
        replace(SYNCED, conflict_with=mine),
        replace(SYNCED, conflict_with=theirs),
        version("Soup"),
        written_here=False,
        is_leader=False,
    )
    assert merged.conflict_with == (mine or theirs)
