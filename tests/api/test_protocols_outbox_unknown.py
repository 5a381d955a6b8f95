"""The outbox when it is not known whether a message arrived."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from narrowcast_api.errors import BadRequest, MalformedResponse, NotConnected, ServerFault
from narrowcast_api.protocols.outbox import OutboxState
from narrowcast_api.storage.journal import JournalChanges
from support.outbox_server import LUNCH, ME, TEA, OutboxBench, StoredMessage, as_message, only, states

WAITING, SENDING, UNCONFIRMED = OutboxState.WAITING, OutboxState.SENDING, OutboxState.UNCONFIRMED
FAILED, SENT = OutboxState.FAILED, OutboxState.SENT


# when the outcome is unknown


@pytest.mark.parametrize("error", [ServerFault(502), MalformedResponse("not JSON"), RuntimeError("a bug")])
async def test_an_unknown_outcome_is_looked_up_and_never_sent_twice(
    bench: OutboxBench, error: Exception
) -> None:
    async with bench:
        request = await bench.send_and_hold()
        bench.server.store(request)
        bench.server.events.clear()
        request.response.set_exception(error)
        await bench.settle()
        assert only(bench).state is UNCONFIRMED
        assert "Checking" in (only(bench).error or "")
        await bench.clock.advance(1.0)
        assert states(bench) == [SENT]
        await bench.clock.advance(60)
        assert (bench.server.sends, bench.server.contents()) == (1, ["Soup today"])


async def test_a_message_not_found_by_two_lookups_is_offered_again_with_its_words(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("lost before")
        bench.outbox.send(LUNCH, "Soup today")
        await bench.clock.advance(3.9)
        assert (states(bench), bench.server.looks) == ([UNCONFIRMED], 1)
        await bench.clock.advance(0.2)
        entry = only(bench)
        assert (entry.state, entry.content) == (FAILED, "Soup today")
        assert "Resend or cancel it" in (entry.error or "")
        await bench.clock.advance(600)
        assert bench.server.sends == 1, "only the user sends it again"


async def test_a_message_that_met_silence_and_is_not_found_by_three_lookups_is_sent_again(
    bench: OutboxBench,
) -> None:
    async with bench:
        bench.server.next_failures.append("silence")
        bench.outbox.send(LUNCH, "Soup today")
        bench.outbox.send(LUNCH, "And bread")
        await bench.clock.advance(9.9)
        assert (states(bench)[0], bench.server.looks, bench.server.sends) == (UNCONFIRMED, 2, 1)
        await bench.clock.advance(10)
        assert bench.server.contents() == ["Soup today", "And bread"]
        assert (bench.server.looks, bench.server.sends) == (3, 3)


async def test_a_message_that_met_silence_but_arrived_is_not_sent_again(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("silence after")
        bench.outbox.send(LUNCH, "Soup today")
        bench.server.events.clear()
        await bench.clock.advance(600)
        assert (bench.server.contents(), bench.server.sends) == (["Soup today"], 1)


async def test_a_message_that_may_have_been_edited_since_is_not_sent_again_without_asking(
    bench: OutboxBench,
) -> None:
    async with bench:
        bench.server.next_failures.append("silence after")
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        bench.server.events.clear()
        bench.server.stored[0].content, bench.server.stored[0].is_original = "Stew today", False
        await bench.clock.advance(600)
        assert (bench.server.contents(), bench.server.sends) == (["Stew today"], 1)
        entry = only(bench)
        assert (entry.state, entry.content) == (FAILED, "Soup today")
        assert "may be your message here that was edited" in (entry.error or "")
        bench.outbox.retry(entry.local_id)
        await bench.clock.advance(60)
        assert bench.server.contents() == ["Stew today", "Soup today"]


async def test_a_message_cancelled_during_the_silence_is_not_sent_again(bench: OutboxBench) -> None:
    async with bench:
        bench.server.hold = True
        local_id = bench.outbox.send(LUNCH, "Soup today")
        await bench.clock.advance(7.0)
        sent_at = only(bench).sent_at
        assert sent_at is not None
        assert bench.clock.now() - sent_at == pytest.approx(7.0)
        assert bench.outbox.cancel(local_id) is None
        bench.server.finish(bench.server.requests[0], "silence")
        await bench.clock.advance(60)
        assert (states(bench), bench.server.sends) == ([FAILED], 1)
        assert only(bench).sent_at is None


async def test_a_slow_server_that_stores_after_the_first_look_is_found_by_the_second(
    bench: OutboxBench,
) -> None:
    async with bench:
        request = await bench.send_and_hold()
        request.response.set_exception(ServerFault(504))
        await bench.clock.advance(2.0)
        bench.server.store(request)
        bench.server.events.clear()
        await bench.clock.advance(5.0)
        assert states(bench) == [SENT]


async def test_a_late_event_settles_what_had_failed(bench: OutboxBench) -> None:
    async with bench:
        request = await bench.send_and_hold()
        request.response.set_exception(ServerFault(504))
        await bench.clock.advance(10)
        assert states(bench) == [FAILED]
        bench.server.store(request)
        await bench.event()
        assert bench.outbox.entries() == []
        assert bench.journal.load_outbox() == []


async def test_a_late_success_is_found_also_when_the_queue_is_another_one(bench: OutboxBench) -> None:
    async with bench:
        request = await bench.send_and_hold()
        request.response.set_exception(ServerFault(504))
        await bench.clock.advance(10)
        await bench.lose_queue()
        bench.server.store(request)
        await bench.event()
        await bench.clock.advance(1)
        assert bench.outbox.entries() == [], "the event had no local id, so it was looked for by its words"


async def test_sending_again_looks_first_if_the_try_may_have_arrived(bench: OutboxBench) -> None:
    async with bench:
        request = await bench.send_and_hold()
        request.response.set_exception(ServerFault(504))
        await bench.clock.advance(10)
        bench.server.store(request)  # when the event is lost too
        bench.server.events.clear()
        bench.outbox.retry(request.local_id)
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


async def nobody_knows(bench: OutboxBench, how: str, looks: int, seconds: float) -> None:
    """Sends a message whose response is lost and whose look-ups fail that many times, until its outcome is
    reported as unknown.
    """
    bench.server.next_failures.append(how)
    bench.server.find_failures.extend([ServerFault(502)] * looks)
    bench.outbox.send(LUNCH, "Soup today")
    bench.server.events.clear()
    await bench.clock.advance(seconds)
    assert states(bench) == [FAILED]
    assert "not known whether this arrived" in (only(bench).error or "")


@pytest.mark.parametrize(
    ("how", "ends"),
    [
        ("lost after", (["Soup today"], [SENT])),
        ("lost before", ([], [FAILED])),
        ("silence", ([], [FAILED])),  # the outcome is reported as unknown, and the writer decides
    ],
)
async def test_a_message_of_unknown_outcome_is_looked_up_now_and_then(
    bench: OutboxBench, how: str, ends: tuple[list[str], list[OutboxState]]
) -> None:
    async with bench:
        await nobody_knows(bench, how, looks=8, seconds=60)
        await bench.clock.advance(100)
        assert (bench.server.contents(), states(bench)) == ends
        assert bench.server.sends == 1


async def test_only_an_own_unclaimed_message_in_the_same_conversation_triggers_another_lookup(
    bench: OutboxBench,
) -> None:
    async with bench:
        await nobody_knows(bench, "lost before", looks=6, seconds=40)
        looks = bench.server.looks
        mine = as_message(StoredMessage(500, LUNCH, "Soup today", "", None))
        elsewhere = as_message(StoredMessage(501, TEA, "Soup today", "", None))
        for message, more in ((replace(mine, sender_id=ME + 1), 0), (elsewhere, 0), (mine, 1)):
            bench.outbox.on_message(message, None)
            await bench.clock.advance(1)
            assert bench.server.looks == looks + more
        assert states(bench) == [FAILED]


@pytest.mark.parametrize(
    ("how", "until", "ends"), [("lost before", 4.0, [FAILED]), ("silence", 10.0, [SENT])]
)
async def test_own_messages_that_arrive_meanwhile_do_not_end_the_search_early(
    bench: OutboxBench, how: str, until: float, ends: list[OutboxState]
) -> None:
    async with bench:
        bench.server.next_failures.append(how)
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        for number in range(5):
            mine = as_message(StoredMessage(500 + number, LUNCH, "From my phone", "", None))
            bench.outbox.on_message(mine, None)
            await bench.clock.advance(0.1)
            assert bench.server.looks == number + 1
        await bench.clock.advance(until - 0.6)
        assert (states(bench), bench.server.sends) == ([UNCONFIRMED], 1)
        await bench.clock.advance(1.0)
        assert states(bench) == ends


async def test_an_own_message_that_arrives_meanwhile_may_be_the_one(bench: OutboxBench) -> None:
    async with bench:
        request = await bench.send_and_hold()
        await bench.lose_queue()
        request.response.set_exception(ServerFault(504))
        await bench.settle()
        bench.server.store(request)
        await bench.event()
        await bench.clock.advance(0.1)
        assert (states(bench), bench.server.looks) == ([], 1), "it was looked for at once"


async def test_after_a_restart_the_server_gets_time_to_store_what_was_being_sent(
    bench: OutboxBench,
) -> None:
    async with bench:
        request = await bench.send_and_hold()
        await bench.crash()
        bench.open()
        await bench.clock.advance(0.9)
        assert (states(bench), bench.server.looks) == ([UNCONFIRMED], 0)
        await bench.clock.advance(3.0)
        assert (states(bench), bench.server.looks) == ([UNCONFIRMED], 1)
        bench.server.store(request)
        bench.server.events.clear()
        await bench.clock.advance(1.0)
        assert (states(bench), bench.server.sends) == ([SENT], 1)


@pytest.mark.parametrize(
    ("how", "state", "told"),
    [("lost after", SENT, ""), ("lost before", FAILED, "not on the server")],
)
async def test_a_message_of_unknown_outcome_is_looked_up_after_a_restart(
    bench: OutboxBench, how: str, state: OutboxState, told: str
) -> None:
    async with bench:
        await nobody_knows(bench, how, looks=6, seconds=40)
        await bench.crash()
        bench.open()
        await bench.clock.advance(5)
        assert only(bench).state is state
        assert told in (only(bench).error or "")
        assert bench.server.sends == 1


async def test_after_a_restart_what_failed_is_looked_for_once_and_keeps_its_reason(
    bench: OutboxBench,
) -> None:
    async with bench:
        bench.server.next_failures.extend(["lost before", "refused"])
        local_id = bench.outbox.send(LUNCH, "Soup today")
        await bench.clock.advance(10)
        bench.outbox.retry(local_id)
        await bench.clock.advance(40)
        assert (only(bench).error, bench.server.sends) == ("You may not post here.", 2)
        await bench.crash()
        looks = bench.server.looks
        bench.server.find_failures.append(ServerFault(502))
        bench.open()
        await bench.clock.advance(300)
        assert (only(bench).state, only(bench).error) == (FAILED, "You may not post here.")
        assert (bench.server.looks, bench.server.sends) == (looks + 2, 2)


async def test_what_the_server_refused_keeps_its_reason_whatever_the_words_are(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("lost before")
        local_id = bench.outbox.send(LUNCH, "Soup today")
        await bench.clock.advance(10)
        bench.server.hold = True
        bench.outbox.retry(local_id)
        await bench.clock.advance(10)
        words = "It is not known whether this arrived: these are the server's own words."
        bench.server.requests[-1].response.set_exception(BadRequest("BAD_REQUEST", words))
        await bench.settle()
        await bench.crash()
        bench.open()
        await bench.clock.advance(300)
        assert (only(bench).state, only(bench).error) == (FAILED, words)


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
        # The event of the first has not arrived yet when the second is tried and lost.
        bench.server.next_failures.append("lost before")
        bench.outbox.send(LUNCH, "ok")
        await bench.clock.advance(10)
        assert states(bench) == [SENT, FAILED]


async def test_the_same_words_from_another_device_before_are_not_taken_for_this_message(
    bench: OutboxBench,
) -> None:
    async with bench:
        bench.server.stored.append(StoredMessage(90, LUNCH, "ok", "", None))
        bench.server.next_failures.append("lost before")
        bench.outbox.send(LUNCH, "ok")
        await bench.clock.advance(10)
        assert states(bench) == [FAILED]


async def test_a_message_that_the_user_resends_is_not_also_resent_automatically(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.extend(["lost before", "lost before"])
        local_id = bench.outbox.send(LUNCH, "Soup today")
        await bench.clock.advance(10)
        bench.outbox.retry(local_id)
        await bench.clock.advance(60)
        assert (states(bench), bench.server.sends) == ([FAILED], 2)


async def test_a_message_that_another_window_took_for_its_own_is_looked_for(bench: OutboxBench) -> None:
    async with bench:
        request = await bench.send_and_hold()
        message_id = bench.server.next_id + 1
        bench.outbox.on_journal(JournalChanges({("sent", str(message_id)): (message_id,)}))
        bench.server.finish(request, "ok")
        await bench.settle()
        assert only(bench).state is UNCONFIRMED
        await bench.clock.advance(10)
        assert (only(bench).state, bench.server.looks, bench.server.sends) == (FAILED, 2, 1)


async def test_space_that_the_server_trims_does_not_hide_a_message(bench: OutboxBench) -> None:
    async with bench:
        bench.server.next_failures.append("lost after")
        bench.outbox.send(LUNCH, "Soup today \n\n")
        bench.server.events.clear()
        await bench.clock.advance(10)
        assert states(bench) == [SENT]
