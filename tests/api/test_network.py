"""Connections are closed when their request is cancelled, and never reused with an unread response in them."""

from __future__ import annotations

import asyncio
import gc
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from narrowcast_api.account import Account
from narrowcast_api.errors import NotConnected
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.secret import Secret
from support.sessions import until
from support.sockets import Certificates, Listener, make_certificates

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


@pytest.mark.parametrize(
    ("site", "proxy"),
    [("https://127.0.0.1:{}", ""), ("http://chat.example", "socks5://127.0.0.1:{}")],
    ids=["TLS", "SOCKS"],
)
async def test_a_request_cancelled_while_its_connection_is_established_closes_it(
    monkeypatch: pytest.MonkeyPatch, site: str, proxy: str
) -> None:
    greeted, closed = asyncio.Event(), asyncio.Event()

    async def never_respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        greeted.set()
        with suppress(ConnectionError):
            while await reader.read(65536):
                pass
        closed.set()
        writer.transport.abort()

    async with Listener(never_respond) as listener:
        monkeypatch.setenv("all_proxy", proxy.format(listener.port))
        there = Account(site.format(listener.port), "ada@example.org", Secret("canary-key"))
        async with Connection(there) as client:
            request = asyncio.ensure_future(client.request("GET", "/users/me"))
            await greeted.wait()
            request.cancel()
            await asyncio.gather(request, return_exceptions=True)
            await asyncio.wait_for(closed.wait(), 10)


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


async def test_a_cookie_that_a_server_sets_comes_back_to_it() -> None:
    there = Server(b'{"result": "success", "msg": ""}')
    there.cookie = b"route=a"
    async with listening(there) as client:
        for _ in range(3):
            await client.request("GET", "/users/me")
    assert [b"cookie: route=a" in request.lower() for request in there.asked] == [False, True, True]
