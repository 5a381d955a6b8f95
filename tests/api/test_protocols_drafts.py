"""Drafts: saved within a second, the same on all devices, no text lost to another device."""

from __future__ import annotations

from concurrent.futures import Future

from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.protocols.draft_store import SAVE_AFTER
from narrowcast_api.state.changes import DraftsChanged
from narrowcast_api.state.settings import Limits
from narrowcast_api.storage.records import Draft
from support.draft_server import LUNCH, DraftClient

TEA = ChannelDestination(7, "tea")


# on this device


async def test_text_is_on_the_disk_within_a_second_of_the_last_key(client: DraftClient) -> None:
    async with client:
        draft_id = None
        for length in range(1, 11):
            draft_id = client.drafts.save(draft_id, LUNCH, "Soup today"[:length])
            await client.clock.advance(0.05)
        await client.clock.advance(0.5)
        assert client.kept() == ["Soup today"]


async def test_the_first_key_after_a_pause_is_written_at_once_and_the_next_in_time(
    client: DraftClient,
) -> None:
    async with client:
        draft_id = client.drafts.save(None, LUNCH, "S")
        assert client.kept() == ["S"]
        client.drafts.save(draft_id, LUNCH, "So")
        await client.clock.advance(SAVE_AFTER)
        assert client.kept() == ["So"]


async def test_typing_does_not_write_to_the_disk_at_every_key(client: DraftClient) -> None:
    async with client:
        writes = 0
        put = client.journal.put_draft

        def counting(record: Draft, over: str | None = None) -> Future[bool]:
            nonlocal writes
            writes += 1
            return put(record, over)

        client.journal.put_draft = counting  # type: ignore[method-assign]  # a spy
        client.online = False
        draft_id = client.drafts.save(None, LUNCH, "x")
        for length in range(2, 102):
            client.drafts.save(draft_id, LUNCH, "x" * length)
            await client.clock.advance(0.02)
        assert writes <= 9


async def test_a_slow_request_does_not_keep_text_from_the_disk(client: DraftClient) -> None:
    async with client:
        client.hold = True
        draft_id = client.drafts.save(None, LUNCH, "one")
        await client.clock.advance(3)
        assert len(client.held) == 1
        client.drafts.save(draft_id, LUNCH, "one two")
        client.drafts.save(draft_id, LUNCH, "one two three")
        await client.clock.advance(0.5)
        assert client.kept() == ["one two three"]


async def test_flush_writes_everything_before_the_process_ends(client: DraftClient) -> None:
    async with client:
        draft_id = client.drafts.save(None, LUNCH, "one")
        client.drafts.save(draft_id, LUNCH, "one two")
        assert client.kept() == ["one"]
        await client.drafts.flush()
        assert client.kept() == ["one two"]


async def test_drafts_are_listed_last_edited_first_and_a_blank_one_goes(client: DraftClient) -> None:
    async with client:
        first = client.drafts.save(None, LUNCH, "first")
        client.clock.jump(1)
        client.drafts.save(None, None, "second")
        assert [draft.content for draft in client.drafts.all()] == ["second", "first"]
        assert client.drafts.all()[0].destination is None
        client.drafts.save(first, LUNCH, "  \n")
        assert [draft.content for draft in client.drafts.all()] == ["second"]
        assert client.drafts.get(first) is None
        assert DraftsChanged() in client.changes
        client.drafts.save(None, LUNCH, "")
        assert len(client.drafts.all()) == 1


async def test_drafts_are_there_again_after_a_crash(client: DraftClient) -> None:
    async with client:
        client.online = False
        draft_id = client.drafts.save(None, LUNCH, "Soup today")
        await client.crash()
        client.open()
        draft = client.drafts.get(draft_id)
        assert draft is not None
        assert (draft.content, draft.destination, draft.synced) == ("Soup today", LUNCH, False)


# sent to the server


async def test_a_draft_is_created_after_a_pause_and_edited_from_then_on(client: DraftClient) -> None:
    async with client:
        draft_id = client.drafts.save(None, LUNCH, "Soup")
        await client.clock.advance(1.9)
        assert client.calls == []
        await client.clock.advance(0.2)
        await client.catch_up()
        assert client.drafts.all()[0].synced
        client.drafts.save(draft_id, TEA, "Soup today")
        await client.clock.advance(3)
        await client.catch_up()
        assert client.calls == ["create Soup", "fetch", "edit 1 Soup today"]
        assert client.server.drafts[1].destination == TEA
        await client.clock.advance(60)
        assert len(client.calls) == 3


async def test_a_draft_is_synced_now_and_then_during_continuous_typing(client: DraftClient) -> None:
    async with client:
        draft_id = None
        for number in range(35):
            draft_id = client.drafts.save(draft_id, LUNCH, f"text {number}")
            await client.clock.advance(1.0)
            await client.catch_up()
        assert 2 <= len(client.calls) <= 5


