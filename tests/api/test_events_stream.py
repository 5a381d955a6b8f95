"""The stream of events heals itself: each row of recovery, in virtual time and without a network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx

from narrowcast_api.connection import Connection
from narrowcast_api.errors import BadEventQueueId, OutcomeUnknown
from narrowcast_api.events.backoff import JitteredBackoff
from narrowcast_api.events.status import ConnectionKind, ConnectionStatus
from narrowcast_api.events.stream import EventStream
from narrowcast_api.events.websocket import OpenSocket, Socket
from narrowcast_api.wire.events import Event
from support.api import make_connection
from support.clock import VirtualClock
from support.ledger import proves
from support.scripted import ScriptedTransport, SentRequest

REGISTER, EVENTS = ("POST", "/api/v1/register"), ("GET", "/api/v1/events")
SNAPSHOT = {"queue_id": "q1", "last_event_id": -1, "zulip_feature_level": 442, "user_id": 1}
LIVE, RECONNECTING = ConnectionKind.LIVE, ConnectionKind.RECONNECTING


def heartbeat(*ids: int) -> dict[str, Any]:
    return {"events": [{"type": "heartbeat", "id": event_id} for event_id in ids]}


class Bench:
    """A stream on a scripted transport, and what it did."""

    def __init__(self, open_socket: OpenSocket | None = None) -> None:
        self.clock = VirtualClock()
        self.transport = ScriptedTransport()
        self.connection = make_connection(self.transport, clock=self.clock)
        self.snapshots: list[dict[str, object]] = []
        self.events: list[int] = []
        self.statuses: list[ConnectionStatus] = []
        self.broken: Callable[[Sequence[Event]], None] = lambda events: None
        self.stream = EventStream(
            self.connection,
            clock=self.clock,
            on_snapshot=self._on_snapshot,
            on_events=self._on_events,
            on_status=self.statuses.append,
            open_socket=open_socket,
            random=lambda: 1.0,
        )

    async def _on_snapshot(self, answer: dict[str, object]) -> None:
        self.snapshots.append(answer)

    async def _on_events(self, events: Sequence[Event]) -> None:
        self.broken(events)
        self.events.extend(event.id for event in events)

    def registers(self, queue_id: str = "q1", **fields: object) -> None:
        self.transport.prepare(*REGISTER, json={**SNAPSHOT, "queue_id": queue_id, **fields})

    def hangs(self) -> None:
        self.transport.prepare(*EVENTS, json={}, gate=asyncio.Event())

    def cut(self) -> None:
        self.transport.prepare(*EVENTS, error=httpx.ReadError("cut"))

    def polls(self) -> list[SentRequest]:
        return [request for request in self.transport.requests if request.path == EVENTS[1]]

    @property
    def kinds(self) -> list[ConnectionKind]:
        return [status.kind for status in self.statuses]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.stream.run())
        await self.clock.settle(60)
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            await self.connection.aclose()


@proves("EVT-01", "EVT-08")
async def test_it_registers_and_hands_over_events_in_order_each_once() -> None:
    bench = Bench()
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
    bench = Bench()
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


def test_pauses_double_to_ten_seconds_and_one_success_resets_them() -> None:
    backoff = JitteredBackoff(lambda: 1.0)
    bounds = [backoff.failed() for _ in range(9)]
    assert bounds == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0]
    backoff.reset()
    assert backoff.failed() == 0.1
    assert JitteredBackoff(lambda: 0.25).failed() == 0.025


async def test_a_server_error_counts_like_a_cut() -> None:
    bench = Bench()
    bench.registers()
    bench.transport.prepare(*EVENTS, status=502, content=b"<html>Bad Gateway</html>")
    bench.transport.prepare(*EVENTS, json=heartbeat(0))
    bench.hangs()
    async with bench.running():
        await bench.clock.advance(0.1)
        assert bench.kinds == [LIVE, RECONNECTING, LIVE]
        assert len(bench.snapshots) == 1


async def test_registration_is_repeated_while_the_server_is_down() -> None:
    bench = Bench()
    bench.transport.prepare(*REGISTER, error=httpx.ConnectError("refused"))
    bench.transport.prepare(*REGISTER, status=500, content=b"oops")
    bench.registers()
    bench.hangs()
    async with bench.running():
        assert bench.kinds == [RECONNECTING]
        await bench.clock.advance(0.31)
        assert bench.kinds[-1] == LIVE


async def test_an_expired_queue_registers_anew_at_once() -> None:
    bench = Bench()
    bench.registers()
    bench.transport.prepare(*EVENTS, json=heartbeat(0))
    bench.transport.prepare_error(*EVENTS, code="BAD_EVENT_QUEUE_ID", queue_id="q1")
    bench.registers("q2")
    bench.hangs()
    async with bench.running():
        assert len(bench.snapshots) == 2
        assert bench.polls()[-1].params["queue_id"] == "q2"
        assert bench.kinds == [LIVE]


async def test_a_server_that_loses_every_new_queue_is_not_asked_without_pause() -> None:
    bench = Bench()
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
    bench = Bench()
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


async def test_an_answer_that_is_no_json_registers_anew() -> None:
    bench = Bench()
    bench.registers()
    bench.transport.prepare(*EVENTS, content=b"<html>captive portal</html>")
    async with bench.running():
        bench.registers("q2")
        bench.hangs()
        await bench.clock.advance(0.1)
        assert len(bench.snapshots) == 2


async def test_an_event_that_cannot_be_applied_leads_to_a_snapshot_and_longer_pauses_each_time() -> None:
    bench = Bench()

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


async def test_a_refused_key_stops_until_somebody_asks_again() -> None:
    bench = Bench()
    bench.transport.prepare_error(*REGISTER, code="UNAUTHORIZED", msg="Invalid API key", status=401)
    async with bench.running():
        assert bench.kinds == [ConnectionKind.REFUSED]
        assert "Invalid API key" in bench.statuses[-1].detail
        await bench.clock.advance(3600)
        bench.registers()
        bench.hangs()
        bench.stream.poke()
        await bench.clock.settle()
        assert bench.kinds == [ConnectionKind.REFUSED, ConnectionKind.CONNECTING, LIVE]


async def test_a_silence_beyond_the_servers_own_time_means_a_dead_connection() -> None:
    bench = Bench()
    bench.registers(event_queue_longpoll_timeout_seconds=70)
    bench.hangs()
    async with bench.running():
        await bench.clock.advance(69)
        assert len(bench.polls()) == 1
        bench.transport.prepare(*EVENTS, json=heartbeat(3))
        bench.hangs()
        await bench.clock.advance(1)
        assert [poll.params.get("dont_block") for poll in bench.polls()] == [None, "true", None]
        assert bench.events == [3]


async def test_a_poll_that_must_not_block_and_does_is_given_up() -> None:
    bench = Bench()
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


async def test_waking_from_sleep_polls_at_once() -> None:
    bench = Bench()
    bench.registers()
    bench.hangs()
    async with bench.running():
        bench.transport.prepare(*EVENTS, json=heartbeat(9))
        bench.hangs()
        bench.clock.jump(3600)
        await bench.clock.advance(5)
        assert bench.polls()[1].params["dont_block"] == "true"
        assert bench.events == [9]


async def test_waking_from_sleep_ends_a_long_pause() -> None:
    bench = Bench()
    bench.registers()
    for _ in range(9):
        bench.cut()
    async with bench.running():
        await bench.clock.advance(0.1 + 0.2 + 0.4 + 0.8 + 1.6 + 3.2 + 6.4 + 0.5)
        polls = len(bench.polls())
        bench.transport.prepare(*EVENTS, json=heartbeat(0))
        bench.hangs()
        bench.stream.poke()
        await bench.clock.settle()
        assert len(bench.polls()) >= polls + 1


async def test_trouble_that_lasts_is_called_offline_with_the_time_of_its_beginning() -> None:
    bench = Bench()
    bench.registers()
    for _ in range(40):
        bench.cut()
    async with bench.running():
        began = bench.statuses[-1].since
        await bench.clock.advance(35)
        assert bench.statuses[-1].kind == ConnectionKind.OFFLINE
        assert bench.statuses[-1].since == began


async def test_a_rate_limit_is_waited_out() -> None:
    bench = Bench()
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
        await bench.clock.advance(30)
        assert len(bench.polls()) == 2


async def test_a_second_client_on_the_queue_does_not_make_it_spin() -> None:
    bench = Bench()
    bench.registers()
    for _ in range(6):
        bench.transport.prepare(*EVENTS, json={"events": []})
    async with bench.running():
        assert len(bench.polls()) == 3
        await bench.clock.advance(1)
        assert len(bench.polls()) == 4


@proves("VER-06")
async def test_a_server_that_was_upgraded_is_registered_with_anew() -> None:
    bench = Bench()
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
    bench = Bench()
    bench.registers()
    bench.transport.prepare(
        *EVENTS, json={"events": [{"type": "restart", "id": 0, "zulip_feature_level": 442}]}
    )
    bench.hangs()
    async with bench.running():
        assert len(bench.snapshots) == 1


async def test_the_queue_is_given_back_and_a_dead_server_does_not_delay_that() -> None:
    bench = Bench()
    bench.registers()
    bench.hangs()
    async with bench.running():
        bench.transport.prepare("DELETE", "/api/v1/events", error=httpx.ConnectError("refused"))
        await bench.stream.give_back()
        assert bench.stream.queue is None
        assert bench.transport.last.params == {"queue_id": "q1"}


class FakeSocket:
    """A stream that plays what it was given, then stays silent."""

    def __init__(self, *frames: list[object] | Exception) -> None:
        self.frames = list(frames)
        self.acknowledged: list[int] = []
        self.closed = False

    async def receive(self) -> list[object]:
        if not self.frames:
            await asyncio.Event().wait()
        frame = self.frames.pop(0)
        if isinstance(frame, Exception):
            raise frame
        return frame

    async def acknowledge(self, last_event_id: int) -> None:
        self.acknowledged.append(last_event_id)

    async def close(self) -> None:
        self.closed = True


class Sockets:
    """Opens prepared streams in order."""

    def __init__(self, *sockets: FakeSocket | Exception) -> None:
        self.sockets = list(sockets)
        self.opened: list[tuple[str, str, int]] = []

    async def __call__(self, connection: Connection, path: str, queue_id: str, last_event_id: int) -> Socket:
        self.opened.append((path, queue_id, last_event_id))
        socket = self.sockets.pop(0)
        if isinstance(socket, Exception):
            raise socket
        return socket


async def test_a_stream_is_used_where_the_server_offers_one_and_acknowledged() -> None:
    socket = FakeSocket([{"type": "heartbeat", "id": 0}], [{"type": "heartbeat", "id": 4}])
    bench = Bench(sockets := Sockets(socket))
    bench.registers(event_stream_path="/api/v1/events/stream")
    async with bench.running():
        assert sockets.opened == [("/api/v1/events/stream", "q1", -1)]
        assert bench.events == [0, 4]
        assert socket.acknowledged == [0, 4]
        assert bench.polls() == []
    assert socket.closed


async def test_a_stream_that_cannot_be_opened_is_replaced_by_polls() -> None:
    bench = Bench(Sockets(OSError("no websockets through this proxy")))
    bench.registers(event_stream_path="/api/v1/events/stream")
    bench.transport.prepare(*EVENTS, json=heartbeat(0))
    bench.hangs()
    async with bench.running():
        assert bench.events == [0]
        assert bench.kinds == [LIVE]


async def test_a_stream_that_was_cut_is_caught_up_by_a_poll_and_resumed_where_it_ended() -> None:
    first = FakeSocket([{"type": "heartbeat", "id": 0}], OutcomeUnknown("cut"))
    second = FakeSocket([{"type": "heartbeat", "id": 6}])
    bench = Bench(sockets := Sockets(first, second))
    bench.registers(event_stream_path="/api/v1/events/stream")
    bench.transport.prepare(*EVENTS, json=heartbeat(5))
    async with bench.running():
        await bench.clock.advance(0.1)
        assert bench.polls()[0].params["dont_block"] == "true"
        assert [opened[2] for opened in sockets.opened] == [-1, 5]
        assert bench.events == [0, 5, 6]
        assert bench.kinds == [LIVE, RECONNECTING, LIVE]


async def test_a_stream_that_dies_twice_without_a_word_is_replaced_by_polls() -> None:
    bench = Bench(Sockets(FakeSocket(OutcomeUnknown("cut")), FakeSocket(OutcomeUnknown("cut"))))
    bench.registers(event_stream_path="/api/v1/events/stream")
    bench.transport.prepare(*EVENTS, json=heartbeat(0))
    bench.transport.prepare(*EVENTS, json=heartbeat(1))
    bench.transport.prepare(*EVENTS, json=heartbeat(2))
    bench.hangs()
    async with bench.running():
        await bench.clock.advance(1)
        assert bench.events == [0, 1, 2]


async def test_an_expired_queue_on_a_stream_registers_anew() -> None:
    expired = BadEventQueueId("BAD_EVENT_QUEUE_ID", "gone", 400, {"queue_id": "q1"})
    bench = Bench(Sockets(FakeSocket([{"type": "heartbeat", "id": 0}], expired), FakeSocket()))
    bench.registers(event_stream_path="/api/v1/events/stream")
    bench.registers("q2", event_stream_path="/api/v1/events/stream")
    async with bench.running():
        assert len(bench.snapshots) == 2


async def test_a_silent_stream_is_dead_after_the_servers_own_time() -> None:
    silent, next_one = FakeSocket(), FakeSocket()
    bench = Bench(Sockets(silent, next_one))
    bench.registers(event_stream_path="/api/v1/events/stream", event_queue_longpoll_timeout_seconds=90)
    async with bench.running():
        bench.transport.prepare(*EVENTS, json=heartbeat(0))
        await bench.clock.advance(90)
        assert silent.closed
        assert bench.events == [0]
