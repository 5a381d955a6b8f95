"""The outbox: nothing that a user wrote is lost, nothing is sent twice."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from narrowcast_api.destinations import ChannelDestination, DirectDestination
from narrowcast_api.errors import BadRequest, InvalidInput, MalformedAnswer, NotConnected, ServerFault
from narrowcast_api.protocols.outbox import OutboxEntry, OutboxState
from narrowcast_api.protocols.outbox_entry import MessageLimits
from narrowcast_api.state.changes import OutboxChanged
from narrowcast_api.storage.journal import Journal
from support.outbox_server import ME, OutboxBench, StoredMessage, as_message

LUNCH = ChannelDestination(7, "lunch")
TEA = ChannelDestination(7, "tea")
BRUNO = DirectDestination(frozenset({12}))

WAITING, SENDING, UNCONFIRMED = OutboxState.WAITING, OutboxState.SENDING, OutboxState.UNCONFIRMED
FAILED, SENT = OutboxState.FAILED, OutboxState.SENT


@pytest.fixture
def bench(tmp_path: Path) -> OutboxBench:
    return OutboxBench(tmp_path)


def only(bench: OutboxBench) -> OutboxEntry:
    (entry,) = bench.outbox.entries()
    return entry


def states(bench: OutboxBench) -> list[OutboxState]:
    return [entry.state for entry in bench.outbox.entries()]


# settling


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


async def test_the_event_may_come_before_the_answer(bench: OutboxBench) -> None:
    async with bench:
        bench.server.hold = True
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        request = bench.server.requests[0]
        message_id = bench.server.store(request)
        await bench.event()
        assert bench.outbox.entries() == []
        request.answer.set_result(message_id)
        await bench.clock.advance(60)
        assert (bench.server.sends, bench.outbox.entries()) == (1, [])


async def test_an_answer_that_is_lost_after_the_event_changes_nothing(bench: OutboxBench) -> None:
    async with bench:
        bench.server.hold = True
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        request = bench.server.requests[0]
        bench.server.store(request)
        await bench.event()
        request.answer.set_exception(ServerFault(502))
        await bench.clock.advance(60)
        assert (bench.server.sends, bench.server.looks, bench.outbox.entries()) == (1, 0, [])


async def test_a_sent_message_stays_listed_until_a_snapshot_has_it(bench: OutboxBench) -> None:
    async with bench:
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        assert states(bench) == [SENT]
        await bench.lose_queue()
        assert bench.outbox.entries() == []


async def test_each_message_carries_its_local_id_and_the_queue_of_the_moment(bench: OutboxBench) -> None:
    async with bench:
        bench.server.hold = True
        local_id = bench.outbox.send(LUNCH, "Soup today")
        bench.server.queue_id = "queue-2"
        await bench.settle()
        request = bench.server.requests[0]
        assert (request.local_id, request.queue_id) == (local_id, "queue-2")


# nothing is sent before the journal has it


async def test_the_journal_has_the_words_when_send_returns_and_the_try_before_the_request(
    tmp_path: Path,
) -> None:
    bench = OutboxBench(tmp_path)
    async with bench:
        kept: list[tuple[str, OutboxState, bool]] = []
        send = bench.server.send

        async def looking(*args: object, **kwargs: object) -> int:
            kept.extend((r.content, r.state, r.tried) for r in bench.journal.load_outbox())
            return await send(*args, **kwargs)  # type: ignore[arg-type]  # passed on as they came

        bench.outbox._send = looking
        bench.outbox.send(LUNCH, "Soup today")
        assert [r.state for r in bench.journal.load_outbox()] == [WAITING]
        await bench.settle()
        assert kept == [("Soup today", SENDING, True)]


async def test_a_full_disk_does_not_stop_a_message(bench: OutboxBench) -> None:
    async with bench:
        bench.journal._connection.execute("PRAGMA query_only=1")
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        assert bench.server.contents() == ["Soup today"]
        assert bench.journal.warning is not None


# when the connection never opened


async def test_what_surely_never_left_is_sent_again_by_itself_with_growing_pauses(bench: OutboxBench) -> None:
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


# when the outcome is unknown


@pytest.mark.parametrize("error", [ServerFault(502), MalformedAnswer("not JSON"), RuntimeError("a bug")])
async def test_an_unknown_outcome_is_looked_up_and_never_sent_twice(
    bench: OutboxBench, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    async with bench:
        bench.server.hold = True
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        request = bench.server.requests[0]
        bench.server.store(request)
        bench.server.events.clear()
        request.answer.set_exception(error)
        await bench.settle()
        assert only(bench).state is UNCONFIRMED
        assert "Looking" in (only(bench).error or "")
        await bench.clock.advance(1.0)
        assert states(bench) == [SENT]
        await bench.clock.advance(60)
        assert (bench.server.sends, bench.server.contents()) == (1, ["Soup today"])


async def test_what_is_not_there_after_two_looks_is_offered_again_with_its_words(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("lost before")
        bench.outbox.send(LUNCH, "Soup today")
        await bench.clock.advance(3.9)
        assert (states(bench), bench.server.looks) == ([UNCONFIRMED], 1)
        await bench.clock.advance(0.2)
        entry = only(bench)
        assert (entry.state, entry.content) == (FAILED, "Soup today")
        assert "Send it again, or cancel it" in (entry.error or "")
        await bench.clock.advance(600)
        assert bench.server.sends == 1, "only the user sends it again"


async def test_a_slow_server_that_stores_after_the_first_look_is_found_by_the_second(
    bench: OutboxBench,
) -> None:
    async with bench:
        bench.server.hold = True
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        request = bench.server.requests[0]
        request.answer.set_exception(ServerFault(504))
        await bench.clock.advance(2.0)
        bench.server.store(request)
        bench.server.events.clear()
        await bench.clock.advance(5.0)
        assert states(bench) == [SENT]


async def test_a_late_event_settles_what_had_failed(bench: OutboxBench) -> None:
    async with bench:
        bench.server.hold = True
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        request = bench.server.requests[0]
        request.answer.set_exception(ServerFault(504))
        await bench.clock.advance(10)
        assert states(bench) == [FAILED]
        bench.server.store(request)
        await bench.event()
        assert bench.outbox.entries() == []
        assert bench.journal.load_outbox() == []


async def test_a_late_success_is_found_also_when_the_queue_is_another_one(bench: OutboxBench) -> None:
    async with bench:
        bench.server.hold = True
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        request = bench.server.requests[0]
        request.answer.set_exception(ServerFault(504))
        await bench.clock.advance(10)
        await bench.lose_queue()
        bench.server.store(request)
        await bench.event()
        await bench.clock.advance(1)
        assert bench.outbox.entries() == [], "the event had no local id, so it was looked for by its words"


async def test_sending_again_looks_first_if_the_try_may_have_arrived(bench: OutboxBench) -> None:
    async with bench:
        bench.server.hold = True
        local_id = bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        request = bench.server.requests[0]
        request.answer.set_exception(ServerFault(504))
        await bench.clock.advance(10)
        bench.server.store(request)  # and nobody tells: its event is lost
        bench.server.events.clear()
        bench.outbox.retry(local_id)
        await bench.clock.advance(10)
        assert (bench.server.sends, states(bench)) == (1, [SENT])


async def test_sending_again_sends_if_looking_finds_nothing(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("lost before")
        local_id = bench.outbox.send(LUNCH, "Soup today")
        await bench.clock.advance(10)
        bench.outbox.retry(local_id)
        await bench.clock.advance(10)
        assert (bench.server.contents(), states(bench)) == (["Soup today"], [SENT])


async def test_a_look_that_fails_is_repeated_until_it_works(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("lost after")
        bench.server.find_failures.extend([ServerFault(502), NotConnected("down"), ServerFault(502)])
        bench.outbox.send(LUNCH, "Soup today")
        bench.server.events.clear()
        await bench.clock.advance(30)
        assert (bench.server.sends, bench.server.looks, states(bench)) == (1, 4, [SENT])


async def test_a_look_that_is_refused_is_told_and_nothing_is_sent(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("lost before")
        bench.server.find_failures.append(BadRequest("BAD_REQUEST", "Invalid channel ID"))
        bench.outbox.send(LUNCH, "Soup today")
        await bench.clock.advance(30)
        assert only(bench).state is FAILED
        assert "not known whether this arrived" in (only(bench).error or "")
        assert bench.server.sends == 1


async def test_the_same_words_sent_before_are_not_taken_for_this_message(bench: OutboxBench) -> None:
    async with bench:
        bench.outbox.send(LUNCH, "ok")
        await bench.settle()
        # The event of the first has not come yet when the second is tried and lost.
        bench.server.next_failures.append("lost before")
        bench.outbox.send(LUNCH, "ok")
        await bench.clock.advance(10)
        assert states(bench) == [SENT, FAILED]


async def test_space_that_the_server_trims_does_not_hide_a_message(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("lost after")
        bench.outbox.send(LUNCH, "Soup today \n\n")
        bench.server.events.clear()
        await bench.clock.advance(10)
        assert states(bench) == [SENT]


# when the server refuses


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
        bench.limits = MessageLimits(10, 5)
        local_id = bench.outbox.send(ChannelDestination(7, "tea"), "é" * 12)
        bench.outbox.send(ChannelDestination(7, "long topic"), "short")
        await bench.clock.advance(5)
        first, second = bench.outbox.entries()
        assert (
            first.error
            == "The message is 2 characters too long for this server. Shorten it and send it again."
        )
        assert "topic is 5 characters too long" in (second.error or "")
        assert bench.server.sends == 0
        bench.outbox.retry(local_id)
        assert bench.outbox.entries()[0].state is FAILED
        bench.limits = MessageLimits(12, 60)
        bench.outbox.retry(local_id)
        await bench.clock.advance(5)
        assert bench.server.contents() == ["é" * 12], "code points count, not bytes"


@pytest.mark.parametrize("blank", ["", "  \n\t"])
async def test_a_blank_message_is_refused_at_once(bench: OutboxBench, blank: str) -> None:
    async with bench:
        with pytest.raises(InvalidInput):
            bench.outbox.send(LUNCH, blank)
        assert bench.outbox.entries() == []


# order and pace


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


async def test_one_conversation_does_not_hold_up_another(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("refused")
        bench.outbox.send(LUNCH, "refused")
        bench.outbox.send(LUNCH, "behind")
        bench.outbox.send(TEA, "free")
        bench.outbox.send(BRUNO, "free too")
        await bench.clock.advance(2)
        assert sorted(bench.server.contents()) == ["free", "free too"]


async def test_what_waits_behind_a_failure_says_so_and_goes_on_once_it_is_cancelled(
    bench: OutboxBench,
) -> None:
    async with bench:
        bench.server.next_failures.append("refused")
        failed = bench.outbox.send(LUNCH, "refused")
        bench.outbox.send(LUNCH, "behind")
        await bench.clock.advance(2)
        first, second = bench.outbox.entries()
        assert (first.state, first.waits_for) == (FAILED, None)
        assert (second.state, second.waits_for) == (WAITING, failed)
        bench.outbox.cancel(failed)
        await bench.clock.advance(2)
        assert bench.server.contents() == ["behind"]


async def test_who_sees_a_failure_and_writes_on_is_not_held_up(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("refused")
        failed = bench.outbox.send(LUNCH, "refused")
        bench.outbox.send(LUNCH, "behind")
        await bench.clock.advance(2)
        assert bench.server.contents() == []
        bench.outbox.send(LUNCH, "all the same")
        assert all(entry.waits_for != failed for entry in bench.outbox.entries())
        await bench.clock.advance(2)
        assert bench.server.contents() == ["behind", "all the same"]
        bench.outbox.retry(failed)
        await bench.clock.advance(2)
        assert bench.server.contents() == ["behind", "all the same", "refused"]


async def test_a_message_that_is_too_long_does_not_hold_up_the_next(bench: OutboxBench) -> None:
    async with bench:
        bench.outbox.send(LUNCH, "x" * 1001)
        bench.outbox.send(LUNCH, "in short")
        await bench.clock.advance(2)
        assert bench.server.contents() == ["in short"]
        assert states(bench) == [FAILED, SENT]


async def test_what_no_server_takes_fails_at_once_and_what_a_terminal_garbled_is_mended(
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


async def test_a_failed_message_sent_again_keeps_its_place(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("refused")
        failed = bench.outbox.send(LUNCH, "first")
        bench.outbox.send(LUNCH, "second")
        await bench.clock.advance(2)
        bench.outbox.retry(failed)
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


# cancelling


async def test_a_waiting_message_can_be_taken_back_with_its_words(bench: OutboxBench) -> None:
    async with bench:
        bench.server.online = False
        local_id = bench.outbox.send(LUNCH, "Soup today")
        entry = bench.outbox.cancel(local_id)
        assert entry is not None
        assert entry.content == "Soup today"
        bench.server.online = True
        bench.outbox.wake()
        await bench.clock.advance(5)
        assert (bench.server.sends, bench.outbox.entries(), bench.journal.load_outbox()) == (0, [], [])


@pytest.mark.parametrize(
    ("how", "ends"),
    [
        ("ok", SENT),
        ("lost after", SENT),
        ("lost before", FAILED),
        ("not connected", FAILED),
        ("refused", FAILED),
    ],
)
async def test_cancelling_under_way_never_resends_and_never_loses_the_words(
    bench: OutboxBench, how: str, ends: OutboxState
) -> None:
    async with bench:
        bench.server.hold = True
        local_id = bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        assert bench.outbox.cancel(local_id) is None, "too late to promise anything"
        bench.server.finish(bench.server.requests[0], how)
        await bench.clock.advance(30)
        assert (only(bench).state, only(bench).content) == (ends, "Soup today")
        assert bench.server.sends == 1
        bench.server.hold = False
        if ends is FAILED:
            assert bench.outbox.cancel(local_id) is not None


async def test_an_unconfirmed_message_can_be_taken_back_while_it_is_looked_for(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("lost after")
        local_id = bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        assert states(bench) == [UNCONFIRMED]
        assert bench.outbox.cancel(local_id) is not None
        await bench.event()
        await bench.clock.advance(30)
        assert (bench.outbox.entries(), bench.server.sends) == ([], 1)


async def test_unknown_ids_and_wrong_moments_are_ignored(bench: OutboxBench) -> None:
    async with bench:
        assert bench.outbox.cancel("nobody") is None
        bench.outbox.retry("nobody")
        local_id = bench.outbox.send(LUNCH, "Soup today")
        bench.outbox.retry(local_id)
        await bench.settle()
        assert bench.outbox.cancel(local_id) is None
        bench.outbox.retry(local_id)
        await bench.clock.advance(5)
        assert bench.server.sends == 1


# restarts


async def test_what_waited_goes_out_after_a_restart(bench: OutboxBench) -> None:
    async with bench:
        bench.server.online = False
        bench.outbox.send(LUNCH, "one")
        bench.outbox.send(LUNCH, "two")
        await bench.settle()
        await bench.crash()
        bench.server.online = True
        bench.open()
        await bench.clock.advance(5)
        assert bench.server.contents() == ["one", "two"]


@pytest.mark.parametrize("arrived", [True, False])
async def test_a_crash_under_way_is_looked_up_after_the_restart(bench: OutboxBench, arrived: bool) -> None:
    async with bench:
        bench.server.hold = True
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        request = bench.server.requests[0]
        await bench.crash()
        if arrived:
            bench.server.store(request)
        bench.server.events.clear()
        bench.open()
        assert only(bench).state is UNCONFIRMED
        await bench.clock.advance(10)
        assert states(bench) == [SENT if arrived else FAILED]
        assert bench.server.sends == 1


async def test_failed_messages_are_still_offered_after_a_restart(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("refused")
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        await bench.crash()
        bench.open()
        entry = only(bench)
        assert (entry.state, entry.error) == (FAILED, "You may not post here.")


async def test_a_second_instance_does_not_send(tmp_path: Path) -> None:
    bench = OutboxBench(tmp_path)
    async with bench:
        second = OutboxBench(tmp_path)
        second.open()
        second.outbox._journal = Journal.open(tmp_path / "journal.db", read_only=True, threaded=False)
        with pytest.raises(InvalidInput, match="Another window"):
            second.outbox.send(LUNCH, "Soup today")
        second.outbox._journal.close()
        await second.crash()


# what views see


async def test_entries_of_a_conversation_are_listed_in_the_order_of_writing(bench: OutboxBench) -> None:
    async with bench:
        bench.server.online = False
        for where, words in ((LUNCH, "one"), (BRUNO, "hello"), (LUNCH, "two")):
            bench.outbox.send(where, words)
        assert [entry.content for entry in bench.outbox.entries(LUNCH)] == ["one", "two"]
        assert [entry.content for entry in bench.outbox.entries(BRUNO)] == ["hello"]
        assert len(bench.outbox.entries()) == 3


async def test_messages_of_others_and_of_other_devices_do_not_disturb(bench: OutboxBench) -> None:
    async with bench:
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        other_device = as_message(StoredMessage(500, LUNCH, "Soup today", "", None))
        bench.outbox.on_message(other_device, None)
        bench.outbox.on_message(replace(other_device, id=501, sender_id=ME + 1), "local-1x")
        assert states(bench) == [SENT]
        await bench.event()
        assert bench.outbox.entries() == []


async def test_no_step_outside_the_diagram_is_taken(bench: OutboxBench) -> None:
    from narrowcast_api.protocols.outbox import InvalidTransition

    async with bench:
        bench.server.online = False
        bench.outbox.send(LUNCH, "Soup today")
        (parcel,) = bench.outbox._parcels.values()
        with pytest.raises(InvalidTransition):
            bench.outbox._step(parcel, UNCONFIRMED)


async def test_the_outbox_sleeps_when_there_is_nothing_to_do(bench: OutboxBench) -> None:
    async with bench:
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        await bench.event()
        await asyncio.sleep(0)
        assert bench.clock.sleeping == []
