"""Requests about drafts that are rejected, arrive late, or cross local changes."""

from __future__ import annotations

import asyncio

import pytest

from narrowcast_api.errors import ApiError, BadRequest, NarrowcastError, NotConnected, NotFound
from narrowcast_api.resources.drafts import DraftVersion
from support.draft_server import LUNCH, DraftClient, Held, edited_elsewhere
from support.journals import Held as HeldDisk


async def held_request(client: DraftClient) -> Held:
    """The next request, held until the test finishes it."""
    client.hold = True
    await client.clock.advance(3)
    client.hold = False
    (request,) = client.held
    return request


# rejected, or not carried out


async def test_an_edit_that_is_refused_is_not_sent_again_and_going_back_needs_no_request(
    client: DraftClient,
) -> None:
    async with client:
        draft_id = await client.sync("Soup")
        client.next_failures.append("refused")
        client.drafts.save(draft_id, LUNCH, "Soup!")
        await client.clock.advance(300)
        assert client.calls == ["fetch", "edit 1 Soup!"]
        assert client.drafts.all()[0].error == "Invalid channel ID"
        client.drafts.save(draft_id, LUNCH, "Soup")
        await client.clock.advance(300)
        assert client.drafts.all()[0].synced
        assert client.calls == ["fetch", "edit 1 Soup!"]


@pytest.mark.parametrize("failure", ["not connected", "rate limited", "lost before"])
async def test_an_edit_and_a_deletion_that_did_not_arrive_are_made_again(
    client: DraftClient, failure: str
) -> None:
    async with client:
        draft_id = await client.sync("Soup")
        client.next_failures.append(failure)
        client.drafts.save(draft_id, LUNCH, "Soup!")
        await client.clock.advance(20)
        assert client.server.texts() == ["Soup!"]
        client.next_failures.append(failure)
        client.drafts.delete(draft_id)
        await client.clock.advance(20)
        assert client.server.texts() == []


@pytest.mark.parametrize(
    "missing",
    [NotFound("BAD_REQUEST", "No such thing", 404), BadRequest("BAD_REQUEST", "Draft does not exist")],
    ids=["by status", "in words"],
)
async def test_a_draft_that_the_server_says_in_either_way_not_to_have_is_made_anew(
    client: DraftClient, missing: ApiError
) -> None:
    async with client:
        client.server.missing = missing
        draft_id = await client.sync("Soup")
        client.drafts.save(draft_id, LUNCH, "Soup!")
        client.server.delete(1)  # its event never arrives
        await client.clock.advance(10)
        assert client.server.texts() == ["Soup!"]
        assert client.drafts.all()[0].synced


async def test_deleting_reaches_the_server_also_where_the_draft_could_not_be_sent_any_more(
    client: DraftClient,
) -> None:
    async with client:
        draft_id = await client.sync("Soup")
        client.refusals[LUNCH] = "#lunch is archived: nobody can post in it."
        client.drafts.recheck()
        client.drafts.delete(draft_id)
        await client.clock.advance(3)
        assert client.server.texts() == []


@pytest.mark.parametrize(
    ("error", "moments"),
    [(NotConnected("refused"), [0, 1, 3]), (BadRequest("BAD_REQUEST", "No"), [0, 30, 60])],
    ids=["no connection", "refused"],
)
async def test_comparing_with_the_server_is_tried_again_more_and_more_rarely(
    client: DraftClient, error: NarrowcastError, moments: list[int]
) -> None:
    client.is_leader = False
    async with client:
        await client.clock.advance(10)
        for _ in moments:
            client.hold_fetch().set_exception(error)
        client.drafts.become_leader()
        asked: list[int] = []
        for second in range(moments[-1] + 1):
            await client.clock.advance(0 if second == 0 else 1)
            asked += [second] * (len(client.calls) - len(asked))
        assert asked == moments


# a creation whose response was lost


