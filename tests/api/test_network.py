"""Connections are closed when their request is cancelled, and never reused with an unread response in them."""

from __future__ import annotations

import asyncio
import gc
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpcore2
import pytest

from narrowcast_api.account import Account
from narrowcast_api.errors import NotConnected
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.network import Network, NetworkStream, StreamProtocol
from narrowcast_api.http.secret import Secret
from support.listener import Listener
from support.sessions import until
from support.tls import Certificates, make_certificates

RESPONSE = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s"
STEPS = 60


class Server:
    """Responds to requests with `bodies` in turn, repeating the last one; the first response sets `cookie`."""

    def __init__(self, *bodies: bytes) -> None:
        self.bodies = list(bodies)
        self.writers: list[asyncio.StreamWriter] = []
        self.open = 0
        self.asked: list[bytes] = []
        self.cookie = b""

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.append(writer)
        self.open += 1
        with suppress(asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            while request := await reader.readuntil(b"\r\n\r\n"):
                self.asked.append(request)
                body = self.bodies.pop(0) if len(self.bodies) > 1 else self.bodies[0]
                response = RESPONSE % (len(body), body)
                if self.cookie and len(self.asked) == 1:
                    response = response.replace(b"\r\n", b"\r\nset-cookie: %s; Path=/\r\n" % self.cookie, 1)
                writer.write(response)
                await writer.drain()
        writer.transport.abort()
        self.open -= 1


@asynccontextmanager
async def listening(there: Server, certificates: Certificates | None = None) -> AsyncIterator[Connection]:
    """A client connected to the test's own server."""
    context = None
    if certificates is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates.certificate, certificates.key)
    async with Listener(there, tls=context) as listener:
        async with connection(listener.port, certificates.authority if certificates else None) as client:
            yield client
        await until(lambda: not there.open)


def connection(port: int, ca: Path | None = None) -> Connection:
    site = f"{'https' if ca else 'http'}://127.0.0.1:{port}"
    return Connection(Account(site, "ada@example.org", Secret("canary-key"), ca), ca_bundle=ca)


@pytest.mark.parametrize("secure", [False, True], ids=["plain", "TLS"])
async def test_a_request_cancelled_at_any_step_leaves_no_socket_open(tmp_path: Path, secure: bool) -> None:
    there = Server(b'{"result": "success", "msg": ""}')
    certificates = make_certificates(tmp_path) if secure else None
    finished = 0
    for steps in range(STEPS):
        async with listening(there, certificates) as client:
            request = asyncio.ensure_future(client.request("GET", "/users/me"))
            for _ in range(steps):
                await asyncio.sleep(0)
            request.cancel()
            with suppress(asyncio.CancelledError):
                await request
                finished += 1
    async with listening(there, certificates) as client:  # the number of steps is not fixed
        request = asyncio.ensure_future(client.request("GET", "/users/me"))
        before = len(there.writers)
        await until(lambda: len(there.writers) > before)
        request.cancel()
        with suppress(asyncio.CancelledError):
            await request
    del client, request
    gc.collect()  # a transport that is still open warns here, and a warning fails the test
    assert finished > 0 or secure, "the steps reach the response"


async def test_a_connection_with_a_response_left_in_it_is_not_used_again() -> None:
    stray = b'{"result": "success", "msg": "", "stray": true}'
    there = Server(
        b'{"result": "success", "msg": "", "n": 1}',
        b'{"result": "success", "msg": "", "n": 2}',
    )
    async with listening(there) as client:
        assert (await client.request("GET", "/users/me"))["n"] == 1
        there.writers[0].write(RESPONSE % (len(stray), stray))
        await there.writers[0].drain()
        assert (await client.request("GET", "/users/me"))["n"] == 2
    assert len(there.writers) == 2


async def test_a_large_response_comes_whole() -> None:
    text = "x" * 3_000_000
    there = Server(b'{"result": "success", "msg": "", "text": "%s"}' % text.encode())
    async with listening(there) as client:
        assert (await client.request("GET", "/users/me"))["text"] == text
        assert (await client.request("GET", "/users/me"))["text"] == text
    assert len(there.writers) == 1


async def test_an_address_at_which_nobody_listens_is_not_connected() -> None:
    async with Listener(Server(b"")) as listener:
        port = listener.port
    async with connection(port) as client:
        with pytest.raises(NotConnected):
            await client.request("GET", "/users/me")


