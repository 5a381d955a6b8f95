"""Drafts that another device changes: both texts are kept, and all devices end with the same drafts."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.resources.drafts import DraftVersion
from support.clock import VirtualClock
from support.draft_server import LUNCH, DraftClient, DraftServer, Held, edited_elsewhere

TEA = ChannelDestination(7, "tea")


async def test_drafts_of_other_devices_come_change_and_go(client: DraftClient) -> None:
    async with client:
        await client.receive("theirs")
        assert client.texts() == ["theirs"]
        edited_elsewhere(client.server, 1, "theirs, longer", DirectDestination(frozenset({12})))
        await client.catch_up()
        assert client.texts() == ["theirs, longer"]
        assert client.drafts.all()[0].destination == DirectDestination(frozenset({12}))
        client.server.delete(1)
        await client.catch_up()
        assert (client.texts(), client.kept(), client.calls) == ([], [], [])


async def test_a_snapshot_brings_everything_up_to_date(client: DraftClient) -> None:
    async with client:
        for text in ("one", "two", "three"):
            client.server.create(DraftVersion(LUNCH, text))
        await client.catch_up()
        edited_elsewhere(client.server, 2, "two, longer")
        client.server.delete(3)
        client.server.create(DraftVersion(LUNCH, "four"))
        client.register()
        assert client.texts() == ["four", "one", "two, longer"]
        assert client.drafts.conflicts() == []


async def test_a_snapshot_at_its_cap_proves_nothing_about_what_is_missing(client: DraftClient) -> None:
    async with client:
        await client.receive("old")
        others = [client.server.create(DraftVersion(LUNCH, f"new {n}")) for n in range(1000)]
        client.drafts.on_snapshot([client.server.drafts[number] for number in others])
        assert "old" in client.texts()


async def test_an_edit_that_ours_overwrites_on_the_server_is_kept(client: DraftClient) -> None:
    async with client:
        draft_id = await client.receive("base")
        client.hold = True
        client.drafts.save(draft_id, LUNCH, "mine")
        await client.clock.advance(3)
        edited_elsewhere(client.server, 1, "theirs")  # after our fetch, and its event has not arrived yet
        client.hold = False
        client.finish(client.held[0], "ok")
        await client.clock.settle()
        assert client.server.texts() == ["mine"], "the server detects nothing"
        await client.catch_up()
        await client.clock.advance(3)
        await client.catch_up()
        assert client.texts() == ["mine", "theirs"]
        assert sorted(client.server.texts()) == ["mine", "theirs"]
        assert client.calls == ["fetch", "edit 1 mine", "create theirs"]


async def test_an_edit_that_overwrote_ours_while_nothing_was_heard_is_kept_beside_it(
    client: DraftClient,
) -> None:
    async with client:
        draft_id = await client.receive("base")
        client.drafts.save(draft_id, LUNCH, "mine")
        await client.clock.advance(3)
        edited_elsewhere(client.server, 1, "theirs")
        client.register()
        await client.clock.advance(5)
        await client.catch_up()
        assert client.texts() == sorted(client.server.texts()) == ["mine", "theirs"]


@pytest.mark.parametrize("is_late", [True, False], ids=["its event is late", "its event is lost"])
async def test_an_edit_that_no_event_told_of_is_kept_before_ours_is_sent(
    client: DraftClient, is_late: bool
) -> None:
    async with client:
        draft_id = await client.receive("base")
        edited_elsewhere(client.server, 1, "theirs")
        if not is_late:
            client.queue.clear()
        client.drafts.save(draft_id, LUNCH, "mine")
        await client.clock.advance(6)
        assert client.server.texts() == client.texts() == ["mine", "theirs"]
        await client.catch_up()
        await client.clock.advance(20)
        await client.catch_up()
        assert client.server.texts() == client.texts() == ["mine", "theirs"], "nothing is kept twice"
        assert len(client.drafts.conflicts()) == 1


async def test_deleted_elsewhere_while_one_types_keeps_the_words(client: DraftClient) -> None:
    async with client:
        mine = await client.receive("base")
        client.drafts.save(mine, LUNCH, "base, mine")
        client.server.delete(1)
        await client.catch_up()
        await client.clock.advance(10)
        assert client.texts() == ["base, mine"]
        assert client.server.texts() == ["base, mine"]


async def test_deleted_elsewhere_before_the_event_came_is_made_anew(client: DraftClient) -> None:
    async with client:
        draft_id = await client.receive("base")
        client.drafts.save(draft_id, LUNCH, "mine")
        client.server.delete(1)
        await client.clock.advance(10)  # PATCH returns 404
        assert client.server.texts() == ["mine"]
        await client.catch_up()
        assert (client.server.texts(), client.texts()) == (["mine"], ["mine"])


async def test_edited_elsewhere_while_one_deletes_keeps_the_newer_words(client: DraftClient) -> None:
    async with client:
        draft_id = await client.receive("base")
        client.online = False
        client.drafts.delete(draft_id)
        edited_elsewhere(client.server, 1, "newer")
        await client.catch_up()
        client.online = True
        client.drafts.wake()
        await client.clock.advance(5)
        assert (client.texts(), client.server.texts(), client.calls) == (["newer"], ["newer"], [])


async def deleting(client: DraftClient) -> Held:
    """The pending request that deletes a draft; another device edits the draft meanwhile."""
    draft_id = await client.receive("base")
    client.hold = True
    client.drafts.delete(draft_id)
    await client.clock.advance(1)
    (deletion,) = client.held
    edited_elsewhere(client.server, 1, "newer")
    return deletion


async def test_edited_elsewhere_just_before_our_deletion_keeps_the_words_that_were_never_seen(
    client: DraftClient,
) -> None:
    async with client:
        deletion = await deleting(client)  # after our fetch, and the event of the edit has not arrived yet
        client.hold = False
        client.finish(deletion, "ok")
        await client.clock.settle()
        assert (client.server.texts(), client.texts()) == ([], [])
        await client.catch_up()
        await client.clock.advance(5)
        assert (client.server.texts(), client.texts()) == (["newer"], ["newer"])


async def test_writing_on_after_the_server_deleted_it_makes_a_new_draft(client: DraftClient) -> None:
    async with client:
        draft_id = await client.sync("Soup")
        client.drafts.delete(draft_id)
        await client.clock.advance(1)
        client.drafts.save(draft_id, LUNCH, "Soup again")
        await client.catch_up()
        await client.clock.advance(5)
        await client.catch_up()
        assert (client.server.texts(), client.texts()) == (["Soup again"], ["Soup again"])


async def test_late_events_of_own_edits_are_not_a_conflict(client: DraftClient) -> None:
    async with client:
        draft_id = client.drafts.save(None, LUNCH, "one")
        await client.clock.advance(3)
        for text in ("two", "three"):
            client.drafts.save(draft_id, LUNCH, text)
            await client.clock.advance(3)
        assert len(client.queue) == 3
        await client.catch_up()
        await client.clock.advance(30)
        assert (client.texts(), client.drafts.conflicts()) == (["three"], [])
        assert client.calls == ["create one", "fetch", "edit 1 two", "fetch", "edit 1 three"]


async def test_two_devices_end_with_the_same_drafts_and_both_texts(tmp_path: Path) -> None:
    server, clock = DraftServer(), VirtualClock()
    one, two = (DraftClient(server, tmp_path, clock, name) for name in "ab")
    async with one, two:
        server.create(DraftVersion(LUNCH, "base"))
        for client in (one, two):
            await client.catch_up()
            client.drafts.save(client.drafts.all()[0].draft_id, LUNCH, f"from {client.name}")
        for _ in range(6):
            await clock.advance(3)
            await one.catch_up()
            await two.catch_up()
        assert one.texts() == two.texts() == sorted(server.texts()) == ["from a", "from b"]


async def test_a_draft_made_while_a_snapshot_was_taken_is_kept(client: DraftClient) -> None:
    async with client:
        mine = client.drafts.save(None, LUNCH, "mine")
        await client.clock.advance(10)
        client.drafts.on_snapshot([])
        await client.clock.advance(10)
        assert (client.texts(), client.server.texts()) == (["mine"], ["mine"]), "its event is still to come"
        await client.catch_up()
        client.drafts.on_snapshot([])
        assert client.drafts.get(mine) is None, "the server had it, and has it no more"


async def test_a_draft_that_is_being_created_is_not_dropped_because_its_twin_is_gone(
    client: DraftClient,
) -> None:
    async with client:
        mine = client.drafts.save(None, LUNCH, "Soup")
        client.hold = True
        await client.clock.advance(3)
        (creation,) = client.held
        client.server.create(DraftVersion(LUNCH, "Soup"))  # another device's, whose event looks like ours
        await client.catch_up()
        client.server.delete(1)
        client.register()
        assert client.drafts.get(mine) is not None
        client.hold = False
        client.finish(creation, "ok")
        await client.clock.advance(3)
        await client.catch_up()
        assert [draft.draft_id for draft in client.drafts.all()] == [mine]
        assert (client.texts(), client.server.texts()) == (["Soup"], ["Soup"])


async def test_edited_elsewhere_while_its_deletion_is_under_way_keeps_the_newer_words(
    client: DraftClient,
) -> None:
    async with client:
        deletion = await deleting(client)
        await client.catch_up()
        client.hold = False
        client.finish(deletion, "lost after")  # carried out, but no response has arrived here
        await client.catch_up()
        await client.clock.advance(10)
        assert (client.texts(), client.server.texts()) == (["newer"], ["newer"])


@pytest.mark.parametrize(("later", "texts"), [(0.5, ["our words"]), (30.0, [])])
async def test_words_that_another_device_cannot_have_read_are_not_deleted_with_the_draft(
    client: DraftClient, later: float, texts: list[str]
) -> None:
    async with client:
        draft_id = await client.sync("older words")
        client.drafts.save(draft_id, LUNCH, "our words")
        await client.clock.advance(2.1)
        await client.catch_up()
        assert client.server.texts() == ["our words"]
        await client.clock.advance(later)
        client.server.delete(next(iter(client.server.drafts)))
        await client.catch_up()
        await client.clock.advance(20)
        assert client.server.texts() == client.texts() == texts


async def test_a_draft_that_another_device_deletes_as_soon_as_it_is_there_is_not_made_again(
    client: DraftClient,
) -> None:
    async with client:
        client.drafts.save(None, LUNCH, "our words")
        await client.clock.advance(2.1)
        await client.catch_up()
        client.server.delete(next(iter(client.server.drafts)))
        await client.catch_up()
        await client.clock.advance(20)
        assert client.server.texts() == client.texts() == []


async def test_a_text_that_outlives_its_draft_is_reported_once(client: DraftClient) -> None:
    async with client:
        draft_id = await client.receive("base")
        assert not client.drafts.was_removed(draft_id)
        client.drafts.save(draft_id, LUNCH, "base and more")
        client.server.delete(1)
        await client.catch_up()
        assert client.texts() == ["base and more"]
        assert client.drafts.was_removed(draft_id)
        assert not client.drafts.was_removed(draft_id)


async def test_a_text_whose_draft_is_missing_when_it_is_sent_is_reported(client: DraftClient) -> None:
    async with client:
        draft_id = await client.receive("base")
        client.drafts.save(draft_id, LUNCH, "base and more")
        client.server.delete(1)  # its event is late
        await client.clock.advance(3)
        assert client.texts() == ["base and more"]
        assert client.drafts.was_removed(draft_id)


async def test_drafts_that_become_local_were_not_removed(client: DraftClient) -> None:
    async with client:
        draft_id = await client.receive("base")
        client.server.enabled = False
        client.drafts.on_setting()
        assert not client.drafts.was_removed(draft_id)
