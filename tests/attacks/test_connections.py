"""Connecting cannot lock others out, and slow clients cannot keep the server busy."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from narrowcast_server.http.connections import Connections
from narrowcast_server.http.log_limit import LogLimit
from narrowcast_server.organization.addresses import is_local
from narrowcast_server.organization.config import ConnectionLimits, ServerConfig, ServiceLimits
from support.server import TestServer, running_server
from support.sessions import until

LIMITS = ConnectionLimits()
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def limited(**limits: object) -> ServerConfig:
    """A configuration with these connection limits."""
    return ServerConfig(connections=replace(ConnectionLimits(), **limits))  # type: ignore[arg-type]


@asynccontextmanager
async def connected(server: TestServer, sent: bytes = b"") -> AsyncIterator[Streams]:
    """A connection over which these bytes were sent."""
    parts = urlsplit(server.url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        writer.write(sent)
        yield reader, writer
    finally:
        writer.close()


def later(seconds: float) -> float:
    """The event loop's time plus some seconds."""
    return asyncio.get_running_loop().time() + seconds


def credentials(server: TestServer, name: str) -> bytes:
    user = server.user(name)
    return b"Authorization: Basic " + base64.b64encode(f"{user.delivery_email}:{user.api_key}".encode())


async def is_ended(reader: asyncio.StreamReader, seconds: float = 10.0) -> bool:
    """Whether the server closes the connection within this time, whatever it sends before that."""
    try:
        async with asyncio.timeout(seconds):
            await reader.read()
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


HEAD = b"GET /api/v1/server_settings HTTP/1.1\r\nHost: x\r\n"


async def test_idle_connections_are_closed_for_new_ones(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(most=20)) as server:
        open_ones = [await asyncio.open_connection(*address(server)) for _ in range(60)]
        response = await server.call(None, "GET", "/server_settings")
        assert response["result"] == "success"
        for _, writer in open_ones:
            writer.close()


def address(server: TestServer) -> tuple[str, int]:
    parts = urlsplit(server.url)
    assert parts.hostname is not None
    assert parts.port is not None
    return parts.hostname, parts.port


@pytest.mark.parametrize("begun", [b"G", HEAD, HEAD + b"X-A: 1\r\n", b"\r\n", HEAD + b"\r\n" + b"GET /"])
async def test_connections_that_stop_within_a_request_head_are_closed_for_new_ones(
    tmp_path: Path, begun: bytes
) -> None:
    async with running_server(tmp_path, config=limited(most=10)) as server:
        open_ones = [await asyncio.open_connection(*address(server)) for _ in range(30)]
        for _, writer in open_ones:
            writer.write(begun)
        assert (await server.call("ada", "GET", "/users/me"))["result"] == "success"
        for _, writer in open_ones:
            writer.close()


async def test_busy_connections_are_not_closed_for_new_ones(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(most=5)) as server:
        listener = await server.listen("elif", event_types=["message"])
        waiting = asyncio.create_task(server.call("elif", "GET", "/events", listener.poll()))
        await until(lambda: listener.is_read_now)
        open_ones = [await asyncio.open_connection(*address(server)) for _ in range(30)]
        await server.send("ada", "general", "t", "hello")
        assert len((await waiting)["events"]) == 1
        for _, writer in open_ones:
            writer.close()


