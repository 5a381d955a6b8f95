"""Two windows of an account with one journal of drafts: no words are lost, and only one window syncs."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from narrowcast_api.protocols.drafts import FLUSH_SECONDS
from narrowcast_api.storage.journal import Journal, JournalChanges
from support.draft_server import LUNCH, Window, known_to_both, pair
from support.journals import Held, killed


async def test_one_window_tells_the_server_of_what_any_has_written(tmp_path: Path) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        draft_id = other.drafts.save(None, LUNCH, "Soup")
        leader.look()
        assert leader.texts() == ["Soup"]
        await leader.clock.advance(3)
        assert (leader.calls, other.calls) == (["create Soup"], [])
        other.look()
        await other.catch_up()
        await leader.catch_up()
        assert (other.texts(), leader.texts()) == (["Soup"], ["Soup"])
        draft = other.drafts.get(draft_id)
        assert draft is not None
        assert draft.synced
        other.look()
        other.drafts.delete(draft_id)
        leader.look()
        await leader.clock.advance(1)
        assert leader.server.texts() == []


async def test_words_of_both_windows_at_once_are_both_kept(tmp_path: Path) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        draft_id = known_to_both(leader, other)
        await leader.clock.advance(1)
        leader.drafts.save(draft_id, LUNCH, "Soup and bread")
        other.drafts.save(draft_id, LUNCH, "Soup or stew")
        for window in (other, leader, other):
            window.look()
        assert leader.texts() == other.texts() == ["Soup and bread", "Soup or stew"]
        await leader.clock.advance(10)
        assert sorted(leader.server.texts()) == ["Soup and bread", "Soup or stew"]


async def test_words_that_are_typed_while_the_journal_is_read_are_not_replaced_by_what_was_read(
    tmp_path: Path,
) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        draft_id = known_to_both(leader, other)
        leader.drafts.save(draft_id, LUNCH, "Soup and bread")
        await leader.clock.advance(1)
        read = other.journal.refresh().result()
        (disk := Held()).take(other.journal)
        await other.clock.advance(1)
        other.drafts.save(draft_id, LUNCH, "Soup or stew")
        other.drafts.on_journal(read)
        assert other.texts() == ["Soup or stew"]
        disk.write()
        changes = other.journal.refresh()
        disk.write()
        other.drafts.on_journal(changes.result())
        disk.write()
        leader.look()
        assert leader.texts() == other.texts() == ["Soup and bread", "Soup or stew"]


async def test_typed_text_stays_although_the_other_window_had_typed_the_same_letters(tmp_path: Path) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        draft_id = known_to_both(leader, other)
        (disk := Held()).take(other.journal)
        for theirs in ("Soup a", "Soup and bread"):
            await leader.clock.advance(1)
            leader.drafts.save(draft_id, LUNCH, theirs)
            other.drafts.save(draft_id, LUNCH, "Soup a")
            changes = other.journal.refresh()
            disk.write()
            other.drafts.on_journal(changes.result())
            assert (draft := other.drafts.get(draft_id)) is not None
            assert draft.content == "Soup a"
        disk.write()
        leader.look()
        assert leader.texts() == other.texts() == ["Soup a", "Soup and bread"]


async def _race(leader: Window, other: Window) -> Held:
    """Edits one draft in both windows, with the journal write of `other` held; returns the held write."""
    draft_id = known_to_both(leader, other)
    await leader.clock.advance(1)
    leader.drafts.save(draft_id, LUNCH, "Soup and bread")
    (disk := Held()).take(other.journal)
    other.drafts.save(draft_id, LUNCH, "Soup or stew")
    return disk


async def test_the_end_of_a_window_leaves_the_loop_free_while_it_waits_for_the_disk(tmp_path: Path) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        disk = await _race(leader, other)
        flushing = asyncio.create_task(other.drafts.flush(within=600))
        for _ in range(10):
            await asyncio.sleep(0)
            assert not flushing.done()
        while not flushing.done():
            disk.write()
            await asyncio.sleep(0)
        leader.look()
        assert leader.texts() == other.texts() == ["Soup and bread", "Soup or stew"]


async def test_an_end_that_can_await_nothing_waits_once_for_the_disk_whoever_is_faster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        disk = await _race(leader, other)
        waits: list[float] = []
        result = Future.result

        def slow(future: Future[Any], timeout: float | None = None) -> Any:
            if not future.done():
                assert timeout is not None
                waits.append(timeout)
                other.clock.lapse(FLUSH_SECONDS / 4)
                disk.write()
            return result(future, timeout)

        monkeypatch.setattr(Future, "result", slow)
        other.drafts.flush_blocking()
        assert waits == [FLUSH_SECONDS, FLUSH_SECONDS * 3 / 4, FLUSH_SECONDS / 2]
        leader.look()
        assert leader.texts() == ["Soup and bread", "Soup or stew"]


async def test_another_window_goes_on_where_the_one_that_spoke_to_the_server_ended(tmp_path: Path) -> None:
    leader, other = pair(tmp_path)
    async with other:
        async with leader:
            leader.hold = True
            leader.drafts.save(None, LUNCH, "Soup")
            await leader.clock.advance(3)
            (request,) = leader.held
            request.act()  # carried out, but its response and its event are lost
            other.look()
        other.queue.clear()
        other.drafts.become_leader()
        await other.clock.advance(3)
        assert other.calls == ["fetch"]
        assert (other.server.texts(), other.texts()) == (["Soup"], ["Soup"])


async def test_an_ending_keeps_its_words_beside_those_of_a_window_that_was_faster(tmp_path: Path) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        draft_id = known_to_both(leader, other)
        leader.drafts.save(draft_id, LUNCH, "Soup and bread")
        await leader.drafts.flush()
        other.drafts.save(draft_id, LUNCH, "Soup or stew")
        await other.drafts.flush()
        leader.look()
        assert leader.texts() == other.texts() == ["Soup and bread", "Soup or stew"]


async def test_an_ending_gives_up_where_another_window_is_always_faster_and_the_next_one_keeps_the_words(
    tmp_path: Path,
) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        draft_id = known_to_both(leader, other)
        read = other.journal.refresh
        rounds = 0

        def read_too_early() -> Future[JournalChanges]:
            nonlocal rounds
            changes = read()
            rounds += 1
            leader.drafts.save(draft_id, LUNCH, f"Soup {rounds}")
            leader.drafts.flush_blocking()
            return changes

        leader.drafts.save(draft_id, LUNCH, "Soup and bread")
        await leader.drafts.flush()
        other.drafts.save(draft_id, LUNCH, "Soup or stew")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(other.journal, "refresh", read_too_early)
            await other.drafts.flush()
            assert rounds > 1
        await other.drafts.flush()
        assert "Soup or stew" in other.texts()


def test_the_journal_of_a_window_says_which_of_its_writes_wait(tmp_path: Path) -> None:
    disk = Held()
    journal = Journal.open(tmp_path / "journal.db", window="a", executor=lambda _: disk)
    journal.put_read_marks([5])
    assert journal.is_pending("read_marks", "5")
    disk.write()
    assert not journal.is_pending("read_marks", "5")
    killed(journal)


async def test_a_window_that_writes_on_learns_that_the_other_has_sent_the_draft(tmp_path: Path) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        leader.server.enabled = False
        draft_id = known_to_both(leader, other)
        leader.drafts.delete(draft_id)
        other.drafts.save(draft_id, LUNCH, "Soup and bread")
        other.look()
        assert other.texts() == ["Soup and bread"]
        assert other.drafts.was_removed(draft_id)


async def test_a_window_that_writes_on_learns_of_a_deletion_that_the_server_does_not_know_yet(
    tmp_path: Path,
) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        draft_id = known_to_both(leader, other)
        await leader.clock.advance(3)
        other.look()
        leader.drafts.delete(draft_id)
        other.drafts.save(draft_id, LUNCH, "Soup and bread")
        other.look()
        assert other.texts() == ["Soup and bread"]
        assert other.drafts.was_removed(draft_id)


async def test_a_window_learns_of_a_deletion_elsewhere_from_the_one_that_syncs(tmp_path: Path) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        draft_id = known_to_both(leader, other)
        await leader.clock.advance(3)
        await leader.catch_up()
        other.look()
        other.drafts.save(draft_id, LUNCH, "Soup and bread")
        leader.look()
        leader.server.delete(1)
        await leader.catch_up()
        assert leader.texts() == ["Soup and bread"]
        other.look()
        assert other.drafts.was_removed(draft_id)


@pytest.mark.parametrize("is_synced", [False, True])
async def test_a_text_that_is_newer_than_what_another_window_sends_is_a_new_draft_and_it_is_told(
    tmp_path: Path, is_synced: bool
) -> None:
    leader, other = pair(tmp_path)
    for sender, writer in ((leader, other), (other, leader)):
        async with leader, other:
            leader.server.enabled = is_synced
            draft_id = known_to_both(leader, other)
            await leader.clock.advance(3)
            other.look()
            writer.drafts.save(draft_id, LUNCH, "Soup and bread")
            sender.drafts.delete(draft_id)  # it has not read the new text yet
            for window in (sender, writer, sender):
                window.look()
            assert writer.drafts.was_removed(draft_id)
            assert not writer.drafts.was_removed(draft_id)
            assert leader.texts() == other.texts() == ["Soup and bread"]
            assert not sender.drafts.is_from_elsewhere(draft_id)
            leader.drafts.delete(draft_id)
            other.look()
            await leader.clock.advance(3)


@pytest.mark.parametrize("is_synced", [False, True])
async def test_a_draft_of_which_another_window_has_sent_the_same_text_is_gone(
    tmp_path: Path, is_synced: bool
) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        leader.server.enabled = is_synced
        draft_id = known_to_both(leader, other)
        await leader.clock.advance(3)
        other.look()
        other.drafts.save(draft_id, LUNCH, "Soup and bread")
        leader.drafts.save(draft_id, LUNCH, "Soup and bread")
        leader.drafts.delete(draft_id)
        for window in (leader, other, leader):
            window.look()
        await leader.clock.advance(3)
        assert leader.texts() == other.texts() == leader.server.texts() == []
        assert not other.drafts.was_removed(draft_id)


async def test_a_draft_that_is_sent_while_another_window_writes_it_again_unchanged_does_not_come_back(
    tmp_path: Path,
) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        draft_id = known_to_both(leader, other)
        (disk := Held()).take(other.journal)
        await leader.clock.advance(3)  # it is on the server: the leader has written this to the journal
        other.drafts.save(draft_id, LUNCH, "Soup and bread")
        other.drafts.delete(draft_id)
        disk.write()
        changes = other.journal.refresh()
        disk.write()
        other.drafts.on_journal(changes.result())
        disk.write()
        leader.look()
        await leader.clock.advance(3)
        assert leader.texts() == other.texts() == leader.server.texts() == []
