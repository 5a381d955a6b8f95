"""The outbox: nothing that a user wrote is lost, and nothing is sent twice."""

from __future__ import annotations

import pytest

from narrowcast_api.errors import InvalidInput, ServerFault
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.protocols.outbox import OutboxState
from narrowcast_api.protocols.outbox_store import OutboxStore
from narrowcast_api.state.changes import OutboxChanged
from narrowcast_api.state.settings import Limits
from narrowcast_api.state.state import State
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.journal import Journal
from narrowcast_api.storage.records import OutboxMessage
from support.contexts import PartContext
from support.journals import refuse
from support.outbox_server import BRUNO, LUNCH, ME, OutboxBench, only, states

WAITING, SENDING, UNCONFIRMED = OutboxState.WAITING, OutboxState.SENDING, OutboxState.UNCONFIRMED
FAILED, SENT = OutboxState.FAILED, OutboxState.SENT


# confirmation by response and event


async def test_a_message_goes_out_and_leaves_when_its_event_comes(bench: OutboxBench) -> None:
    async with bench:
        local_id = bench.outbox.send(LUNCH, "Soup today")
        assert only(bench).state is WAITING
        await bench.settle()
        assert bench.server.contents() == ["Soup today"]
        assert (only(bench).state, only(bench).message_id) == (SENT, 101)
        assert bench.journal.load_outbox() == [], "what the server has is not kept here"
        await bench.event()
        assert bench.outbox.entries() == []
        assert OutboxChanged((local_id,)) in bench.changes


async def test_the_event_may_come_before_the_response(bench: OutboxBench) -> None:
    async with bench:
        request = await bench.send_and_hold()
        message_id = bench.server.store(request)
        await bench.event()
        assert bench.outbox.entries() == []
        request.response.set_result(message_id)
        await bench.clock.advance(60)
        assert (bench.server.sends, bench.outbox.entries()) == (1, [])


async def test_a_response_that_is_lost_after_the_event_changes_nothing(bench: OutboxBench) -> None:
    async with bench:
        request = await bench.send_and_hold()
        bench.server.store(request)
        await bench.event()
        request.response.set_exception(ServerFault(502))
        await bench.clock.advance(60)
        assert (bench.server.sends, bench.server.looks, bench.outbox.entries()) == (1, 0, [])


async def test_a_sent_message_stays_listed_until_it_can_be_shown(bench: OutboxBench) -> None:
    async with bench:
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        assert states(bench) == [SENT]
        await bench.lose_queue()
        assert states(bench) == [SENT], "the view is being fetched still"
        bench.outbox.on_fetched({100, 101})
        assert bench.outbox.entries() == []


async def test_a_sent_message_older_than_a_new_snapshot_is_fetched_at_once(bench: OutboxBench) -> None:
    async with bench:
        bench.shows = True
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        await bench.lose_queue()
        assert (states(bench), bench.shown) == ([], [101])


async def test_a_message_whose_response_comes_after_a_snapshot_that_has_it_is_fetched_at_once(
    bench: OutboxBench,
) -> None:
    async with bench:
        bench.shows = True
        request = await bench.send_and_hold()
        message_id = bench.server.store(request)
        await bench.lose_queue()
        assert bench.newest_id == message_id
        request.response.set_result(message_id)
        await bench.settle()
        assert (states(bench), bench.shown) == ([], [message_id])


async def test_a_response_that_comes_after_its_event_leaves_nothing(bench: OutboxBench) -> None:
    async with bench:
        bench.server.hold = True
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        (request,) = bench.server.requests
        bench.server.queue_id = "another"
        bench.server.store(request)
        await bench.event()
        request.response.set_result(101)
        await bench.settle()
        assert bench.outbox.entries() == []


async def test_each_message_carries_its_local_id_and_the_queue_of_the_moment(bench: OutboxBench) -> None:
    async with bench:
        bench.server.hold = True
        local_id = bench.outbox.send(LUNCH, "Soup today")
        bench.server.queue_id = "queue-2"
        await bench.settle()
        request = bench.server.requests[0]
        assert (request.local_id, request.queue_id) == (local_id, "queue-2")


# nothing is sent before it is in the journal