async def test_if_all_connections_are_busy_a_new_one_is_rejected_with_a_message(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(most=1)) as server:
        listener = await server.listen("elif", event_types=["message"])
        waiting = asyncio.create_task(server.call("elif", "GET", "/events", listener.poll()))
        await until(lambda: listener.is_read_now)
        async with connected(server, HEAD + b"\r\n") as (reader, _):
            response = await asyncio.wait_for(reader.read(), 10)
        assert response.startswith(b"HTTP/1.1 503 ")
        assert json.loads(response.partition(b"\r\n\r\n")[2])["result"] == "error"
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"G",
        b"GET / HTTP/1.1\r\n",
        HEAD,
        HEAD + b"X-Slow: ",
        HEAD + b"\r\n" + HEAD,
        b"POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 10",
    ],
)
async def test_a_request_head_that_never_ends_times_out(tmp_path: Path, sent: bytes) -> None:
    async with running_server(tmp_path) as server, connected(server, sent) as (reader, _):
        await until(lambda: len(server.connections) == 1 and not server.connections.busy)
        # Once another request has a response, the server has read what was sent.
        await server.call(None, "GET", "/server_settings")
        server.connections.sweep(later(0.9 * LIMITS.head_seconds))
        assert not reader.at_eof()
        server.connections.sweep(later(1.1 * LIMITS.head_seconds))
        assert await is_ended(reader)


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/api/v1/messages", b"Content-Length: 100000\r\n"),
        ("/api/v1/messages", b"Transfer-Encoding: chunked\r\n"),
        (
            "/api/v1/user_uploads",
            b"Content-Length: 100000\r\nContent-Type: multipart/form-data; boundary=x\r\n",
        ),
        (
            "/api/v1/users/me/avatar",
            b"Content-Length: 9999\r\nContent-Type: multipart/form-data; boundary=x\r\n",
        ),
        ("/api/v1/fetch_api_key", b"Content-Length: 100\r\n"),
        (
            "/api/v1/tus",
            b"Content-Length: 100\r\nContent-Type: application/offset+octet-stream\r\n"
            b"Tus-Resumable: 1.0.0\r\nUpload-Length: 100\r\n",
        ),
        ("/api/v1/drafts", b"Content-Length: 100\r\nContent-Type: multipart/form-data; boundary=x\r\n"),
    ],
)
async def test_a_request_body_that_never_ends_times_out(tmp_path: Path, path: str, headers: bytes) -> None:
    async with running_server(tmp_path) as server:
        head = (
            f"POST {path} HTTP/1.1\r\nHost: x\r\n".encode() + credentials(server, "hugo") + b"\r\n" + headers
        )
        async with connected(server, head + b"\r\n") as (reader, _):
            await until(lambda: server.connections.busy == 1)
            server.connections.sweep(later(1.1 * LIMITS.body_grace_seconds))
            assert await is_ended(reader)


async def test_a_body_that_arrives_fast_enough_does_not_time_out(server: TestServer) -> None:
    head = b"POST /api/v1/typing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + credentials(server, "ada")
    async with connected(server, head + b"\r\nContent-Length: 60008\r\n\r\n" + b"a" * 60_000) as (
        reader,
        writer,
    ):
        await until(lambda: server.connections.busy == 1)
        await server.call(None, "GET", "/server_settings")
        server.connections.sweep(later(50.0))
        writer.write(b"&op=star")
        response = await asyncio.wait_for(reader.read(), 10)
    assert response.startswith(b"HTTP/1.1 400 ")


async def test_a_client_that_waits_for_events_does_not_time_out(server: TestServer) -> None:
    listener = await server.listen("elif", event_types=["message"])
    waiting = asyncio.create_task(server.call("elif", "GET", "/events", listener.poll()))
    await until(lambda: server.connections.busy == 1)
    server.connections.sweep(later(80.0))
    await server.send("ada", "general", "t", "hello")
    assert len((await waiting)["events"]) == 1


async def test_a_client_that_does_not_read_responses_is_disconnected(server: TestServer) -> None:
    request = b"POST /api/v1/register HTTP/1.1\r\nHost: x\r\n" + credentials(server, "ada")
    request += b"\r\nContent-Length: 0\r\n\r\n"
    async with connected(server, request * 300) as (reader, writer):
        transport = writer.transport
        assert isinstance(transport, asyncio.ReadTransport)
        transport.pause_reading()
        await until(lambda: server.connections.unread > 0)
        server.connections.sweep(later(0.0))
        server.connections.sweep(later(0.9 * LIMITS.write_seconds))
        assert len(server.connections) == 1
        server.connections.sweep(later(1.1 * LIMITS.write_seconds))
        assert len(server.connections) == 0
        transport.resume_reading()
        assert await is_ended(reader)


async def has_responded(server: TestServer, count: int) -> None:
    """Waits until this many requests have succeeded."""
    await until(lambda: server.organization.measures.responses[200] == count)