async def test_the_http_client_connects_through_our_network_backend(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """httpx2 has no public way to set this: a release that renames its private parts fails here."""
    made: list[str] = []
    connect = Network.connect_tcp

    async def seen(self: Network, host: str, *args: Any, **options: Any) -> NetworkStream:
        made.append(host)
        return await connect(self, host, *args, **options)

    monkeypatch.setattr(Network, "connect_tcp", seen)
    async with listening(Server(b'{"result": "success", "msg": ""}')) as client:
        await client.request("GET", "/users/me")
    assert made == ["127.0.0.1"]


class Reading(asyncio.Transport):
    """Records when it is asked to pause and to resume reading."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def pause_reading(self) -> None:
        self.asked.append("pause")

    def resume_reading(self) -> None:
        self.asked.append("resume")


async def test_reading_pauses_while_a_slow_reader_has_much_unread_data() -> None:
    transport, protocol = Reading(), StreamProtocol()
    protocol.connection_made(transport)
    protocol.data_received(b"x" * 100)
    assert await protocol.read(10) == b"x" * 10
    assert transport.asked == [], "so little needs no pause"
    for _ in range(2):
        protocol.data_received(b"x" * 300_000)
    assert transport.asked == ["pause"]
    await protocol.read(400_000)
    assert transport.asked == ["pause"], "much is left"
    await protocol.read(190_000)
    await protocol.read(1)
    assert transport.asked == ["pause", "resume"]
    protocol.data_received(b"x" * 300_000)
    assert transport.asked == ["pause", "resume", "pause"]


async def test_reading_pauses_above_256_kib_and_goes_on_below_64() -> None:
    transport, protocol = Reading(), StreamProtocol()
    protocol.connection_made(transport)
    protocol.data_received(b"x" * 256 * 1024)
    assert transport.asked == []
    protocol.data_received(b"x")
    assert transport.asked == ["pause"]
    await protocol.read(192 * 1024 + 1)
    assert transport.asked == ["pause"], "64 KiB are left"
    await protocol.read(1)
    assert transport.asked == ["pause", "resume"]


@pytest.mark.parametrize(
    ("host", "delay"), [("chat.example.org", 0.25), ("localhost", 0.25), ("127.0.0.1", None), ("::1", None)]
)
async def test_the_addresses_of_a_name_are_tried_one_soon_after_the_other(
    monkeypatch: pytest.MonkeyPatch, host: str, delay: float | None
) -> None:
    """A host name may have an address that never responds; an IP address has no alternative."""
    delays: list[float | None] = []

    async def refuse(*_: Any, happy_eyeballs_delay: float | None, **__: Any) -> None:
        delays.append(happy_eyeballs_delay)
        raise ConnectionRefusedError("nobody listens")

    monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", refuse)
    with pytest.raises(httpcore2.ConnectError):
        await Network().connect_tcp(host, 443)
    assert delays == [delay]


async def test_what_arrived_before_the_connection_broke_is_read_before_the_error() -> None:
    protocol = StreamProtocol()
    protocol.data_received(b"response")
    protocol.connection_lost(ConnectionResetError("reset"))
    assert await protocol.read(100) == b"response"
    with pytest.raises(ConnectionResetError):
        await protocol.read(100)
    with pytest.raises(ConnectionResetError):
        await protocol.flushed()


async def test_a_connection_that_the_other_side_has_ended_reads_as_empty_and_closes() -> None:
    protocol = StreamProtocol()
    assert protocol.eof_received() is False, "the transport closes"
    assert await protocol.read(100) == b""
    await protocol.flushed()


async def test_a_connection_is_not_used_again_once_something_arrived_or_it_ended() -> None:
    here, there = socket.socketpair()
    transport, protocol = await asyncio.get_running_loop().create_connection(StreamProtocol, sock=here)
    stream = NetworkStream(transport, protocol)
    with there:
        assert not stream.get_extra_info("is_readable")
        there.send(b"stray")
        assert stream.get_extra_info("is_readable"), "the socket has something"
        await until(lambda: bool(protocol.arrived))
        assert stream.get_extra_info("is_readable"), "it is here, and the socket is empty"
        await protocol.read(100)
        assert not stream.get_extra_info("is_readable")
        protocol.ended = True
        assert stream.get_extra_info("is_readable"), "the other side has ended it"
        protocol.ended = False
        await stream.aclose()
        assert stream.get_extra_info("is_readable"), "it is closed here"


@pytest.mark.parametrize(("address", "bound"), [(None, None), ("127.0.0.1", ("127.0.0.1", 0))])
async def test_a_connection_comes_from_the_address_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, address: str | None, bound: tuple[str, int] | None
) -> None:
    bounds: list[tuple[str, int] | None] = []

    async def refuse(*_: Any, local_addr: tuple[str, int] | None, **__: Any) -> None:
        bounds.append(local_addr)
        raise ConnectionRefusedError("nobody listens")

    monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", refuse)
    with pytest.raises(httpcore2.ConnectError):
        await Network().connect_tcp("localhost", 443, local_address=address)
    assert bounds == [bound]


@pytest.mark.parametrize(
    ("error", "said"), [(None, "the server closed the connection"), (OSError("cable cut"), "cable cut")]
)
async def test_writing_to_a_connection_that_is_closed_is_a_write_error(
    error: OSError | None, said: str
) -> None:
    here, there = socket.socketpair()
    transport, protocol = await asyncio.get_running_loop().create_connection(StreamProtocol, sock=here)
    stream = NetworkStream(transport, protocol)
    with there:
        await stream.aclose()
        protocol.error = error
        with pytest.raises(httpcore2.WriteError, match=said):
            await stream.write(b"GET / HTTP/1.1")


async def test_a_cookie_that_a_server_sets_comes_back_to_it() -> None:
    there = Server(b'{"result": "success", "msg": ""}')
    there.cookie = b"route=a"
    async with listening(there) as client:
        for _ in range(3):
            await client.request("GET", "/users/me")
    assert [b"cookie: route=a" in request.lower() for request in there.asked] == [False, True, True]
