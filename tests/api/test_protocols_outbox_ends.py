"""The outbox when messages are cancelled, and across restarts."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast_api.errors import BadRequest, InvalidInput, NarrowcastError
from narrowcast_api.protocols.outbox import OutboxState
from support.outbox_server import LUNCH, OutboxBench, only, states

WAITING, SENDING, UNCONFIRMED = OutboxState.WAITING, OutboxState.SENDING, OutboxState.UNCONFIRMED
FAILED, SENT = OutboxState.FAILED, OutboxState.SENT


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


async def test_a_message_is_held_back_until_its_time_and_taken_back_before(bench: OutboxBench) -> None:
    async with bench:
        first = bench.outbox.send(LUNCH, "Soup today", hold=5)
        await bench.clock.advance(4)
        assert bench.server.sends == 0
        assert 0 < only(bench).held_for <= 1
        await bench.clock.advance(2)
        assert bench.server.sends == 1
        assert bench.outbox.cancel(first) is None
        second = bench.outbox.send(LUNCH, "Bread", hold=5)
        await bench.clock.advance(4)
        entry = bench.outbox.cancel(second)
        assert entry is not None
        assert entry.content == "Bread"
        await bench.clock.advance(30)
        assert bench.server.sends == 1


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


@pytest.mark.parametrize(
    ("how", "looks", "failures"),
    [
        ("lost before", 2, []),
        ("lost after", 1, []),
        ("lost before", 1, [BadRequest("BAD_REQUEST", "Invalid narrow")]),
    ],
    ids=["not there at the last look", "there", "refused"],
)
async def test_what_is_taken_back_during_a_look_is_gone_whatever_the_look_says(
    bench: OutboxBench, how: str, looks: int, failures: list[NarrowcastError]
) -> None:
    async with bench:
        bench.server.next_failures.append(how)
        bench.server.find_failures.extend(failures)
        local_id = bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        while bench.server.looks < looks:
            if bench.server.looks == looks - 1:
                bench.server.look_leaves.clear()
            await bench.clock.advance(0.5)
        assert bench.outbox.cancel(local_id) is not None
        bench.server.look_leaves.set()
        await bench.clock.advance(60)
        assert (bench.outbox.entries(), bench.journal.load_outbox()) == ([], [])
        await bench.crash()
        bench.open()
        await bench.clock.advance(60)
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
        request = await bench.send_and_hold()
        await bench.crash()
        if arrived:
            bench.server.store(request)
        bench.server.events.clear()
        bench.open()
        assert only(bench).state is UNCONFIRMED
        await bench.clock.advance(10)
        assert states(bench) == [SENT if arrived else FAILED]
        assert bench.server.sends == 1


async def test_what_was_refused_is_still_offered_after_a_restart_and_not_looked_for(
    bench: OutboxBench,
) -> None:
    async with bench:
        bench.server.next_failures.append("refused")
        bench.outbox.send(LUNCH, "Soup today")
        await bench.settle()
        await bench.crash()
        bench.open()
        assert (only(bench).state, only(bench).error) == (FAILED, "You may not post here.")
        await bench.clock.advance(300)
        assert (only(bench).error, bench.server.looks) == ("You may not post here.", 0)


@pytest.mark.parametrize("how", ["refused", "lost before"])
async def test_a_failure_holds_up_nothing_after_a_restart(bench: OutboxBench, how: str) -> None:
    async with bench:
        bench.server.next_failures.append(how)
        bench.outbox.send(LUNCH, "fails")
        await bench.clock.advance(10)
        bench.server.online = False
        bench.outbox.send(LUNCH, "queued at the end")
        await bench.settle()
        await bench.crash()
        bench.server.online = True
        bench.open()
        await bench.clock.advance(2)
        assert bench.server.contents() == ["queued at the end"]
        assert states(bench) == [FAILED, SENT]


async def test_a_second_instance_does_not_send(tmp_path: Path) -> None:
    async with OutboxBench(tmp_path), OutboxBench(tmp_path, read_only="open elsewhere") as second:
        with pytest.raises(InvalidInput, match="elsewhere"):
            second.outbox.send(LUNCH, "Soup today")