async def test_responses_that_nobody_reads_take_bounded_memory(tmp_path: Path) -> None:
    bound = 2**24
    async with AsyncExitStack() as stack:
        config = limited(most_unread_bytes=bound)
        server = await stack.enter_async_context(running_server(tmp_path, config=config))
        draft = {"type": "", "to": [], "topic": "", "content": "€" * 10_000}
        for _ in range(20):
            await server.call("ada", "POST", "/drafts", {"drafts": [draft] * 20})
        request = b"GET /api/v1/drafts HTTP/1.1\r\nHost: x\r\n" + credentials(server, "ada") + b"\r\n\r\n"
        before = server.organization.measures.responses[200]
        for number in range(before + 1, before + 7):
            _, writer = await stack.enter_async_context(connected(server, request))
            transport = writer.transport
            assert isinstance(transport, asyncio.ReadTransport)
            transport.pause_reading()
            await has_responded(server, number)
        assert 0 < server.connections.unread <= bound
        assert len((await server.call("ada", "GET", "/drafts"))["drafts"]) == 400


async def test_an_idle_connection_is_kept_for_a_while_after_a_response(server: TestServer) -> None:
    async with connected(server, HEAD + b"\r\n") as (reader, writer):
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        await until(lambda: not server.connections.busy)
        server.connections.sweep(later(60.0))
        writer.write(HEAD + b"Connection: close\r\n\r\n")
        assert b"HTTP/1.1 200" in await asyncio.wait_for(reader.read(), 10)


async def test_requests_without_credentials_have_a_small_size_limit(server: TestServer) -> None:
    password = "x" * 70_000
    response = await server.refusal(
        None, "POST", "/fetch_api_key", {"username": "ada", "password": password}, status=413
    )
    assert response["code"] == "BAD_REQUEST"


async def test_a_body_without_end_is_rejected_early(tmp_path: Path) -> None:
    async with running_server(
        tmp_path, config=ServerConfig(limits=ServiceLimits(max_body_bytes=1_000))
    ) as server:
        await server.refusal("ada", "POST", "/typing", {"op": "x" * 2_000}, status=413)


# --- counting -------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Peer:
    """A connection as `Connections` sees it."""

    address: str = "203.0.113.1"
    idle_since: float | None = 0.0
    is_gone: bool = False
    slow: bool = False
    unread: int = 0
    ended: bool = False

    def is_too_slow(self, now: float) -> bool:
        return self.slow

    def cut(self) -> None:
        self.ended = True


@pytest.mark.parametrize(
    ("unread", "cut"),
    [
        ({"a": [4, 3], "b": [3]}, []),
        ({"a": [4, 3], "b": [3, 1]}, ["a 0"]),
        ({"a": [0, 7], "b": [6]}, ["a 1"]),
        ({"a": [6, 6, 6], "b": [5]}, ["a 0", "a 1", "a 2"]),
        ({"a": [11]}, ["a 0"]),
    ],
)
def test_of_the_address_with_the_most_unread_bytes_the_oldest_responses_are_dropped(
    unread: Mapping[str, list[int]], cut: list[str]
) -> None:
    connections = Connections(ConnectionLimits(most_unread_bytes=10), 10_000)
    peers = {
        f"{address} {number}": Peer(address=address, idle_since=float(number), unread=size)
        for address, sizes in unread.items()
        for number, size in enumerate(sizes)
    }
    assert all(connections.admit(peer) for peer in peers.values())
    connections.bound_unread()
    assert [name for name, peer in peers.items() if peer.ended] == cut


def test_the_connection_that_was_idle_longest_is_closed_first() -> None:
    connections = Connections(ConnectionLimits(most=3), 10_000)
    peers = [Peer(idle_since=float(number)) for number in (5, 1, 3)]
    assert all(connections.admit(peer) for peer in peers)
    assert connections.admit(Peer())
    assert [peer.ended for peer in peers] == [False, True, False]
    assert len(connections) == 3


def test_if_all_connections_are_busy_a_new_one_is_closed() -> None:
    connections = Connections(ConnectionLimits(most=2), 10_000)
    busy = [Peer(idle_since=None) for _ in range(2)]
    assert all(connections.admit(peer) for peer in busy)
    assert not connections.admit(Peer())
    assert not any(peer.ended for peer in busy)


