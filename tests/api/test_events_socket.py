"""The event stream over a WebSocket: used where it is offered, and checked for silence like a long poll."""

from __future__ import annotations

import asyncio

from narrowcast_api.errors import BadEventQueueId, OutcomeUnknown
from narrowcast_api.events.event_source import EventSocket
from narrowcast_api.events.watchdog import CHECK_EVERY, QUIET_SECONDS
from narrowcast_api.http.connection import Connection
from support.event_bench import EVENTS, LIVE, RECONNECTING, StreamBench, heartbeat


class FakeSocket:
    """A stream that returns the events it was given, then stays silent until there is `more`."""

    def __init__(self, *frames: list[object] | Exception) -> None:
        self.frames = list(frames)
        self.more = asyncio.Event()
        self.acknowledged: list[int] = []
        self.closed = False
        self.may_close = asyncio.Event()
        self.may_close.set()

    async def receive(self) -> list[object]:
        if not self.frames:
            await self.more.wait()
            self.more.clear()
        frame = self.frames.pop(0)
        if isinstance(frame, Exception):
            raise frame
        return frame

    async def acknowledge(self, last_event_id: int) -> None:
        self.acknowledged.append(last_event_id)

    async def close(self) -> None:
        await self.may_close.wait()
        self.closed = True


class Sockets:
    """Opens prepared streams, in order."""

    def __init__(self, *sockets: FakeSocket | Exception) -> None:
        self.sockets = list(sockets)
        self.opened: list[tuple[str, str, int]] = []

    async def __call__(
        self, connection: Connection, path: str, queue_id: str, last_event_id: int
    ) -> EventSocket:
        self.opened.append((path, queue_id, last_event_id))
        socket = self.sockets.pop(0)
        if isinstance(socket, Exception):
            raise socket
        return socket


async def test_a_stream_is_used_where_the_server_offers_one_and_acknowledged() -> None:
    socket = FakeSocket([{"type": "heartbeat", "id": 0}], [{"type": "heartbeat", "id": 4}])
    bench = StreamBench(sockets := Sockets(socket))
    bench.registers(event_stream_path="/api/v1/events/stream")
    async with bench.running():
        assert sockets.opened == [("/api/v1/events/stream", "q1", -1)]
        assert bench.events == [0, 4]
        assert socket.acknowledged == [0, 4]
        assert bench.polls() == []
    assert socket.closed


async def test_a_poke_while_events_arrive_causes_no_further_request() -> None:
    socket = FakeSocket([{"type": "heartbeat", "id": 0}])
    bench = StreamBench(Sockets(socket))
    bench.registers(event_stream_path="/api/v1/events/stream")
    async with bench.running():
        asyncio.get_running_loop().call_soon(bench.stream.retry_now)
        socket.frames.append([{"type": "heartbeat", "id": 4}])
        socket.more.set()
        await bench.clock.settle()
        assert bench.events == [0, 4]
        assert bench.polls() == []
        assert not socket.closed


async def test_a_stream_that_cannot_be_opened_is_replaced_by_polls() -> None:
    bench = StreamBench(Sockets(OSError("no websockets through this proxy")))
    bench.registers(event_stream_path="/api/v1/events/stream")
    bench.transport.prepare(*EVENTS, json=heartbeat(0))
    bench.hangs()
    async with bench.running():
        assert bench.events == [0]
        assert bench.kinds == [LIVE]


async def test_a_stream_that_was_cut_is_caught_up_by_a_poll_and_resumed_where_it_ended() -> None:
    first = FakeSocket([{"type": "heartbeat", "id": 0}], OutcomeUnknown("cut"))
    second = FakeSocket([{"type": "heartbeat", "id": 6}])
    bench = StreamBench(sockets := Sockets(first, second))
    bench.registers(event_stream_path="/api/v1/events/stream")
    bench.transport.prepare(*EVENTS, json=heartbeat(5))
    async with bench.running():
        await bench.clock.advance(0.1)
        assert bench.polls()[0].params["dont_block"] == "true"
        assert [opened[2] for opened in sockets.opened] == [-1, 5]
        assert bench.events == [0, 5, 6]
        assert bench.kinds == [LIVE, RECONNECTING, LIVE]


