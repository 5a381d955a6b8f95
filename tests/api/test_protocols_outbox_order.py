"""The outbox as a queue: order, rate, cancelling, restarts, and what views show of it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from narrowcast_api.errors import NotConnected, ServerFault
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.protocols.outbox import OutboxState
from narrowcast_api.protocols.outbox_item import BLOCKS_FOR
from narrowcast_api.protocols.outbox_store import InvalidTransition, OutboxStore
from narrowcast_api.state.changes import MessagesMoved
from narrowcast_api.state.state import State
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.journal import Journal
from narrowcast_api.storage.records import OutboxMessage
from support.clock import VirtualClock
from support.contexts import PartContext
from support.outbox_server import BRUNO, LUNCH, ME, TEA, OutboxBench, StoredMessage, as_message, states

WAITING, SENDING, UNCONFIRMED = OutboxState.WAITING, OutboxState.SENDING, OutboxState.UNCONFIRMED
FAILED, SENT = OutboxState.FAILED, OutboxState.SENT


# order and rate


async def test_messages_of_a_conversation_keep_their_order_one_at_a_time(bench: OutboxBench) -> None:
    async with bench:
        bench.server.hold = True
        for word in ("one", "two", "three"):
            bench.outbox.send(LUNCH, word)
        bench.outbox.send(ChannelDestination(7, "LUNCH"), "four")
        await bench.clock.advance(1)
        while bench.server.requests:
            assert len(bench.server.requests) == 1
            bench.server.finish(bench.server.requests[0], "ok")
            await bench.clock.advance(1)
        assert bench.server.contents() == ["one", "two", "three", "four"]


@pytest.mark.parametrize("whole", [True, False])
async def test_a_waiting_message_goes_along_with_its_topic_if_all_of_it_is_moved(
    bench: OutboxBench, whole: bool
) -> None:
    async with bench:
        bench.server.online = False
        bench.outbox.send(ChannelDestination(7, "Lunch"), "waits")
        bench.outbox.send(BRUNO, "to Bruno")
        bench.outbox.on_moved(MessagesMoved((1, 2), LUNCH, TEA, is_whole=whole, user_id=12))
        bench.server.online = True
        bench.outbox.wake()
        await bench.clock.advance(2)
        assert bench.server.contents(TEA if whole else LUNCH) == ["waits"]
        assert bench.server.contents(BRUNO) == ["to Bruno"]


async def test_a_message_that_may_have_arrived_is_looked_for_where_it_was_sent(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("lost after")
        bench.server.look_leaves.clear()
        bench.outbox.send(LUNCH, "once")
        await bench.settle()
        bench.outbox.on_moved(MessagesMoved((1, 2), LUNCH, TEA, is_whole=True, user_id=12))
        bench.server.look_leaves.set()
        await bench.clock.advance(60)
        assert bench.server.contents() == ["once"]


async def test_one_conversation_does_not_hold_up_another(bench: OutboxBench) -> None:
    async with bench:
        bench.server.hold = True
        bench.outbox.send(LUNCH, "hangs")
        bench.outbox.send(LUNCH, "behind")
        await bench.settle()
        bench.server.hold = False
        bench.outbox.send(TEA, "free")
        bench.outbox.send(BRUNO, "free too")
        await bench.clock.advance(2)
        assert sorted(bench.server.contents()) == ["free", "free too"]


async def test_looks_that_fail_hold_up_no_other_conversation(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("lost before")
        bench.server.find_failures.extend([ServerFault(500)] * 3)
        bench.outbox.send(LUNCH, "looked for")
        await bench.clock.advance(2.5)
        assert bench.server.looks == 2
        bench.outbox.send(TEA, "free")
        await bench.clock.advance(0.2)
        assert bench.server.contents() == ["free"]


async def test_fetching_what_was_sent_holds_up_no_other_message(bench: OutboxBench) -> None:
    async with bench:
        bench.shows = True
        bench.show_failures.extend([ServerFault(500)] * 20)
        bench.outbox.send(LUNCH, "to a channel that one is not in")
        await bench.clock.advance(200)
        assert 4 <= len(bench.shown) <= 8, "with growing pauses"
        bench.outbox.send(LUNCH, "next")
        await bench.clock.advance(0.2)
        assert bench.server.contents()[-1] == "next"


async def test_what_waits_while_a_message_is_tried_and_looked_for_says_so(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("lost before")
        tried = bench.outbox.send(LUNCH, "tried")
        bench.outbox.send(LUNCH, "behind")
        await bench.clock.advance(2)
        first, second = bench.outbox.entries()
        assert (first.state, first.waits_for) == (UNCONFIRMED, None)
        assert (second.state, second.waits_for) == (WAITING, tried)
        await bench.clock.advance(3)
        first, second = bench.outbox.entries()
        assert (first.state, second.state, second.waits_for) == (FAILED, WAITING, tried)
        await bench.clock.advance(BLOCKS_FOR)
        first, second = bench.outbox.entries()
        assert (first.state, second.state, second.waits_for) == (FAILED, SENT, None)


async def test_a_lost_message_that_is_sent_again_soon_keeps_its_place(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("lost before")
        lost = bench.outbox.send(LUNCH, "first")
        bench.outbox.send(LUNCH, "second")
        bench.outbox.send(TEA, "elsewhere")
        await bench.clock.advance(20)
        assert bench.server.contents() == ["elsewhere"]
        bench.outbox.retry(lost)
        await bench.clock.advance(2)
        assert bench.server.contents(LUNCH) == ["first", "second"]


async def test_those_behind_a_lost_message_go_on_at_once_when_it_is_taken_back(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("lost before")
        lost = bench.outbox.send(LUNCH, "first")
        bench.outbox.send(LUNCH, "second")
        await bench.clock.advance(10)
        assert bench.server.contents() == []
        bench.outbox.cancel(lost)
        await bench.clock.advance(1)
        assert bench.server.contents() == ["second"]


@pytest.mark.parametrize("how", ["refused", "lost before"])
async def test_what_was_queued_before_a_failure_goes_on_and_the_failure_stays_shown(
    bench: OutboxBench, how: str
) -> None:
    async with bench:
        bench.server.online = False
        failed = bench.outbox.send(LUNCH, "fails")
        bench.outbox.send(LUNCH, "two")
        bench.outbox.send(LUNCH, "three")
        bench.server.next_failures.append(how)
        bench.server.online = True
        bench.outbox.wake()
        await bench.clock.advance(10 + BLOCKS_FOR)
        assert bench.server.contents() == ["two", "three"]
        entry = bench.outbox.entries()[0]
        assert (entry.local_id, entry.state, entry.content) == (failed, FAILED, "fails")
        assert entry.error


async def test_lookups_end_at_some_point_so_that_the_next_message_can_be_sent(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("lost before")
        bench.server.find_failures.extend([ServerFault(500)] * 8)
        bench.outbox.send(LUNCH, "looked for in vain")
        bench.outbox.send(LUNCH, "behind")
        await bench.clock.advance(20)
        assert (states(bench), bench.server.contents()) == ([UNCONFIRMED, WAITING], [])
        await bench.clock.advance(20 + BLOCKS_FOR)
        assert (states(bench), bench.server.contents()) == ([FAILED, SENT], ["behind"])
        assert "not known whether this arrived" in (bench.outbox.entries()[0].error or "")


async def test_one_that_failed_comes_after_what_was_written_since_when_it_is_sent_again(
    bench: OutboxBench,
) -> None:
    async with bench:
        bench.server.next_failures.append("refused")
        failed = bench.outbox.send(LUNCH, "refused")
        bench.outbox.send(LUNCH, "behind")
        await bench.clock.advance(2)
        bench.outbox.retry(failed)
        await bench.clock.advance(2)
        assert bench.server.contents() == ["behind", "refused"]


async def test_a_message_that_is_too_long_does_not_hold_up_the_next(bench: OutboxBench) -> None:
    async with bench:
        bench.outbox.send(LUNCH, "x" * 1001)
        bench.outbox.send(LUNCH, "in short")
        await bench.clock.advance(2)
        assert bench.server.contents() == ["in short"]
        assert states(bench) == [FAILED, SENT]


async def test_invalid_text_fails_at_once_and_characters_garbled_by_the_terminal_are_repaired(
    bench: OutboxBench,
) -> None:
    async with bench:
        bench.outbox.send(LUNCH, "so\0up")
        assert states(bench) == [FAILED]
        bench.outbox.send(LUNCH, "so\udce9up \ud83c\udf72")
        await bench.clock.advance(2)
        assert bench.server.contents() == ["so\ufffdup \U0001f372"]


async def test_a_message_without_an_event_is_fetched_and_leaves(bench: OutboxBench) -> None:
    async with bench:
        bench.shows = True
        bench.outbox.send(LUNCH, "to a channel that one is not in")
        await bench.clock.advance(2)
        assert (states(bench), bench.shown) == ([SENT], [])
        await bench.clock.advance(2)
        assert (states(bench), bench.shown) == ([], [101])


async def test_fetching_what_was_sent_is_tried_until_it_works(bench: OutboxBench) -> None:
    async with bench:
        bench.shows = True
        bench.show_failures.extend([NotConnected("down"), ServerFault(502)])
        bench.outbox.send(LUNCH, "to a channel that one is not in")
        bench.server.online = False
        await bench.clock.advance(30)
        assert bench.shown == []
        bench.server.online = True
        bench.outbox.wake()
        await bench.clock.advance(30)
        assert (states(bench), bench.shown) == ([], [101, 101, 101])


async def test_failed_messages_sent_again_together_keep_their_order(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.extend(["refused", "refused"])
        failed = [bench.outbox.send(LUNCH, words) for words in ("first", "second")]
        await bench.clock.advance(2)
        for local_id in reversed(failed):
            bench.outbox.retry(local_id)
        await bench.clock.advance(2)
        assert bench.server.contents() == ["first", "second"]


async def test_a_backlog_is_sent_at_a_pace_and_not_as_a_burst(bench: OutboxBench) -> None:
    async with bench:
        for number in range(30):
            bench.outbox.send(ChannelDestination(number, "t"), f"message {number}")
        await bench.clock.advance(1.0)
        assert 9 <= bench.server.sends <= 11
        await bench.clock.advance(3.0)
        assert bench.server.sends == 30


async def test_at_most_four_requests_are_under_way(bench: OutboxBench) -> None:
    async with bench:
        bench.server.hold = True
        for number in range(10):
            bench.outbox.send(ChannelDestination(number, "t"), "hello")
        await bench.clock.advance(5)
        assert len(bench.server.requests) == 4


# what views show


async def test_entries_of_a_conversation_are_listed_in_the_order_of_writing(bench: OutboxBench) -> None:
    async with bench:
        bench.server.online = False
        for where, words in ((LUNCH, "one"), (BRUNO, "hello"), (LUNCH, "two")):
            bench.outbox.send(where, words)
        assert [entry.content for entry in bench.outbox.entries(LUNCH)] == ["one", "two"]
        assert [entry.content for entry in bench.outbox.entries(BRUNO)] == ["hello"]
        assert len(bench.outbox.entries()) == 3


async def test_messages_of_other_users_and_devices_do_not_affect_the_outbox(bench: OutboxBench) -> None:
    async with bench:
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        other_device = as_message(StoredMessage(500, LUNCH, "Soup today", "", None))
        bench.outbox.on_message(other_device, None)
        bench.outbox.on_message(replace(other_device, id=501, sender_id=ME + 1), "local-1x")
        assert states(bench) == [SENT]
        await bench.event()
        assert bench.outbox.entries() == []


def test_no_step_outside_the_diagram_is_taken(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "journal.db", executor=inline)
    store = OutboxStore(PartContext(journal, VirtualClock(), State(ME)))
    store.put(OutboxMessage("m", 1, LUNCH, "Soup today", WAITING, 0.0))
    (item,) = store.all()
    with pytest.raises(InvalidTransition):
        store.step(item, UNCONFIRMED)
    journal.close()


async def test_the_outbox_sleeps_when_there_is_nothing_to_do(bench: OutboxBench) -> None:
    async with bench:
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        await bench.event()
        await asyncio.sleep(0)
        assert bench.clock.sleeping == []


async def test_a_message_is_looked_for_after_the_last_one_with_a_response_though_its_event_is_late(
    bench: OutboxBench,
) -> None:
    async with bench:
        bench.outbox.send(LUNCH, "one")
        await bench.clock.advance(1)
        (stored,) = bench.server.stored
        bench.server.hold = True
        bench.outbox.send(LUNCH, "two")
        await bench.clock.advance(1)
        record = next(record for record in bench.journal.load_outbox() if record.content == "two")
        assert record.floor_id == stored.id