async def test_the_event_may_come_before_the_response_to_its_creation(client: DraftClient) -> None:
    async with client:
        client.hold = True
        client.drafts.save(None, LUNCH, "Soup \n")
        await client.clock.advance(3)
        held = client.held[0]
        client.held.clear()
        server_id = held.act()
        await client.catch_up()
        assert len(client.drafts.all()) == 1
        held.response.set_result(server_id)
        await client.clock.advance(30)
        assert (len(client.drafts.all()), client.calls) == (1, ["create Soup \n"])
        assert client.drafts.all()[0].synced


async def test_text_typed_while_the_draft_is_being_created_is_sent_next(client: DraftClient) -> None:
    async with client:
        client.hold = True
        draft_id = client.drafts.save(None, LUNCH, "one")
        await client.clock.advance(3)
        client.drafts.save(draft_id, LUNCH, "one two")
        client.hold = False
        client.finish(client.held[0], "ok")
        await client.clock.advance(5)
        assert client.server.texts() == ["one two"], "whether its event comes or not"
        await client.catch_up()
        assert client.calls == ["create one", "fetch", "edit 1 one two"]
        assert client.server.texts() == ["one two"]


async def test_a_creation_of_unknown_outcome_is_looked_up_and_not_repeated(client: DraftClient) -> None:
    async with client:
        client.next_failures.append("lost after")
        client.drafts.save(None, LUNCH, "Soup")
        await client.clock.advance(2.1)
        client.queue.clear()
        await client.clock.advance(10)
        assert client.calls == ["create Soup", "fetch"]
        assert client.server.texts() == ["Soup"]


async def test_a_creation_that_did_not_arrive_is_repeated(client: DraftClient) -> None:
    async with client:
        client.next_failures.extend(["lost before", "not connected", "rate limited"])
        client.drafts.save(None, LUNCH, "Soup")
        await client.clock.advance(60)
        assert client.server.texts() == ["Soup"]
        lost, refused, limited, done = ["create Soup"] * 4
        assert client.calls == [lost, "fetch", refused, limited, done]


async def test_a_crash_while_creating_makes_no_second_draft(client: DraftClient) -> None:
    async with client:
        client.hold = True
        client.drafts.save(None, LUNCH, "Soup")
        await client.clock.advance(3)
        held = client.held.pop()
        await client.crash()
        held.act()
        client.hold = False
        client.open()
        client.register()
        await client.clock.advance(30)
        assert client.server.texts() == ["Soup"]
        assert client.texts() == ["Soup"]


async def test_deleting_reaches_the_server_also_after_a_crash(client: DraftClient) -> None:
    async with client:
        draft_id = client.drafts.save(None, LUNCH, "Soup")
        await client.clock.advance(3)
        await client.catch_up()
        client.online = False
        client.drafts.delete(draft_id)
        assert client.texts() == []
        await client.crash()
        client.online = True
        client.open()
        client.register()
        assert client.texts() == []
        await client.clock.advance(3)
        assert (client.server.texts(), client.kept()) == ([], [])


async def test_deleting_while_it_is_being_created_deletes_it_there(client: DraftClient) -> None:
    async with client:
        client.hold = True
        draft_id = client.drafts.save(None, LUNCH, "Soup")
        await client.clock.advance(3)
        client.drafts.delete(draft_id)
        client.hold = False
        client.finish(client.held[0], "ok")
        await client.clock.advance(5)
        assert (client.server.texts(), client.texts()) == ([], []), "whether its event comes or not"
        await client.catch_up()
        assert (client.server.texts(), client.texts()) == ([], [])


async def test_a_draft_that_was_never_synced_is_deleted_without_a_request(client: DraftClient) -> None:
    async with client:
        client.drafts.delete(client.drafts.save(None, LUNCH, "Soup"))
        await client.clock.advance(30)
        assert (client.calls, client.kept()) == ([], [])


async def test_writing_on_in_a_draft_that_is_being_deleted_keeps_the_words(client: DraftClient) -> None:
    async with client:
        draft_id = client.drafts.save(None, LUNCH, "Soup")
        await client.clock.advance(3)
        await client.catch_up()
        client.hold = True
        client.drafts.delete(draft_id)
        await client.clock.advance(1)
        client.drafts.save(draft_id, LUNCH, "Soup today")
        client.hold = False
        client.finish(client.held[0], "ok")
        await client.clock.advance(10)
        await client.catch_up()
        assert (client.server.texts(), client.texts()) == (["Soup today"], ["Soup today"])