async def test_a_creation_that_did_not_arrive_takes_no_draft_of_another_device_for_its_own(
    client: DraftClient,
) -> None:
    async with client:
        await client.sync("Soup")
        client.next_failures.append("lost before")
        client.drafts.save(None, LUNCH, "Soup")  # the same words as the existing draft
        client.server.create(DraftVersion(LUNCH, "theirs"))  # its event is late
        await client.clock.advance(10)
        assert client.server.texts() == ["Soup", "theirs", "Soup"]
        await client.catch_up()
        await client.clock.advance(10)
        assert client.texts() == ["Soup", "Soup", "theirs"]
        assert client.server.texts() == ["Soup", "theirs", "Soup"]


async def test_a_draft_deleted_while_one_looks_whether_it_was_created_is_deleted_there(
    client: DraftClient,
) -> None:
    async with client:
        client.next_failures.append("lost after")
        draft_id = client.drafts.save(None, LUNCH, "Soup")
        looked = client.hold_fetch()
        await client.clock.advance(5)
        await client.catch_up()  # it was created
        client.drafts.delete(draft_id)
        looked.set_result([])  # the list from before the creation
        await client.clock.advance(5)
        assert client.server.texts() == []


async def test_a_draft_deleted_while_it_is_being_created_goes_with_its_twin(client: DraftClient) -> None:
    async with client:
        draft_id = client.drafts.save(None, LUNCH, "Soup")
        creation = await held_request(client)
        client.server.create(DraftVersion(LUNCH, "Soup"))  # another device's, whose event looks like ours
        await client.catch_up()
        client.drafts.delete(draft_id)
        client.finish(creation, "not connected")
        await client.clock.advance(5)
        assert client.server.texts() == []


# local changes meanwhile


async def test_a_draft_that_is_deleted_while_the_server_is_asked_about_it_is_not_written_there(
    client: DraftClient,
) -> None:
    async with client:
        draft_id = await client.sync("Soup")
        client.drafts.save(draft_id, LUNCH, "Soup!")
        compared = client.hold_fetch()
        await client.clock.advance(3)
        client.drafts.delete(draft_id)
        compared.set_result(list(client.server.drafts.values()))
        await client.clock.advance(5)
        assert client.calls == ["fetch", "fetch", "delete 1"]


async def test_what_is_typed_or_deleted_while_an_edit_is_under_way_is_sent_before_its_event_comes(
    client: DraftClient,
) -> None:
    async with client:
        draft_id = await client.sync("Soup")
        client.drafts.save(draft_id, LUNCH, "Soup today")
        edit = await held_request(client)
        client.drafts.save(draft_id, LUNCH, "Soup today and tomorrow")
        client.finish(edit, "ok")
        edit = await held_request(client)
        client.finish(edit, "ok")
        assert client.server.texts() == ["Soup today and tomorrow"]
        client.drafts.save(draft_id, LUNCH, "Soup")
        edit = await held_request(client)
        client.drafts.delete(draft_id)
        client.finish(edit, "ok")
        await client.clock.advance(3)
        assert client.server.texts() == []


async def test_what_is_typed_or_deleted_before_the_event_and_then_the_response_of_an_edit_come_is_sent(
    client: DraftClient,
) -> None:
    async with client:
        draft_id = await client.sync("Soup")
        for typed, left in (("Soup today and tomorrow", ["Soup today and tomorrow"]), ("", [])):
            client.drafts.save(draft_id, LUNCH, "Soup today")
            edit = await held_request(client)
            client.drafts.save(draft_id, LUNCH, typed)
            edit.act()
            await client.catch_up()
            edit.response.set_result(1)
            client.held.clear()
            await client.clock.advance(5)
            await client.catch_up()
            assert client.server.texts() == left


async def test_the_same_words_written_again_while_their_draft_is_being_deleted_keep_it(
    client: DraftClient,
) -> None:
    async with client:
        draft_id = await client.sync("Soup")
        client.drafts.delete(draft_id)
        deletion = await held_request(client)
        client.drafts.save(draft_id, LUNCH, "Soup")
        client.finish(deletion, "ok")
        await client.clock.advance(10)
        await client.catch_up()
        assert (client.server.texts(), client.texts()) == (["Soup"], ["Soup"])
        assert client.calls == ["fetch", "delete 1", "create Soup"]