async def test_a_stream_that_dies_twice_without_a_word_is_replaced_by_polls() -> None:
    dead = [FakeSocket(OutcomeUnknown("cut")) for _ in range(2)]
    bench = StreamBench(sockets := Sockets(*dead, FakeSocket([{"type": "heartbeat", "id": 9}])))
    bench.registers(event_stream_path="/api/v1/events/stream")
    bench.transport.prepare(*EVENTS, json=heartbeat(0))
    bench.transport.prepare(*EVENTS, json=heartbeat(1))
    bench.transport.prepare(*EVENTS, json=heartbeat(2))
    bench.hangs()
    async with bench.running():
        await bench.clock.advance(1)
        assert (bench.events, len(sockets.opened)) == ([0, 1, 2], 2)


async def test_an_expired_queue_on_a_stream_registers_anew() -> None:
    expired = BadEventQueueId("BAD_EVENT_QUEUE_ID", "gone", 400, {"queue_id": "q1"})
    bench = StreamBench(Sockets(FakeSocket([{"type": "heartbeat", "id": 0}], expired), FakeSocket()))
    bench.registers(event_stream_path="/api/v1/events/stream")
    bench.registers("q2", event_stream_path="/api/v1/events/stream")
    async with bench.running():
        assert len(bench.snapshots) == 2


async def test_the_stream_of_a_queue_that_an_upgrade_ended_is_closed() -> None:
    restart = {"type": "restart", "id": 3, "zulip_version": "13.0", "zulip_feature_level": 600}
    first, second = FakeSocket([restart]), FakeSocket([{"type": "heartbeat", "id": 0}])
    bench = StreamBench(sockets := Sockets(first, second))
    bench.registers(event_stream_path="/api/v1/events/stream")
    bench.registers("q2", event_stream_path="/api/v1/events/stream")
    async with bench.running():
        assert first.closed
        assert [opened[1] for opened in sockets.opened] == ["q1", "q2"]
        assert bench.events == [3, 0]


async def test_a_silent_stream_is_dead_after_the_servers_own_time() -> None:
    silent, next_one = FakeSocket(), FakeSocket()
    bench = StreamBench(Sockets(silent, next_one))
    bench.registers(event_stream_path="/api/v1/events/stream", event_queue_longpoll_timeout_seconds=90)
    async with bench.running():
        bench.transport.prepare(*EVENTS, json=heartbeat(0))
        await bench.clock.advance(90)
        assert silent.closed
        assert bench.events == [0]


async def test_a_stream_in_doubt_is_replaced_without_waiting_for_it_to_close() -> None:
    silent, next_one = FakeSocket(), FakeSocket([{"type": "heartbeat", "id": 1}])
    silent.may_close.clear()
    bench = StreamBench(Sockets(silent, next_one))
    bench.registers(event_stream_path="/api/v1/events/stream")
    async with bench.running():
        bench.transport.prepare(*EVENTS, json=heartbeat(0))
        bench.stream.poll_now()
        await bench.clock.settle()
        assert bench.events == [0, 1]
        silent.may_close.set()
    assert silent.closed


async def test_doubts_do_not_count_as_failures_of_a_stream() -> None:
    sockets = [FakeSocket() for _ in range(4)]
    bench = StreamBench(opened := Sockets(*sockets))
    bench.registers(event_stream_path="/api/v1/events/stream")
    async with bench.running():
        for number in range(3):
            bench.transport.prepare(*EVENTS, json=heartbeat(number))
            bench.stream.poll_now()
            await bench.clock.settle()
        assert len(opened.opened) == 4
        assert bench.events == [0, 1, 2]


async def test_a_stream_is_trusted_to_tell_all_so_that_nobody_looks_into_its_silence() -> None:
    socket = FakeSocket()
    bench = StreamBench(Sockets(socket))
    bench.registers(event_stream_path="/api/v1/events/stream")
    async with bench.running():
        for number, kind in enumerate(("heartbeat", "heartbeat", "something new")):
            await bench.clock.advance(CHECK_EVERY / 2)
            socket.frames.append([{"type": kind, "id": number}])
            socket.more.set()
            await bench.clock.settle()
        await bench.clock.advance(2 * QUIET_SECONDS)
        assert bench.polls() == []
