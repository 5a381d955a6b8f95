"""The event stream recovers by itself: each row of the recovery table, in virtual time, without a network."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import httpx2
import pytest

from narrowcast_api.events.status import ConnectionKind
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.events import Event
from support.event_bench import EVENTS, LIVE, RECONNECTING, REGISTER, SNAPSHOT, StreamBench, heartbeat
from support.ledger import proves


@proves("EVT-01", "EVT-08")
async def test_it_registers_and_hands_over_events_in_order_each_once() -> None:
    bench = StreamBench()
    bench.registers()
    bench.transport.prepare(*EVENTS, json=heartbeat(0, 2))
    bench.transport.prepare(*EVENTS, json=heartbeat(2, 5))
    bench.hangs()
    async with bench.running():
        assert bench.events == [0, 2, 5]
        assert [poll.params["last_event_id"] for poll in bench.polls()] == ["-1", "2", "5"]
        assert all("dont_block" not in poll.params for poll in bench.polls())
        assert bench.kinds == [LIVE]


async def test_a_cut_poll_is_repeated_on_the_same_queue_without_blocking_after_a_jittered_pause() -> None:
    bench = StreamBench()
    bench.registers()
    bench.cut()
    bench.cut()
    async with bench.running():
        assert bench.kinds == [LIVE, RECONNECTING]
        await bench.clock.advance(0.1)
        assert len(bench.polls()) == 2
        bench.transport.prepare(*EVENTS, json=heartbeat(1))
        bench.hangs()
        await bench.clock.advance(0.19)
        assert len(bench.polls()) == 2
        await bench.clock.advance(0.01)
        assert [poll.params.get("dont_block") for poll in bench.polls()] == [None, "true", "true", None]
        assert [poll.params["queue_id"] for poll in bench.polls()] == ["q1"] * 4
        assert bench.events == [1]
        assert bench.kinds[-1] == LIVE
        assert len(bench.snapshots) == 1


async def test_a_server_error_counts_like_a_cut() -> None:
    bench = StreamBench()
    bench.registers()
    bench.transport.prepare(*EVENTS, status=502, content=b"<html>Bad Gateway</html>")
    bench.transport.prepare(*EVENTS, json=heartbeat(0))
    bench.hangs()
    async with bench.running():
        await bench.clock.advance(0.1)
        assert bench.kinds == [LIVE, RECONNECTING, LIVE]
        assert len(bench.snapshots) == 1


async def test_registration_is_repeated_while_the_server_is_down() -> None:
    bench = StreamBench()
    bench.transport.prepare(*REGISTER, error=httpx2.ConnectError("refused"))
    bench.transport.prepare(*REGISTER, status=500, content=b"oops")
    bench.registers()
    bench.hangs()
    async with bench.running():
        assert bench.kinds == [RECONNECTING]
        await bench.clock.advance(0.31)
        assert bench.kinds[-1] == LIVE


async def test_an_expired_queue_registers_anew_at_once() -> None:
    bench = StreamBench()
    bench.registers()
    bench.transport.prepare(*EVENTS, json=heartbeat(0))
    bench.transport.prepare_error(*EVENTS, code="BAD_EVENT_QUEUE_ID", queue_id="q1")
    bench.registers("q2")
    bench.hangs()
    async with bench.running():
        assert len(bench.snapshots) == 2
        assert bench.polls()[-1].params["queue_id"] == "q2"
        assert bench.kinds == [LIVE]


@pytest.mark.parametrize(
    ("asleep", "kept_for", "is_polled"),
    [(3600, 600, False), (3600, None, True), (650, 600, True), (3600, 7200, True), (3600, "long", True)],
)
async def test_a_queue_that_has_certainly_expired_is_not_asked_for_events(
    asleep: float, kept_for: object, is_polled: bool
) -> None:
    bench = StreamBench()
    bench.registers(idle_queue_timeout_secs=kept_for)
    bench.transport.prepare(*EVENTS, json=heartbeat(0))
    bench.hangs()
    async with bench.running():
        polls = len(bench.polls())
        if is_polled:
            bench.transport.prepare_error(*EVENTS, code="BAD_EVENT_QUEUE_ID", queue_id="q1")
        bench.registers("q2")
        bench.hangs()
        bench.clock.jump(asleep)
        await bench.clock.advance(6)
        assert [poll.params["queue_id"] for poll in bench.polls()[polls:]] == ["q1"] * is_polled + ["q2"]
        assert bench.kinds[-1] == LIVE


async def test_a_snapshot_that_has_time_comes_with_the_first_event_after_a_share_of_it() -> None:
    bench = StreamBench()
    bench.registers()
    first, second, third = asyncio.Event(), asyncio.Event(), asyncio.Event()
    for number, gate in enumerate((first, second, third)):
        bench.transport.prepare(*EVENTS, json=heartbeat(number), gate=gate)
    async with bench.running():
        bench.stream.register_again(300)
        await bench.clock.advance(45)
        first.set()
        await bench.clock.settle(60)
        assert bench.events == [0]
        bench.stream.register_again(80)  # the earlier of the two times applies
        await bench.clock.advance(45)
        second.set()
        await bench.clock.settle(60)
        assert (bench.events, len(bench.snapshots)) == ([0, 1], 1)
        bench.registers("q2")
        bench.hangs()
        await bench.clock.advance(45)
        third.set()
        await bench.clock.settle(60)
        assert (bench.events, len(bench.snapshots)) == ([0, 1, 2], 2)
        assert bench.polls()[-1].params["queue_id"] == "q2"


async def test_a_server_that_loses_every_new_queue_is_not_asked_without_pause() -> None:
    bench = StreamBench()
    for _ in range(4):
        bench.registers()
        bench.transport.prepare_error(*EVENTS, code="BAD_EVENT_QUEUE_ID", queue_id="q1")
    async with bench.running():
        assert len(bench.snapshots) == 1
        await bench.clock.advance(0.1)
        assert len(bench.snapshots) == 2
        await bench.clock.advance(0.2)
        assert len(bench.snapshots) == 3


async def test_another_refusal_registers_anew_after_a_pause() -> None:
    bench = StreamBench()
    bench.registers()
    bench.transport.prepare_error(
        *EVENTS, code="BAD_REQUEST", msg="An event newer than 7 has already been pruned!"
    )
    async with bench.running():
        assert len(bench.snapshots) == 1
        bench.registers("q2")
        bench.hangs()
        await bench.clock.advance(0.1)
        assert len(bench.snapshots) == 2


async def test_what_an_earlier_session_knew_of_the_server_is_asked_anew_where_it_refuses_to_register() -> (
    None
):
    bench = StreamBench()
    bench.connection.assume(ServerInfo(level=9, known=True))
    assert bench.connection.server.level != 9  # the server's own response prevails
    bench.connection.forget_server()
    bench.connection.assume(ServerInfo(level=9, known=True))
    bench.transport.prepare_error(*REGISTER, code="BAD_REQUEST", msg="Unknown capability")
    async with bench.running():
        assert [request.path for request in bench.transport.requests] == [REGISTER[1]]
        bench.transport.prepare("GET", "/api/v1/server_settings", json={"zulip_feature_level": 300})
        bench.registers(zulip_feature_level=300)
        bench.hangs()
        await bench.clock.advance(1)
        assert bench.connection.server.level == 300
        assert bench.kinds[-1] == LIVE


async def test_a_response_that_is_not_json_causes_a_new_registration() -> None:
    bench = StreamBench()
    bench.registers()
    bench.transport.prepare(*EVENTS, content=b"<html>captive portal</html>")
    async with bench.running():
        bench.registers("q2")
        bench.hangs()
        await bench.clock.advance(0.1)
        assert len(bench.snapshots) == 2


@pytest.mark.parametrize("wrong", [{"queue_id": None}, {"last_event_id": None}, {"last_event_id": "7"}])
async def test_a_registration_without_a_queue_is_repeated(wrong: dict[str, object]) -> None:
    bench = StreamBench()
    bench.transport.prepare(*REGISTER, json={**SNAPSHOT, **wrong})
    bench.registers()
    bench.hangs()
    async with bench.running():
        assert bench.snapshots == []
        await bench.clock.advance(1)
        assert len(bench.snapshots) == 1
        assert bench.kinds[-1] == LIVE


async def test_an_event_that_cannot_be_applied_leads_to_a_snapshot_and_longer_pauses_each_time() -> None:
    bench = StreamBench()

    def broken(events: Sequence[Event]) -> None:
        raise RuntimeError("bad")

    bench.broken = broken
    for _ in range(3):
        bench.registers()
        bench.transport.prepare(*EVENTS, json=heartbeat(0))
    async with bench.running():
        assert (len(bench.snapshots), bench.kinds) == (1, [LIVE, RECONNECTING])
        await bench.clock.advance(0.1)
        assert len(bench.snapshots) == 2
        await bench.clock.advance(0.19)
        assert len(bench.snapshots) == 2
        await bench.clock.advance(0.01)
        assert len(bench.snapshots) == 3


async def test_a_key_that_is_refused_after_the_network_was_away_stays_refused() -> None:
    bench = StreamBench()
    bench.transport.prepare(*REGISTER, error=httpx2.ConnectError("nobody listens"))
    bench.transport.prepare_error(*REGISTER, code="UNAUTHORIZED", msg="Invalid API key", status=401)
    async with bench.running():
        await bench.clock.advance(3600)
        assert bench.kinds == [RECONNECTING, ConnectionKind.REFUSED]


async def test_a_refused_key_stops_until_somebody_asks_again() -> None:
    bench = StreamBench()
    bench.transport.prepare_error(*REGISTER, code="UNAUTHORIZED", msg="Invalid API key", status=401)
    async with bench.running():
        assert bench.kinds == [ConnectionKind.REFUSED]
        assert "Invalid API key" in bench.statuses[-1].detail
        await bench.clock.advance(3600)
        bench.registers()
        bench.hangs()
        bench.stream.retry_now()
        await bench.clock.settle()
        assert bench.kinds == [ConnectionKind.REFUSED, ConnectionKind.CONNECTING, LIVE]


async def test_an_account_whose_registration_is_always_rejected_is_refused_with_the_server_s_reason() -> None:
    bench = StreamBench()
    for _ in range(3):
        bench.transport.prepare_error(*REGISTER, code="BAD_REQUEST", msg="Not available to webhook bots.")
    for _ in range(3):
        bench.transport.prepare("GET", "/api/v1/server_settings", json={"zulip_feature_level": 442})
    async with bench.running():
        await bench.clock.advance(3600)
        assert bench.kinds == [RECONNECTING, ConnectionKind.REFUSED]
        assert "Not available to webhook bots." in bench.statuses[-1].detail
        assert bench.statuses[-1].ended
        bench.registers()
        bench.hangs()
        bench.stream.retry_now()
        await bench.clock.settle()
        assert bench.kinds[-1] == LIVE


async def test_a_new_snapshot_that_is_overdue_is_told() -> None:
    bench = StreamBench()
    responded = asyncio.Event()
    bench.registers()
    bench.transport.prepare(*EVENTS, json=heartbeat(0))
    bench.transport.prepare_error(*EVENTS, code="BAD_EVENT_QUEUE_ID", queue_id="q1")
    bench.transport.prepare(*REGISTER, json={**SNAPSHOT, "queue_id": "q2"}, gate=responded)
    bench.hangs()
    async with bench.running():
        await bench.clock.advance(4.9)
        assert bench.kinds == [LIVE]
        await bench.clock.advance(0.1)
        assert bench.kinds == [LIVE, RECONNECTING]
        responded.set()
        await bench.clock.settle()
        assert bench.kinds == [LIVE, RECONNECTING, LIVE]


async def test_waking_from_sleep_polls_at_once() -> None:
    bench = StreamBench()
    bench.registers()
    bench.hangs()
    async with bench.running():
        bench.transport.prepare(*EVENTS, json=heartbeat(9))
        bench.hangs()
        bench.clock.jump(3600)
        await bench.clock.advance(5)
        assert bench.polls()[1].params["dont_block"] == "true"
        assert bench.events == [9]


async def test_asking_again_while_it_catches_up_is_no_failure() -> None:
    bench = StreamBench()
    bench.registers()
    for _ in range(3):
        bench.hangs()
    async with bench.running():
        for _ in range(2):
            bench.stream.retry_now()
            await bench.clock.settle()
        assert [poll.params.get("dont_block") for poll in bench.polls()] == [None, "true", "true"]
        assert bench.kinds == [LIVE]
        await bench.clock.advance(5)
        assert bench.kinds == [LIVE, RECONNECTING]


async def test_waking_from_sleep_ends_a_long_pause() -> None:
    bench = StreamBench()
    bench.registers()
    for _ in range(9):
        bench.cut()
    async with bench.running():
        await bench.clock.advance(0.1 + 0.2 + 0.4 + 0.8 + 1.6 + 3.2 + 6.4 + 0.5)
        polls = len(bench.polls())
        bench.transport.prepare(*EVENTS, json=heartbeat(0))
        bench.hangs()
        bench.stream.retry_now()
        await bench.clock.settle()
        assert len(bench.polls()) >= polls + 1


async def test_trouble_that_lasts_is_called_offline_with_the_time_of_its_beginning() -> None:
    bench = StreamBench()
    bench.registers()
    for _ in range(40):
        bench.cut()
    async with bench.running():
        began = bench.statuses[-1].since
        await bench.clock.advance(35)
        assert bench.statuses[-1].kind == ConnectionKind.OFFLINE
        assert bench.statuses[-1].since == began


async def test_a_rate_limit_is_waited_out() -> None:
    bench = StreamBench()
    bench.registers()
    bench.transport.prepare(
        *EVENTS,
        status=429,
        json={"result": "error", "code": "RATE_LIMIT_HIT", "msg": "slow", "retry-after": 20.5},
    )
    bench.hangs()
    async with bench.running():
        await bench.clock.advance(20)
        assert len(bench.polls()) == 1
        await bench.clock.advance(10)
        assert len(bench.polls()) == 2


async def test_after_a_rate_limit_the_connection_is_live_again_without_waiting_for_an_event() -> None:
    bench = StreamBench()
    bench.registers()
    bench.transport.prepare(
        *EVENTS,
        status=429,
        json={"result": "error", "code": "RATE_LIMIT_HIT", "msg": "slow", "retry-after": 20.0},
    )
    bench.transport.prepare(*EVENTS, json={"events": []})
    bench.hangs()
    async with bench.running():
        assert bench.kinds == [LIVE, RECONNECTING]
        await bench.clock.advance(25)
        assert [poll.params.get("dont_block") for poll in bench.polls()] == [None, "true", None]
        assert bench.kinds == [LIVE, RECONNECTING, LIVE]


async def test_a_second_client_on_the_queue_does_not_make_it_spin() -> None:
    bench = StreamBench()
    bench.registers()
    for _ in range(6):
        bench.transport.prepare(*EVENTS, json={"events": []})
    async with bench.running():
        assert len(bench.polls()) == 3
        await bench.clock.advance(1)
        assert len(bench.polls()) == 4


@proves("VER-06")
async def test_a_server_that_was_upgraded_is_registered_with_anew() -> None:
    bench = StreamBench()
    bench.registers()
    bench.transport.prepare(
        *EVENTS, json={"events": [{"type": "restart", "id": 0, "zulip_feature_level": 443}]}
    )
    bench.registers("q2", zulip_feature_level=443)
    bench.hangs()
    async with bench.running():
        assert len(bench.snapshots) == 2
        assert bench.connection.server.level == 443


async def test_a_plain_restart_keeps_the_queue() -> None:
    bench = StreamBench()
    bench.registers()
    bench.transport.prepare(
        *EVENTS, json={"events": [{"type": "restart", "id": 0, "zulip_feature_level": 442}]}
    )
    bench.hangs()
    async with bench.running():
        assert len(bench.snapshots) == 1
        assert bench.stream.queue is not None
        assert bench.stream.queue.queue_id == "q1"
        assert bench.kinds == [LIVE]


async def test_the_queue_is_given_back_and_a_dead_server_does_not_delay_that() -> None:
    bench = StreamBench()
    bench.registers()
    bench.hangs()
    async with bench.running():
        bench.transport.prepare("DELETE", "/api/v1/events", error=httpx2.ConnectError("refused"))
        await bench.stream.delete_queue()
        assert bench.stream.queue is None
        assert bench.transport.last.params == {"queue_id": "q1"}
