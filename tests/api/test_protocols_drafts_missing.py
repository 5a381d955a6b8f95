"""Drafts that the server was found not to have any more: sent, deleted or replaced elsewhere meanwhile, or lost when
the server was restored to an older state, which nothing shows once it has given later ids. Their texts are kept.
"""

from __future__ import annotations

from pathlib import Path

from narrowcast_api.protocols.draft_store import MISSING_FOR, MOST_MISSING
from narrowcast_api.resources.drafts import DraftVersion
from support.draft_server import LUNCH, DraftClient, Window, edited_elsewhere, pair


def missing(client: DraftClient) -> list[str]:
    return [draft.content for draft in client.drafts.missing()]


async def lost(client: DraftClient, content: str = "lost") -> str:
    """Registers anew with a server that has lost a draft; returns its id here."""
    draft_id = await client.receive(content)
    client.server.drafts.clear()
    client.register()
    return draft_id


async def test_a_draft_that_the_server_has_lost_is_kept_also_by_the_next_process(client: DraftClient) -> None:
    async with client:
        await lost(client)
        for _ in range(2):
            await client.clock.advance(60)
            assert (client.texts(), client.server.texts(), missing(client)) == ([], [], ["lost"])
            await client.crash()
            client.open()
            client.register()


async def test_a_missing_draft_is_reported_once(client: DraftClient) -> None:
    async with client:
        await lost(client)
        assert [client.drafts.newly_missing() for _ in range(2)] == [1, 0]
        await client.crash()
        client.open()
        client.register()
        assert client.drafts.newly_missing() == 0


async def test_a_missing_draft_that_is_restored_is_created_on_the_server_again(client: DraftClient) -> None:
    async with client:
        draft_id = await lost(client)
        assert client.drafts.get(draft_id) is None
        (draft,) = client.drafts.missing()
        assert client.drafts.save(draft.draft_id, draft.destination, draft.content) == draft_id
        await client.clock.advance(5)
        await client.catch_up()
        assert client.texts() == client.server.texts() == ["lost"]
        assert missing(client) == []


async def test_a_missing_draft_that_is_deleted_is_gone(client: DraftClient) -> None:
    async with client:
        client.drafts.delete(await lost(client))
        assert (missing(client), client.kept()) == ([], [])


async def test_the_text_of_a_draft_whose_id_another_one_got_is_kept(client: DraftClient) -> None:
    async with client:
        await client.receive("lost")
        edited_elsewhere(client.server, 1, "another")
        client.register()
        assert (client.texts(), missing(client)) == (["another"], ["lost"])
        await client.clock.advance(60)
        assert (client.texts(), client.server.texts()) == (["another"], ["another"])


async def test_a_text_that_was_continued_elsewhere_is_not_kept_beside_it(client: DraftClient) -> None:
    async with client:
        await client.receive("soup")
        edited_elsewhere(client.server, 1, "more soup, please")
        client.register()
        assert (client.texts(), missing(client)) == (["more soup, please"], [])


async def test_a_draft_whose_text_is_there_under_another_id_is_not_missing(client: DraftClient) -> None:
    async with client:
        await client.receive("soup")
        del client.server.drafts[1]
        client.server.create(DraftVersion(LUNCH, "soup"))
        client.register()
        assert (client.texts(), missing(client)) == (["soup"], [])


async def test_a_draft_that_one_learns_was_deleted_is_not_missing(client: DraftClient) -> None:
    async with client:
        await client.receive("soup")
        client.server.delete(1)
        await client.catch_up()
        assert (client.texts(), missing(client)) == ([], [])


async def test_a_draft_deleted_here_is_not_missing(client: DraftClient) -> None:
    async with client:
        draft_id = await client.receive("soup")
        client.online = False
        client.drafts.delete(draft_id)
        client.server.drafts.clear()
        client.register()
        assert (client.texts(), missing(client), client.kept()) == ([], [], [])


async def test_the_last_texts_are_kept_for_a_month(client: DraftClient) -> None:
    async with client:
        await lost(client, "first")
        await client.clock.advance(MISSING_FOR / 2)
        for number in range(MOST_MISSING - 1):
            client.server.create(DraftVersion(LUNCH, f"text {number}"))
        await client.catch_up()
        client.server.drafts.clear()
        client.register()
        assert (len(missing(client)), missing(client)[-1]) == (MOST_MISSING, "first")
        await client.clock.advance(1)
        await lost(client, "last")
        assert (len(missing(client)), missing(client)[0]) == (MOST_MISSING, "last")
        assert "first" not in missing(client)
        await client.clock.advance(MISSING_FOR + 1)
        client.register()
        assert (missing(client), client.kept()) == ([], [])


# two windows, of which one registers


async def known(one: Window, other: Window) -> str:
    """A draft that both windows and the server have; returns its id."""
    draft_id = await one.sync("soup")
    other.look()
    one.server.drafts.clear()
    return draft_id


async def test_a_draft_that_is_missing_leaves_every_window_and_any_restores_it(tmp_path: Path) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        draft_id = await known(leader, other)
        leader.register()
        other.look()
        assert (other.drafts.get(draft_id), missing(other), other.drafts.newly_missing()) == (
            None,
            ["soup"],
            1,
        )
        other.drafts.save(draft_id, LUNCH, "soup")
        leader.look()
        await leader.clock.advance(5)
        assert leader.texts() == other.texts() == leader.server.texts() == ["soup"]


async def test_what_another_window_types_into_a_missing_draft_is_a_new_one(tmp_path: Path) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        draft_id = await known(leader, other)
        leader.register()
        other.drafts.save(draft_id, LUNCH, "soup and bread")
        other.look()
        assert other.drafts.was_removed(draft_id)
        leader.look()
        await leader.clock.advance(5)
        assert leader.texts() == other.texts() == leader.server.texts() == ["soup and bread"]


async def test_what_another_window_has_typed_before_a_draft_is_found_missing_is_a_new_one(
    tmp_path: Path,
) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        draft_id = await known(leader, other)
        other.drafts.save(draft_id, LUNCH, "soup and bread")
        leader.register()
        for window in (leader, other):
            window.look()
        assert other.drafts.was_removed(draft_id)
        await leader.clock.advance(5)
        assert leader.texts() == other.texts() == leader.server.texts() == ["soup and bread"]


async def test_a_missing_draft_that_another_window_deletes_is_gone(tmp_path: Path) -> None:
    leader, other = pair(tmp_path)
    async with leader, other:
        draft_id = await known(leader, other)
        leader.register()
        other.drafts.delete(draft_id)
        for window in (other, leader):
            window.look()
        await leader.clock.advance(5)
        other.look()
        assert (leader.texts(), missing(leader), missing(other), leader.kept()) == ([], [], [], [])