async def test_words_written_on_before_the_deletion_was_sent_leave_one_draft(client: DraftClient) -> None:
    async with client:
        draft_id = await client.sync("Soup")
        client.drafts.delete(draft_id)
        client.drafts.save(draft_id, LUNCH, "Soup!")
        await client.clock.advance(10)
        await client.catch_up()
        assert (client.server.texts(), client.texts()) == (["Soup!"], ["Soup!"])


async def test_words_written_on_while_the_server_is_asked_before_the_deletion_keep_the_draft_there(
    client: DraftClient,
) -> None:
    async with client:
        draft_id = await client.sync("Soup")
        compared = client.hold_fetch()
        client.drafts.delete(draft_id)
        await client.clock.advance(1)
        client.drafts.save(draft_id, LUNCH, "Soup!")
        compared.set_result(list(client.server.drafts.values()))
        await client.clock.advance(10)
        assert client.calls == ["fetch", "fetch", "edit 1 Soup!"]


async def test_words_written_on_while_the_deletion_finds_nothing_are_made_anew(client: DraftClient) -> None:
    async with client:
        draft_id = await client.sync("Soup")
        client.drafts.delete(draft_id)
        deletion = await held_request(client)
        client.drafts.save(draft_id, LUNCH, "Soup!")
        client.server.delete(1)  # its event never arrives
        client.finish(deletion, "ok")
        await client.clock.advance(10)
        assert client.server.texts() == ["Soup!"]


async def test_saving_what_is_there_already_changes_nothing(client: DraftClient) -> None:
    async with client:
        first = client.drafts.save(None, LUNCH, "first")
        await client.clock.advance(3)
        client.drafts.save(None, LUNCH, "second")
        await client.clock.advance(3)
        client.drafts.save(first, LUNCH, "first")
        assert [draft.content for draft in client.drafts.all()] == ["second", "first"]


# changes of other devices meanwhile


async def test_an_edit_of_another_device_that_is_heard_of_before_the_response_to_ours_is_not_sent_back(
    client: DraftClient,
) -> None:
    async with client:
        draft_id = await client.sync("Soup")
        client.drafts.save(draft_id, LUNCH, "Soup today")
        edit = await held_request(client)
        edit.act()
        edited_elsewhere(client.server, 1, "Soup today and tomorrow")
        await client.catch_up()
        edit.response.set_result(1)
        await client.clock.advance(10)
        assert client.calls == ["fetch", "edit 1 Soup today"]
        assert client.texts() == client.server.texts() == ["Soup today and tomorrow"]


async def test_a_draft_deleted_on_both_devices_while_an_edit_is_under_way_is_gone(
    client: DraftClient,
) -> None:
    async with client:
        draft_id = await client.sync("Soup")
        client.drafts.save(draft_id, LUNCH, "Soup today")
        edit = await held_request(client)
        client.drafts.delete(draft_id)
        client.server.delete(1)
        await client.catch_up()
        client.finish(edit, "ok")
        await client.clock.advance(10)
        assert (client.texts(), client.kept(), client.server.texts()) == ([], [], [])


async def test_a_deletion_that_waits_for_the_disk_is_not_sent_where_another_device_was_faster(
    client: DraftClient,
) -> None:
    async with client:
        draft_id = await client.sync("Soup")
        (disk := HeldDisk()).take(client.journal)
        client.drafts.delete(draft_id)
        await client.clock.advance(1)
        client.server.delete(1)
        await client.catch_up()
        disk.write()
        await client.clock.advance(10)
        assert client.calls == ["fetch"]


# the setting, and closing


async def test_hearing_again_that_syncing_is_on_sends_nothing(client: DraftClient) -> None:
    async with client:
        await client.sync("Soup")
        client.drafts.on_setting()
        await client.clock.advance(10)
        assert client.calls == []


async def test_what_was_typed_last_is_written_when_the_work_on_drafts_ends(client: DraftClient) -> None:
    async with client:
        draft_id = client.drafts.save(None, LUNCH, "Soup")
        await client.clock.settle()
        client.drafts.save(draft_id, LUNCH, "Soup today")
        assert client.kept() == ["Soup"]
        assert client.task is not None
        client.task.cancel()
        await asyncio.gather(client.task, return_exceptions=True)
        assert client.kept() == ["Soup today"]