@pytest.mark.parametrize("descriptors", [210, 250, 1_024])
def test_the_limit_of_connections_is_below_that_of_file_descriptors(descriptors: int) -> None:
    connections = Connections(ConnectionLimits(), descriptors)
    admitted = [
        peer
        for number in range(2_000)
        if connections.admit(peer := Peer(address=f"2001:db8::{number % 99}", idle_since=None))
    ]
    assert len(admitted) == len(connections) == descriptors - ConnectionLimits().spare_descriptors


def test_the_connections_of_one_address_are_limited() -> None:
    connections = Connections(ConnectionLimits(most=100, most_an_address=10), 10_000)
    mine = [Peer(idle_since=None) for _ in range(30)]
    assert sum(connections.admit(peer) for peer in mine) == 10
    assert connections.admit(Peer(address="203.0.113.2"))


def test_idle_connections_of_an_address_are_closed_for_its_new_ones() -> None:
    connections = Connections(ConnectionLimits(most=100, most_an_address=2), 10_000)
    other = Peer(address="203.0.113.9", idle_since=-1.0)
    mine = [Peer(idle_since=1.0), Peer(idle_since=2.0)]
    assert all(connections.admit(peer) for peer in [other, *mine, Peer()])
    assert [peer.ended for peer in [other, *mine]] == [False, True, False]


@pytest.mark.parametrize("local", ["127.0.0.1", "127.9.9.9", "::1", ""])
def test_the_connections_of_this_machine_are_not_limited(local: str) -> None:
    assert is_local(local)
    connections = Connections(ConnectionLimits(most=100, most_an_address=2), 10_000)
    assert all(connections.admit(Peer(address=local, idle_since=None)) for _ in range(50))


@pytest.mark.parametrize("remote", ["10.0.0.1", "192.168.1.1", "::ffff:10.0.0.1", "fe80::1", "x"])
def test_other_addresses_are_not_local(remote: str) -> None:
    assert not is_local(remote)


def test_closed_connections_are_not_counted() -> None:
    connections = Connections(ConnectionLimits(most=1, most_an_address=1), 10_000)
    for _ in range(5):
        peer = Peer(idle_since=None)
        assert connections.admit(peer)
        connections.leave(peer)
        connections.leave(peer)
    assert len(connections) == 0


def test_a_sweep_closes_slow_connections_and_forgets_closed_ones() -> None:
    connections = Connections(ConnectionLimits(), 10_000)
    slow, gone, fine = Peer(slow=True), Peer(is_gone=True), Peer()
    for peer in (slow, gone, fine):
        connections.admit(peer)
    connections.sweep(0.0)
    assert [slow.ended, gone.ended, fine.ended] == [True, False, False]
    assert len(connections) == 1


# --- the log ----------------------------------------------------------------------------------------------------


def lines(limit: LogLimit, count: int, message: str = "accept failed %d") -> list[str]:
    records = [
        logging.LogRecord("asyncio", logging.ERROR, "x.py", 1, message, (number,), None)
        for number in range(count)
    ]
    return [record.getMessage() for record in records if limit.filter(record)]


def test_a_repeated_log_line_is_counted_after_some_times() -> None:
    now = [0.0]
    limit = LogLimit(lambda: now[0])
    assert len(lines(limit, 5_000)) == 10
    now[0] = 61.0
    assert lines(limit, 1) == ["accept failed 0 (4990 more like this were left out)"]


def test_other_log_lines_are_not_affected_by_a_repeated_one() -> None:
    limit = LogLimit(lambda: 0.0)
    lines(limit, 100)
    other = logging.LogRecord("narrowcast.server", logging.ERROR, "y.py", 2, "disk full", (), None)
    assert limit.filter(other)


def test_the_memory_of_the_log_is_bounded() -> None:
    limit = LogLimit(lambda: 0.0)
    for number in range(5_000):
        limit.filter(logging.LogRecord("x", logging.ERROR, "x.py", number, "m", (), None))
    assert limit.size <= 200


async def test_log_lines_about_invalid_requests_are_limited(
    server: TestServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.handler.addFilter(limit := LogLimit())
    for _ in range(30):
        async with connected(server, b"\x00\r\n\r\n") as (reader, _):
            assert await is_ended(reader)
    caplog.handler.removeFilter(limit)
    assert len(caplog.records) <= 10
