"""A silent event stream: how long it counts as live, and how it is probed when in doubt; in virtual time."""

from __future__ import annotations

import asyncio

from narrowcast_api.events.watchdog import EVENT_WITHIN, Watchdog
from support.clock import VirtualClock
from support.event_bench import EVENTS, LIVE, RECONNECTING, REGISTER, SNAPSHOT, StreamBench, heartbeat


async def test_a_silent_stream_is_probed_after_the_first_of_several_acts(clock: VirtualClock) -> None:
    watchdog = Watchdog(clock)
    watchdog.start_wait(90, is_polled=True)
    watchdog.action_done()
    await clock.advance(EVENT_WITHIN / 2)
    assert not watchdog.is_event_overdue()
    watchdog.action_done()
    await clock.advance(EVENT_WITHIN / 2)
    assert watchdog.is_event_overdue()
    assert not watchdog.is_event_overdue(), "it says so once"


async def test_acts_while_the_stream_is_not_listening_are_covered_by_the_next_response(
    clock: VirtualClock,
) -> None:
    watchdog = Watchdog(clock)
    watchdog.action_done()
    await clock.advance(EVENT_WITHIN)
    assert not watchdog.is_event_overdue()


async def test_what_was_done_before_a_wait_ended_is_not_asked_for_during_the_next(
    clock: VirtualClock,
) -> None:
    watchdog = Watchdog(clock)
    watchdog.start_wait(90, is_polled=True)
    watchdog.action_done()
    watchdog.end_wait()
    assert not watchdog.is_listening
    watchdog.start_wait(90, is_polled=True)
    await clock.advance(EVENT_WITHIN)
    assert not watchdog.is_event_overdue()


async def test_when_the_heartbeat_is_overdue_events_are_asked_for_at_once() -> None:
    bench = StreamBench()
    bench.registers(event_queue_longpoll_timeout_seconds=90)
    bench.hangs()
    async with bench.running():
        await bench.clock.advance(59)
        assert len(bench.polls()) == 1
        bench.transport.prepare(*EVENTS, json=heartbeat(3))
        bench.hangs()
        await bench.clock.advance(1)
        assert [poll.params.get("dont_block") for poll in bench.polls()] == [None, "true", None]
        assert bench.events == [3]
        assert bench.kinds == [LIVE]


async def test_a_connection_that_cannot_prove_that_it_works_is_not_live_a_moment_later() -> None:
    bench = StreamBench()
    bench.registers(event_queue_longpoll_timeout_seconds=90)
    bench.hangs()
    bench.hangs()
    async with bench.running():
        await bench.clock.advance(60 + 4.9)
        assert bench.kinds == [LIVE]
        bench.hangs()
        await bench.clock.advance(0.1)
        assert bench.kinds == [LIVE, RECONNECTING]
        await bench.clock.advance(0.1)
        assert [poll.params.get("dont_block") for poll in bench.polls()] == [None, "true", "true"]


async def test_a_request_without_a_response_puts_the_connection_in_doubt() -> None:
    bench = StreamBench()
    bench.registers()
    bench.hangs()
    bench.hangs()
    async with bench.running():
        bench.stream.poll_now()
        await bench.clock.settle()
        assert [poll.params.get("dont_block") for poll in bench.polls()] == [None, "true"]
        bench.stream.poll_now()  # no effect while a probe is pending
        await bench.clock.advance(4.9)
        assert bench.kinds == [LIVE]
        assert len(bench.polls()) == 2
        bench.transport.prepare(*EVENTS, json=heartbeat(1))
        bench.hangs()
        await bench.clock.advance(0.3)
        assert bench.kinds == [LIVE, RECONNECTING, LIVE]
        assert bench.events == [1]


async def test_a_poll_is_replaced_if_no_event_reports_an_act() -> None:
    bench = StreamBench()
    bench.registers(event_queue_longpoll_timeout_seconds=90)
    bench.hangs()
    async with bench.running():
        bench.stream.action_done()
        await bench.clock.advance(1.9)
        assert len(bench.polls()) == 1
        bench.transport.prepare(*EVENTS, json=heartbeat(3))
        bench.hangs()
        await bench.clock.advance(5)
        assert [poll.params.get("dont_block") for poll in bench.polls()] == [None, "true", None]
        assert bench.kinds == [LIVE]
        await bench.clock.advance(20)
        assert len(bench.polls()) == 3


async def test_an_act_reported_by_an_event_causes_no_request() -> None:
    bench = StreamBench()
    bench.registers(event_queue_longpoll_timeout_seconds=90)
    told = asyncio.Event()
    bench.transport.prepare(*EVENTS, json=heartbeat(1), gate=told)
    bench.hangs()
    async with bench.running():
        bench.stream.action_done()
        told.set()
        await bench.clock.advance(20)
        assert [poll.params.get("dont_block") for poll in bench.polls()] == [None, None]


async def test_a_silence_after_events_is_looked_into_once_a_minute() -> None:
    bench = StreamBench()
    bench.registers(event_queue_longpoll_timeout_seconds=90)
    told = {"result": "success", "events": [{"type": "typing", "op": "start", "id": 1}]}
    bench.transport.prepare(*EVENTS, json=told)
    bench.hangs()
    async with bench.running():
        await bench.clock.advance(4.9)
        assert len(bench.polls()) == 2
        bench.transport.prepare(*EVENTS, json={"result": "success", "events": []})
        bench.hangs()
        await bench.clock.advance(0.1)
        assert [poll.params.get("dont_block") for poll in bench.polls()] == [None, None, "true", None]
        await bench.clock.advance(55)
        assert len(bench.polls()) == 4
        assert bench.kinds == [LIVE]


async def test_doubt_before_the_first_snapshot_changes_nothing() -> None:
    bench = StreamBench()
    responded = asyncio.Event()
    bench.transport.prepare(*REGISTER, json=SNAPSHOT, gate=responded)
    bench.hangs()
    async with bench.running():
        bench.stream.poll_now()
        responded.set()
        await bench.clock.settle(60)
        assert [poll.params.get("dont_block") for poll in bench.polls()] == [None]


async def test_doubt_while_nothing_is_waited_for_is_forgotten() -> None:
    bench = StreamBench()
    bench.registers()
    bench.cut()
    async with bench.running():
        bench.stream.poll_now()
        await bench.clock.settle()
        assert len(bench.polls()) == 1, "the pause goes on"
        bench.transport.prepare(*EVENTS, json=heartbeat(0))
        bench.hangs()
        await bench.clock.advance(0.1)
        assert [poll.params.get("dont_block") for poll in bench.polls()] == [None, "true", None]


async def test_a_poll_that_must_not_block_and_does_is_given_up() -> None:
    bench = StreamBench()
    bench.registers()
    bench.cut()
    bench.hangs()
    async with bench.running():
        await bench.clock.advance(0.1)
        assert len(bench.polls()) == 2
        bench.transport.prepare(*EVENTS, json=heartbeat(0))
        bench.hangs()
        await bench.clock.advance(10.2)
        assert len(bench.polls()) == 4
        assert bench.kinds[-1] == LIVE
