"""The connection over real sockets: broken connections, certificates, a server that must receive nothing."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from narrowcast_api.account import Account, AccountError
from narrowcast_api.errors import (
    MalformedResponse,
    NarrowcastError,
    NotConnected,
    OutcomeUnknown,
    RedirectLoop,
    RedirectRefused,
)
from narrowcast_api.http import http_client
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.secret import Secret
from narrowcast_api.http.tls import shared_context
from support.sockets import Certificates, make_certificates

OK = b'{"result": "success", "msg": "", "id": 5}'
Handler = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]


class Server:
    """What a raw server received, and its port."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.heard: list[bytes] = []
        self.connections = 0


@asynccontextmanager
async def raw_server(handler: Handler, tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.connections += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                server.heard.append(head)
                await handler(head, writer)
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            pass
        finally:
            writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    server = Server(listening.sockets[0].getsockname()[1])
    try:
        yield server
    finally:
        listening.close()
        await listening.wait_closed()


def account(port: int, scheme: str = "http", ca: Path | None = None) -> Account:
    return Account(f"{scheme}://127.0.0.1:{port}", "ada@example.org", Secret("canary-key"), ca)


def response(body: bytes, *, status: str = "200 OK", extra: str = "", length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return f"HTTP/1.1 {status}\r\nContent-Length: {size}\r\n{extra}\r\n".encode() + body


async def fine(_: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(response(OK))
    await writer.drain()


async def test_a_refused_connection_means_that_nothing_was_sent() -> None:
    async with raw_server(fine) as server:
        port = server.port
    async with Connection(account(port)) as connection:
        with pytest.raises(NotConnected):
            await connection.request("POST", "/messages", {"content": "x"})


@pytest.mark.parametrize(
    "reply",
    [b"", b"HTTP/1.1 200", response(OK[:10], length=100), b"SSH-2.0-OpenSSH_9.2\r\n", b"\x00\xff" * 50],
)
async def test_a_connection_lost_after_the_request_leaves_the_outcome_unknown(reply: bytes) -> None:
    async def cut(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(reply)
        await writer.drain()
        writer.close()

    async with raw_server(cut) as server, Connection(account(server.port)) as connection:
        with pytest.raises(OutcomeUnknown):
            await connection.request("POST", "/messages", {"content": "x"})
        assert len(server.heard) == 1, "a write is never repeated by itself"


async def test_a_server_that_drips_does_not_hold_a_request_past_its_time() -> None:
    async def drip(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(response(b"", length=10_000))
        while not writer.is_closing():
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.01)

    async with raw_server(drip) as server, Connection(account(server.port)) as connection:
        with pytest.raises(OutcomeUnknown, match=r"within 0\.1 s"):
            await connection.request("GET", "/users/me", timeout=0.1)


async def test_requests_share_a_connection_and_survive_its_end() -> None:
    async def once(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(response(OK, extra="Connection: close\r\n"))
        await writer.drain()
        writer.close()

    async with raw_server(fine) as server, Connection(account(server.port)) as connection:
        for _ in range(3):
            await connection.request("GET", "/users/me")
        assert server.connections == 1
    async with raw_server(once) as server, Connection(account(server.port)) as connection:
        for _ in range(3):
            await connection.request("GET", "/users/me")
        assert server.connections == 3


async def test_a_redirect_loop_ends_and_is_named() -> None:
    async def redirect(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()

    async with raw_server(redirect) as server, Connection(account(server.port)) as connection:
        with pytest.raises(RedirectLoop) as caught:
            await connection.request("GET", "/users/me")
        assert "in a loop" in caught.value.user_message
        assert len(server.heard) < 20


@pytest.mark.parametrize(
    ("status", "extra", "error"),
    [
        ("302 Found", "", MalformedResponse),
        ("304 Not Modified", "", MalformedResponse),
        ("302 Found", "Location: http://127.0.0.1:port\r\n", MalformedResponse),
        ("302 Found", "Location: /again\r\n", RedirectLoop),
        ("302 Found", "Location: http://xn--a/\r\n", RedirectRefused),
    ],
)
async def test_redirects_that_lead_nowhere_do_not_use_up_the_connections(
    status: str, extra: str, error: type[NarrowcastError]
) -> None:
    async def redirect(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(response(b"", status=status, extra=extra))
        await writer.drain()

    async with raw_server(redirect) as server, Connection(account(server.port)) as connection:
        for _ in range(20):
            with pytest.raises(error):
                await connection.request("GET", "/users/me", timeout=5)


async def test_a_request_that_finds_no_free_connection_was_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    everything_taken = asyncio.Event()
    responded = asyncio.Event()

    async def hold(_: bytes, writer: asyncio.StreamWriter) -> None:
        if server.connections == 16 and len(server.heard) == 16:
            everything_taken.set()
        await responded.wait()
        await fine(b"", writer)

    async with raw_server(hold) as server, Connection(account(server.port)) as connection:
        held = [asyncio.create_task(connection.request("GET", "/users/me")) for _ in range(16)]
        await everything_taken.wait()
        monkeypatch.setattr(http_client, "CONNECT_SECONDS", 0.05)
        with pytest.raises(NotConnected):
            await connection.request("POST", "/messages", {"content": "x"})
        responded.set()
        await asyncio.gather(*held)
        assert len(server.heard) == 16


async def test_a_redirect_to_another_port_is_not_followed_at_all() -> None:
    async with raw_server(fine) as canary:

        async def redirect(_: bytes, writer: asyncio.StreamWriter) -> None:
            writer.write(
                response(b"", status="302 Found", extra=f"Location: http://127.0.0.1:{canary.port}/\r\n")
            )
            await writer.drain()

        async with raw_server(redirect) as server, Connection(account(server.port)) as connection:
            with pytest.raises(RedirectRefused):
                await connection.request("GET", "/users/me")
            assert b"Authorization: Basic" in server.heard[0]
        assert canary.connections == 0


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """An authority that no system trusts, and a server certificate signed by it."""
    return make_certificates(tmp_path_factory.mktemp("tls"))


def server_context(certificates: Certificates) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.certificate, certificates.key)
    return context


async def test_a_private_certificate_authority_is_trusted_when_it_is_configured(
    certificates: Certificates,
) -> None:
    async with raw_server(fine, server_context(certificates)) as server:
        ca = certificates.authority
        async with Connection(account(server.port, "https", ca)) as connection:
            assert (await connection.request("GET", "/users/me"))["id"] == 5
        async with Connection(f"https://localhost:{server.port}", ca_bundle=ca) as connection:
            assert (await connection.request("GET", "/server_settings", authenticated=False))["id"] == 5


async def test_nothing_is_sent_to_a_server_with_an_unknown_authority(certificates: Certificates) -> None:
    async with raw_server(fine, server_context(certificates)) as server:
        async with Connection(account(server.port, "https")) as connection:
            with pytest.raises(NotConnected, match="CERTIFICATE_VERIFY_FAILED") as caught:
                await connection.request("GET", "/users/me")
        assert server.heard == []
        assert "--ca-bundle" in caught.value.user_message


def test_https_to_a_port_of_http_says_so() -> None:
    error = NotConnected("ConnectError: [SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)")
    assert "does not use HTTPS" in error.user_message


def test_one_context_serves_all_connections(certificates: Certificates) -> None:
    assert shared_context() is shared_context()
    assert shared_context(certificates.authority) is shared_context(certificates.authority)
    assert shared_context(certificates.authority) is not shared_context()
    assert shared_context().verify_mode is ssl.CERT_REQUIRED
    assert shared_context().check_hostname


def test_an_invalid_certificate_bundle_is_explained(tmp_path: Path) -> None:
    wrong = tmp_path / "ca.pem"
    for content in (None, "not PEM"):
        if content is not None:
            wrong.write_text(content)
        with pytest.raises(AccountError, match=r"ca\.pem"):
            shared_context(wrong)


async def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with raw_server(fine) as server, Connection(account(server.port)) as connection:
        assert (await connection.request("GET", "/users/me"))["id"] == 5


@pytest.mark.parametrize("name", ["http_proxy", "ALL_PROXY"])
async def test_a_proxy_of_the_environment_is_asked_for_other_machines(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    async with raw_server(fine) as proxy:
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        there = Account("http://chat.example", "ada@example.com", Secret("canary-key"))
        async with Connection(there) as connection:
            assert (await connection.request("GET", "/users/me"))["id"] == 5
    (asked,) = proxy.heard
    assert asked.startswith(b"GET http://chat.example/api/v1/users/me HTTP/1.1\r\n")


async def test_a_closed_connection_opens_again_when_it_is_used() -> None:
    async with raw_server(fine) as server:
        connection = Connection(account(server.port))
        await connection.request("GET", "/users/me")
        await connection.aclose()
        await connection.aclose()
        await connection.request("GET", "/users/me")
        await connection.aclose()
        assert server.connections == 2


async def test_no_log_of_any_library_holds_the_key(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with raw_server(fine) as server, Connection(account(server.port)) as connection:
        await connection.request("POST", "/messages", {"content": "x", "password": Secret("hidden-word")})
        header = next(line for line in server.heard[0].split(b"\r\n") if line.startswith(b"Authorization"))
    assert caplog.records
    for secret in ("canary-key", "hidden-word", header.split()[-1].decode()):
        assert secret not in caplog.text