async def test_the_journal_has_the_words_when_send_returns_and_the_try_before_the_request(
    bench: OutboxBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[tuple[str, OutboxState, bool]] = []
    send = bench.server.send

    async def looking(*args: object, **kwargs: object) -> int:
        kept.extend((r.content, r.state, r.tried) for r in bench.journal.load_outbox())
        return await send(*args, **kwargs)  # type: ignore[arg-type]  # passed on as they came

    monkeypatch.setattr(bench.server, "send", looking)
    async with bench:
        bench.outbox.send(LUNCH, "Soup today")
        assert [r.state for r in bench.journal.load_outbox()] == [WAITING]
        await bench.settle()
        assert kept == [("Soup today", SENDING, True)]


async def test_a_full_disk_does_not_stop_a_message(bench: OutboxBench) -> None:
    async with bench:
        refuse(bench.journal)
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        assert bench.server.contents() == ["Soup today"]
        assert bench.journal.warning is not None


async def sent_on_a_full_disk(bench: OutboxBench) -> None:
    """A message waits, is sent while the disk is full, and the process ends."""
    bench.server.online = False
    bench.outbox.send(LUNCH, "Soup today")
    await bench.settle()
    refuse(bench.journal)
    bench.server.online = True
    bench.outbox.wake()
    await bench.settle()
    assert bench.server.contents() == ["Soup today"]
    await bench.crash()


async def test_a_message_that_was_sent_while_the_disk_was_full_is_not_sent_again_by_the_next_process(
    bench: OutboxBench,
) -> None:
    async with bench:
        await sent_on_a_full_disk(bench)
        bench.open()
        assert [record.state for record in bench.journal.load_outbox()] == [UNCONFIRMED]
        await bench.crash()
        bench.open()
        await bench.clock.advance(60)
        assert (bench.server.contents(), bench.server.sends) == (["Soup today"], 1)


@pytest.mark.parametrize("is_refused", [False, True])
async def test_a_process_without_outbox_does_not_let_a_message_be_sent_again(
    bench: OutboxBench, is_refused: bool
) -> None:
    async with bench:
        await sent_on_a_full_disk(bench)
        journal = Journal.open(bench.folder / "journal.db", executor=inline)
        refuse(journal, is_refused)
        journal.put_read_marks([5])
        refuse(journal, False)
        journal.close()
        bench.open()
        await bench.clock.advance(60)
        assert bench.server.sends == 1


def journal_of_b(bench: OutboxBench) -> Journal:
    """The journal as another window, "b", opens it."""
    return Journal.open(bench.folder / "journal.db", window="b", executor=inline)


async def test_a_window_that_cannot_take_a_message_over_does_not_let_it_be_sent_again(
    bench: OutboxBench,
) -> None:
    async with bench:
        await sent_on_a_full_disk(bench)
        journal = journal_of_b(bench)
        store = OutboxStore(PartContext(journal, bench.clock, State(ME)))
        assert [item.elsewhere for item in store.all()] == [True]
        journal.close()
        bench.open()
        await bench.clock.advance(60)
        assert bench.server.sends == 1


async def test_messages_of_a_window_that_ends_later_are_sent_as_usual(bench: OutboxBench) -> None:
    async with bench:
        await sent_on_a_full_disk(bench)
        bench.open()
        await bench.clock.advance(60)
        journal = journal_of_b(bench)
        journal.put_outbox(OutboxMessage("b-1", 1, BRUNO, "Hello", WAITING, 0.0, floor_id=100))
        journal.close()
        bench.outbox.on_journal(bench.journal.take_over({"b"}).result())
        await bench.clock.advance(60)
        assert (bench.server.contents(BRUNO), bench.server.sends) == (["Hello"], 2)


async def test_messages_that_a_window_takes_over_are_looked_through_before_the_mark_goes(
    bench: OutboxBench,
) -> None:
    async with bench:
        await sent_on_a_full_disk(bench)
        journal = journal_of_b(bench)
        store = OutboxStore(PartContext(journal, bench.clock, State(ME)))
        changes = journal.take_over({None}).result()
        journal.flush()
        assert journal.is_behind
        store.take_in(changes.outbox(), 0.0)
        assert [record.state for record in journal.load_outbox()] == [UNCONFIRMED]
        assert not journal.is_behind
        journal.close()
        assert list(bench.folder.glob("*-behind")) == []


async def test_a_message_that_may_have_been_cancelled_while_the_disk_was_full_is_offered(
    bench: OutboxBench,
) -> None:
    async with bench:
        bench.server.online = False
        local_id = bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        refuse(bench.journal)
        bench.outbox.cancel(local_id)
        await bench.crash()
        bench.server.online = True
        bench.open()
        await bench.clock.advance(60)
        assert (states(bench), bench.server.sends) == ([FAILED], 0)


async def test_a_message_that_waited_while_the_disk_was_full_for_a_while_is_sent(bench: OutboxBench) -> None:
    async with bench:
        bench.server.online = False
        refuse(bench.journal)
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        refuse(bench.journal, False)
        assert bench.journal.flush()
        await bench.crash()
        bench.server.online = True
        bench.open()
        await bench.clock.advance(5)
        assert (bench.server.contents(), bench.server.looks) == (["Soup today"], 0)


# when the connection could not be opened


async def test_a_message_that_was_never_sent_is_retried_with_growing_pauses(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.extend(["not connected"] * 3)
        bench.outbox.send(LUNCH, "Soup today")
        tries = []
        for _ in range(9):
            await bench.clock.advance(1.0)
            tries.append(bench.server.sends)
        assert tries == [2, 2, 3, 3, 3, 3, 4, 4, 4]
        assert bench.server.contents() == ["Soup today"]
        assert bench.server.looks == 0


async def test_offline_nothing_is_tried_and_waking_sends_at_once(bench: OutboxBench) -> None:
    async with bench:
        bench.server.online = False
        bench.outbox.send(LUNCH, "Soup today")
        await bench.clock.advance(600)
        assert bench.server.sends == 0
        bench.server.online = True
        bench.outbox.wake()
        await bench.settle()
        assert bench.server.contents() == ["Soup today"]


async def test_waking_cuts_a_pause_short(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.extend(["not connected"] * 6)
        bench.outbox.send(LUNCH, "Soup today")
        await bench.clock.advance(35)
        assert bench.server.sends == 6
        bench.outbox.wake()
        await bench.clock.advance(0.2)
        assert bench.server.sends == 7


async def test_a_rate_limit_holds_everything_for_as_long_as_the_server_says(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("rate limited")
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        bench.outbox.send(BRUNO, "Hello")
        await bench.clock.advance(4.9)
        assert bench.server.sends == 1
        await bench.clock.advance(0.3)
        assert sorted(bench.server.contents()) == ["Hello", "Soup today"]


# when the server rejects


async def test_a_refusal_keeps_the_words_and_says_why(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("refused")
        local_id = bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        entry = only(bench)
        assert (entry.state, entry.content, entry.error) == (FAILED, "Soup today", "You may not post here.")
        assert [r.state for r in bench.journal.load_outbox()] == [FAILED]
        bench.outbox.retry(local_id)
        await bench.clock.advance(1)
        assert (bench.server.contents(), bench.server.looks) == (["Soup today"], 0)


async def test_what_is_too_long_fails_here_with_its_words(bench: OutboxBench) -> None:
    async with bench:
        bench.state.limits = Limits(10, 5)
        local_id = bench.outbox.send(ChannelDestination(7, "tea"), "é" * 12)
        bench.outbox.send(ChannelDestination(7, "long topic"), "short")
        await bench.clock.advance(5)
        first, second = bench.outbox.entries()
        assert (
            first.error == "The message is 2 characters over the limit of this server. Shorten it and resend."
        )
        assert "topic is 5 characters over the limit" in (second.error or "")
        assert bench.server.sends == 0
        bench.outbox.retry(local_id)
        assert bench.outbox.entries()[0].state is FAILED
        bench.state.limits = Limits(12, 60)
        bench.outbox.retry(local_id)
        await bench.clock.advance(5)
        assert bench.server.contents() == ["é" * 12], "code points count, not bytes"


@pytest.mark.parametrize("blank", ["", "  \n\t"])
async def test_a_blank_message_is_refused_at_once(bench: OutboxBench, blank: str) -> None:
    async with bench:
        with pytest.raises(InvalidInput):
            bench.outbox.send(LUNCH, blank)
        assert bench.outbox.entries() == []
