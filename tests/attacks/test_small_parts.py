"""Bodies of many small chunks and floods of WebSocket frames cannot block the server."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx2
import pytest
import websockets

from support.server import TestServer
from support.timing import held

HELD_SECONDS = 0.25
HEAD = b"POST /api/v1/fetch_api_key HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
UPGRADE = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
FLOOD_BYTES = 250_000


@asynccontextmanager
async def connected(server: TestServer) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    parts = urlsplit(server.url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        yield reader, writer
    finally:
        writer.close()


async def all_read(reader: asyncio.StreamReader) -> bytes:
    """What the server sends until it closes the connection."""
    read = b""
    try:
        async with asyncio.timeout(20):
            while data := await reader.read(65_536):
                read += data
    except ConnectionError:
        pass
    return read


async def test_a_body_of_many_small_chunks_is_rejected(server: TestServer) -> None:
    async with connected(server) as (reader, writer):
        with held() as watch:
            writer.write(HEAD + b"1\r\na\r\n" * (FLOOD_BYTES // 6))
            answer = await all_read(reader)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert watch.longest < HELD_SECONDS, watch.step


@pytest.mark.parametrize(("count", "size"), [(90, 1), (300, 1000)])
async def test_a_body_of_few_or_large_chunks_is_accepted(server: TestServer, count: int, size: int) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        yield b"title=t&content="
        for _ in range(count):
            yield b"x" * size

    user = server.user("ada")
    async with httpx2.AsyncClient(trust_env=False, auth=(user.delivery_email, user.api_key)) as client:
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        url = f"{server.url}/api/v1/messages/render"
        response = await client.post(url, content=chunks(), headers=form)
    too_long = count * size > server.organization.config.limits.max_message_length
    assert response.status_code == (400 if too_long else 200)
    assert ("too long" in response.text) is too_long


@pytest.mark.parametrize("opcode", [b"\x81", b"\x89"], ids=["text", "ping"])
@pytest.mark.parametrize("with_key", [True, False])
async def test_a_flood_of_frames_closes_the_websocket(
    server: TestServer, opcode: bytes, with_key: bool
) -> None:
    listener, user = await server.listen("hugo"), server.user("hugo")
    head = f"GET /api/v1/events/stream?queue_id={listener.queue_id} HTTP/1.1\r\nHost: x\r\n".encode()
    if with_key:
        key = base64.b64encode(f"{user.delivery_email}:{user.api_key}".encode())
        head += b"Authorization: Basic " + key + b"\r\n"
    async with connected(server) as (reader, writer):
        writer.write(head + UPGRADE)
        await reader.readuntil(b"\r\n\r\n")
        with held() as watch:
            writer.write((opcode + b"\x80" + bytes(4)) * (FLOOD_BYTES // 6))
            await all_read(reader)
    assert watch.longest < HELD_SECONDS, watch.step


async def test_acknowledgements_do_not_close_the_websocket(server: TestServer) -> None:
    listener, user = await server.listen("elif"), server.user("elif")
    address = f"ws://{urlsplit(server.url).netloc}/api/v1/events/stream?queue_id={listener.queue_id}"
    key = base64.b64encode(f"{user.delivery_email}:{user.api_key}".encode()).decode()
    headers = {"Authorization": f"Basic {key}"}
    async with websockets.connect(address, additional_headers=headers, proxy=None) as socket:
        for _ in range(300):
            await socket.send('{"last_event_id": -1}')
        await server.send("ada", "general", "t", "still here")
        assert "still here" in str(await asyncio.wait_for(socket.recv(), 10))
