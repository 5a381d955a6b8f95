"""Requests that are not valid HTTP get a response in the contract's form too."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from narrowcast_server.organization.config import ServerConfig, ServiceLimits
from support.request_parts import basic
from support.server import TestServer, running_server


async def exchange(server: TestServer, sent: bytes) -> tuple[int, dict[str, str], bytes]:
    """Sends bytes; returns status, headers and body of the response, once the connection is closed."""
    parts = urlsplit(server.url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(sent)
    response = await asyncio.wait_for(reader.read(), 5)
    writer.close()
    head, _, body = response.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    return int(status.split(" ")[1]), headers, body


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"hello\r\n\r\n", 400),
        (b"GET /api/v1/users/me\r\n\r\n", 400),
        (b"GET /api/v1/users/me HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nA: \x00\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", 400),
        (b"GET /" + b"x" * 66_000, 431),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
    ],
)
async def test_invalid_http_requests_get_a_json_response(
    server: TestServer, sent: bytes, status: int
) -> None:
    found, headers, body = await exchange(server, sent)
    response: dict[str, Any] = json.loads(body)
    assert found == status
    assert headers["content-type"] == "application/json"
    assert headers["connection"] == "close"
    assert (response["result"], response["code"]) == ("error", "BAD_REQUEST")


UPGRADE = b"Upgrade: websocket\r\nConnection: Upgrade, close\r\n"
KEY = b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"


@pytest.mark.parametrize(
    ("path", "headers"),
    [(b"/api/v1/events/stream", UPGRADE), (b"/api/v1/users/me", UPGRADE + KEY), (b"/", UPGRADE + KEY)],
)
async def test_an_invalid_websocket_request_gets_a_json_response(
    server: TestServer, path: bytes, headers: bytes
) -> None:
    sent = b"GET " + path + b" HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n"
    status, found, body = await exchange(server, sent)
    assert status in (401, 404)
    assert found["content-type"] == "application/json"
    assert json.loads(body)["result"] == "error"


async def test_a_body_that_never_ends_times_out(tmp_path: Path) -> None:
    config = ServerConfig(limits=ServiceLimits(body_seconds=0.05))
    async with running_server(tmp_path, config=config) as server:
        user = server.user("ada")
        credentials = basic(user.delivery_email, user.api_key).encode()
        head = (
            b"POST /api/v1/typing HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: " + credentials
        )
        status, _, body = await exchange(server, head + b"\r\nContent-Length: 100\r\n\r\nop=start")
        assert (status, json.loads(body)["code"]) == (408, "BAD_REQUEST")


async def test_garbage_after_a_waiting_request_ends_only_its_connection(
    server: TestServer, caplog: pytest.LogCaptureFixture
) -> None:
    request = b"GET /api/v1/server_settings HTTP/1.1\r\nHost: x\r\n\r\n"
    parts = urlsplit(server.url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(request + b"rubbish\r\n\r\n")
    assert await asyncio.wait_for(reader.read(), 5)
    writer.close()
    assert (await server.raw(None, "GET", "/server_settings")).status_code == 200
    assert not [record for record in caplog.records if record.exc_info]