async def test_going_back_to_what_the_server_has_needs_no_request(client: DraftClient) -> None:
    async with client:
        draft_id = client.drafts.save(None, LUNCH, "Soup")
        await client.clock.advance(3)
        await client.catch_up()
        client.drafts.save(draft_id, LUNCH, "Soup t")
        client.drafts.save(draft_id, LUNCH, "Soup")
        await client.clock.advance(30)
        assert client.calls == ["create Soup"]


async def test_whitespace_that_the_server_trims_does_not_count_as_an_edit(client: DraftClient) -> None:
    async with client:
        client.drafts.save(None, LUNCH, "  - Soup\n")
        await client.clock.advance(3)
        await client.catch_up()
        assert client.server.drafts[1].content == "- Soup"
        assert client.drafts.conflicts() == []
        (draft,) = client.drafts.all()
        assert (draft.content, draft.synced) == ("  - Soup\n", True)
        await client.clock.advance(60)
        assert client.calls == ["create   - Soup\n"]


async def test_a_draft_that_the_server_would_cut_or_reject_stays_local_with_a_warning(
    client: DraftClient,
) -> None:
    async with client:
        client.limits = Limits(10, 5)
        client.drafts.save(None, TEA, "far too long for it")
        client.drafts.save(None, ChannelDestination(7, "long topic"), "short")
        client.drafts.save(None, TEA, "null \x00")
        await client.clock.advance(30)
        assert client.calls == []
        assert {draft.error for draft in client.drafts.all()} == {
            "it is too long for this server",
            "its topic is too long for this server",
            "it has a null character",
        }
        assert len(client.kept()) == 3


async def test_a_refused_draft_is_not_sent_again_until_it_changes(client: DraftClient) -> None:
    async with client:
        client.next_failures.append("refused")
        draft_id = client.drafts.save(None, LUNCH, "Soup")
        await client.clock.advance(300)
        assert client.calls == ["create Soup"]
        assert client.drafts.all()[0].error == "Invalid channel ID"
        client.drafts.save(draft_id, LUNCH, "Soup!")
        await client.clock.advance(5)
        assert client.server.texts() == ["Soup!"]


async def test_a_draft_that_the_server_takes_nowhere_stays_here_until_it_does(client: DraftClient) -> None:
    async with client:
        client.refusals[LUNCH] = "#lunch is archived: nobody can post in it."
        client.drafts.save(None, LUNCH, "Soup")
        await client.clock.advance(30)
        await client.crash()
        client.open()
        client.register()
        await client.clock.advance(300)
        assert client.calls == []
        assert client.drafts.all()[0].error == "#lunch is archived: nobody can post in it."
        client.changes.clear()
        client.refusals.clear()
        client.drafts.recheck()
        await client.clock.advance(5)
        assert (client.drafts.all()[0].error, client.server.texts()) == (None, ["Soup"])
        assert DraftsChanged() in client.changes


async def test_a_new_snapshot_alone_does_not_repeat_what_was_refused(client: DraftClient) -> None:
    async with client:
        client.next_failures.append("refused")
        client.drafts.save(None, LUNCH, "Soup")
        await client.clock.advance(5)
        client.register()
        client.drafts.recheck()
        await client.clock.advance(300)
        assert client.calls == ["create Soup"]
        assert client.drafts.all()[0].error == "Invalid channel ID"


async def test_offline_nothing_is_sent_and_waking_syncs(client: DraftClient) -> None:
    async with client:
        client.online = False
        client.drafts.save(None, LUNCH, "Soup")
        await client.clock.advance(100)
        assert client.calls == []
        client.online = True
        client.drafts.wake()
        await client.clock.settle()
        assert client.server.texts() == ["Soup"]


# with the user's setting off


async def test_with_syncing_off_drafts_are_local(client: DraftClient) -> None:
    client.server.enabled = False
    async with client:
        draft_id = client.drafts.save(None, LUNCH, "Soup")
        await client.clock.advance(60)
        client.drafts.delete(client.drafts.save(None, LUNCH, "other"))
        assert (client.calls, client.texts()) == ([], ["Soup"])
        client.server.enabled = True
        client.drafts.on_setting()
        await client.clock.advance(5)
        assert client.server.texts() == ["Soup"]
        assert client.drafts.get(draft_id) is not None


async def test_turning_syncing_off_keeps_the_drafts_that_the_server_deletes(client: DraftClient) -> None:
    async with client:
        client.drafts.save(None, LUNCH, "Soup")
        await client.clock.advance(5)
        await client.catch_up()
        client.server.enabled = False
        client.server.drafts.clear()
        client.drafts.on_setting()
        client.register()
        assert client.texts() == ["Soup"]
        client.server.enabled = True
        client.drafts.on_setting()
        client.register()
        await client.clock.advance(5)
        assert client.server.texts() == ["Soup"]
