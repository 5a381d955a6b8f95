"""Two windows of an account that write or delete one draft before either has seen what the other did."""

from __future__ import annotations

from pathlib import Path

from narrowcast_api.state.settings import Limits
from support.draft_server import LUNCH, Window, known_to_both, pair


async def test_a_draft_that_one_window_deletes_goes_from_the_other(tmp_path: Path) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        draft_id = known_to_both(leader, other)
        leader.drafts.delete(draft_id)
        other.look()
        assert (other.texts(), other.kept()) == ([], [])


async def test_words_written_while_the_other_window_deletes_stay_as_a_new_draft(tmp_path: Path) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        draft_id = known_to_both(leader, other)
        leader.drafts.delete(draft_id)
        other.drafts.save(draft_id, LUNCH, "Soup and bread")
        other.look()
        leader.look()
        assert leader.texts() == other.texts() == ["Soup and bread"]
        await leader.clock.advance(5)
        assert leader.calls == ["create Soup and bread"]


async def test_words_written_just_before_the_other_window_deletes_stay(tmp_path: Path) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        draft_id = known_to_both(leader, other)
        other.drafts.save(draft_id, LUNCH, "Soup and bread")
        leader.drafts.delete(draft_id)
        leader.look()
        other.look()
        assert leader.texts() == other.texts() == ["Soup and bread"]


async def test_a_draft_that_is_deleted_while_the_other_window_writes_the_same_again_goes(
    tmp_path: Path,
) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        draft_id = known_to_both(leader, other)
        for text in ("Soup and", "Soup"):
            await other.clock.advance(1)
            other.drafts.save(draft_id, LUNCH, text)
        leader.drafts.delete(draft_id)
        leader.look()
        await leader.clock.advance(5)
        other.look()
        assert leader.texts() == other.texts() == leader.kept() == []


async def test_a_draft_that_both_windows_delete_while_one_writes_is_gone(tmp_path: Path) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        draft_id = known_to_both(leader, other)
        other.drafts.save(draft_id, LUNCH, "Soup and bread")
        leader.drafts.delete(draft_id)
        other.drafts.delete(draft_id)
        leader.look()
        other.look()
        assert leader.texts() == other.texts() == leader.kept() == []


async def synced(leader: Window, other: Window) -> str:
    """Creates a draft "Soup" that both windows and the server have, and returns its id."""
    draft_id = await leader.sync("Soup")
    other.look()
    return draft_id


async def test_a_draft_of_the_server_that_both_windows_delete_is_deleted_there(tmp_path: Path) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        draft_id = await synced(leader, other)
        leader.drafts.delete(draft_id)
        other.drafts.delete(draft_id)
        other.look()
        leader.look()
        await leader.clock.advance(5)
        assert leader.server.texts() == []


async def test_the_same_words_in_both_windows_stay_one_draft_that_both_have(tmp_path: Path) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        draft_id = await synced(leader, other)
        leader.drafts.save(draft_id, LUNCH, "Soup and bread")
        await leader.clock.advance(3)
        await leader.catch_up()
        other.drafts.save(draft_id, LUNCH, "Soup and bread")
        for window in (other, leader, other):
            window.look()
        assert leader.texts() == other.texts() == leader.kept() == ["Soup and bread"]
        await leader.clock.advance(10)
        assert leader.calls == ["fetch", "edit 1 Soup and bread"]


async def test_words_that_the_other_window_has_just_written_are_sent_in_place_of_older_ones(
    tmp_path: Path,
) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        draft_id = known_to_both(leader, other)
        await leader.clock.advance(1.9)
        other.drafts.save(draft_id, LUNCH, "Soup and bread")
        await leader.clock.advance(0.2)
        leader.look()
        await leader.clock.advance(5)
        assert leader.calls == ["create Soup and bread"]


async def test_words_of_the_other_window_wait_for_a_pause_and_for_what_the_server_takes(
    tmp_path: Path,
) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        leader.limits = Limits(10, 60)
        short = other.drafts.save(None, LUNCH, "Soup")
        long = other.drafts.save(None, LUNCH, "Soup and bread")
        leader.look()
        await leader.clock.advance(1.9)
        assert leader.calls == []
        await leader.clock.advance(0.2)
        assert leader.calls == ["create Soup"]
        errors = [draft.error for draft_id in (short, long) if (draft := leader.drafts.get(draft_id))]
        assert errors == [None, "it is too long for this server"]


async def test_words_of_both_windows_at_once_that_the_server_would_cut_stay_here(tmp_path: Path) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        leader.limits = other.limits = Limits(10, 60)
        draft_id = known_to_both(leader, other)
        await leader.clock.advance(1)
        other.drafts.save(draft_id, LUNCH, "Soup and bread")
        leader.drafts.save(draft_id, LUNCH, "Soup!")
        leader.look()
        await leader.clock.advance(10)
        assert leader.calls == ["create Soup!"]
        assert {draft.content: draft.error for draft in leader.drafts.all()} == {
            "Soup!": None,
            "Soup and bread": "it is too long for this server",
        }
