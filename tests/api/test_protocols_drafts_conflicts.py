"""Two versions of one draft from two devices: both are kept, linked as a conflict until the user chooses."""

from __future__ import annotations

import pytest

from narrowcast_api.resources.drafts import DraftVersion
from support.draft_server import LUNCH, DraftClient, edited_elsewhere


async def test_an_edit_elsewhere_while_one_types_keeps_both(client: DraftClient) -> None:
    async with client:
        mine = await client.receive("base")
        client.drafts.save(mine, LUNCH, "base, mine")
        edited_elsewhere(client.server, 1, "base, theirs")
        await client.catch_up()
        ((ours, theirs),) = client.drafts.conflicts()
        assert {ours.content, theirs.content} == {"base, mine", "base, theirs"}
        assert client.drafts.get(mine) is not None, "the text in the compose box keeps its id"
        await client.clock.advance(10)
        await client.catch_up()
        assert sorted(client.server.texts()) == ["base, mine", "base, theirs"]
        assert client.server.drafts[1].content == "base, mine"


async def test_a_conflict_ends_when_one_text_is_dropped_or_both_are_wanted(client: DraftClient) -> None:
    async with client:
        for number in (1, 2):
            client.server.create(DraftVersion(LUNCH, f"base {number}"))
        await client.catch_up()
        for draft in client.drafts.all():
            client.drafts.save(draft.draft_id, LUNCH, f"{draft.content} mine")
        for number in (1, 2):
            edited_elsewhere(client.server, number, f"base {number} theirs")
        await client.catch_up()
        first, second = client.drafts.conflicts()
        client.drafts.delete(first[1].draft_id)
        client.drafts.keep_both(second[0].draft_id)
        assert client.drafts.conflicts() == []
        await client.clock.advance(10)
        assert len(client.server.texts()) == 3


async def test_the_same_edit_on_both_devices_is_no_conflict(client: DraftClient) -> None:
    async with client:
        draft_id = await client.receive("base")
        client.drafts.save(draft_id, LUNCH, "same \n")
        edited_elsewhere(client.server, 1, "same")
        await client.catch_up()
        assert (client.drafts.conflicts(), client.texts()) == ([], ["same \n"])
        await client.clock.advance(10)
        assert client.calls == []


async def edited_on_both(client: DraftClient) -> None:
    """Edits a synced draft to "mine" here, and to "theirs" on another device, whose event has not arrived
    yet.
    """
    draft_id = await client.receive("base")
    client.drafts.save(draft_id, LUNCH, "mine")
    edited_elsewhere(client.server, 1, "theirs")


async def test_a_conflict_is_there_again_after_a_crash(client: DraftClient) -> None:
    async with client:
        await edited_on_both(client)
        await client.catch_up()
        conflicts = client.drafts.conflicts()
        await client.crash()
        client.open()
        assert len(client.drafts.conflicts()) == len(conflicts) == 1


async def test_one_writes_on_in_the_other_text_while_it_is_being_sent_and_another_device_has_the_same_words(
    client: DraftClient,
) -> None:
    async with client:
        await edited_on_both(client)
        client.hold = True
        await client.catch_up()
        (creation,) = client.held
        ((_, theirs),) = client.drafts.conflicts()
        client.drafts.save(theirs.draft_id, LUNCH, "theirs!")
        client.server.create(DraftVersion(LUNCH, "theirs!"))
        await client.catch_up()
        client.hold = False
        client.finish(creation, "ok")
        await client.clock.advance(10)
        await client.catch_up()
        assert client.texts() == sorted(client.server.texts()) == ["mine", "theirs!", "theirs!"]


async def written_twice(client: DraftClient) -> tuple[str, float]:
    """A draft edited here and synced; its id, and the time of the edit."""
    draft_id = await client.sync("older words")
    start = client.clock.now()
    client.drafts.save(draft_id, LUNCH, "our words")
    await client.clock.advance(3)
    await client.catch_up()
    return draft_id, start


@pytest.mark.parametrize(
    ("typed", "theirs", "texts"),
    [
        (0.0, "their words", ["their words", "our words"]),
        (30.0, "their words", ["their words"]),
        (0.0, "our words, and theirs", ["our words, and theirs"]),
    ],
    ids=["typed before", "typed after", "written on"],
)
async def test_words_that_another_device_wrote_over_unseen_are_kept(
    client: DraftClient, typed: float, theirs: str, texts: list[str]
) -> None:
    async with client:
        draft_id, start = await written_twice(client)
        server_id = next(iter(client.server.drafts))
        client.server.edit(server_id, DraftVersion(LUNCH, theirs), start + typed)
        await client.catch_up()
        await client.clock.advance(20)
        assert sorted(client.server.texts()) == sorted(client.texts()) == sorted(texts)
        assert bool(client.drafts.conflicts()) == (len(texts) == 2)
        assert draft_id in {draft.draft_id for draft in client.drafts.all()}


async def test_words_that_were_written_over_and_are_written_on_here_replace_what_the_other_device_has_kept(
    client: DraftClient,
) -> None:
    async with client:
        _, start = await written_twice(client)
        client.server.edit(1, DraftVersion(LUNCH, "their words"), start)
        await client.catch_up()
        (own,) = [draft for draft in client.drafts.all() if draft.content == "our words"]
        client.drafts.save(own.draft_id, LUNCH, "our words, and more")
        client.server.create(DraftVersion(LUNCH, "our words"), start)  # the other device has seen both
        await client.catch_up()
        await client.clock.advance(20)
        assert (
            sorted(client.server.texts()) == sorted(client.texts()) == ["our words, and more", "their words"]
        )


async def test_words_written_over_that_the_other_device_has_kept_already_are_not_kept_twice(
    client: DraftClient,
) -> None:
    async with client:
        _, start = await written_twice(client)
        client.server.create(DraftVersion(LUNCH, "our words"), start)  # the other device has seen both
        client.server.edit(1, DraftVersion(LUNCH, "their words"), start)
        await client.catch_up()
        await client.clock.advance(20)
        assert sorted(client.server.texts()) == sorted(client.texts()) == ["our words", "their words"]
        assert len(client.drafts.conflicts()) == 1
