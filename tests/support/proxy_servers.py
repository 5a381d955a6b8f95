"""Proxies for tests: SOCKS 5 and HTTP. Whatever is asked of them leads to one port of this machine."""

from __future__ import annotations

import asyncio
import re
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Protocol

from support.listener import Listener

_WHOLE_ADDRESS = re.compile(rb"\A([A-Z]+) http://[^/ ]+/")
"""The beginning of a request to a proxy, which the client sends in one piece."""


class Speaking(Protocol):
    """The part of a proxy in front of the connection: returns what was asked for, and bytes for the server."""

    async def __call__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> tuple[str, bytes]: ...


class ProxyServer:
    """A running proxy; `asked`: the servers that were asked for, as host:port."""

    def __init__(self, speak: Speaking, target: int) -> None:
        self._speak = speak
        self._target = target
        self.port = 0
        self.asked: list[str] = []
        self.upgrades = 0
        """How many WebSockets were opened."""

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                asked, first = await self._speak(reader, writer)
                self.asked.append(asked)
                there, back = await asyncio.open_connection("127.0.0.1", self._target)
                back.write(self._forwarded(first))
                forward = asyncio.ensure_future(_copied(reader, back, self._forwarded))
                await _copied(there, writer, bytes)
                forward.cancel()
                await asyncio.gather(forward, return_exceptions=True)
                back.transport.abort()
        finally:
            writer.transport.abort()

    def _forwarded(self, data: bytes) -> bytes:
        self.upgrades += data.lower().count(b"upgrade: websocket")
        return _WHOLE_ADDRESS.sub(rb"\1 /", data)


async def _copied(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, changed: Callable[[bytes], bytes]
) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(changed(data))
            await writer.drain()
    writer.transport.abort()


class Socks:
    """SOCKS 5, with a user name and password if they are given."""

    def __init__(self, login: tuple[bytes, bytes] | None = None) -> None:
        self._login = login

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[str, bytes]:
        _, count = await reader.readexactly(2)
        methods = await reader.readexactly(count)
        method = 0 if self._login is None else 2
        assert method in methods
        writer.write(bytes([5, method]))
        if self._login is not None:
            user = await reader.readexactly((await reader.readexactly(2))[1])
            password = await reader.readexactly((await reader.readexactly(1))[0])
            fits = (user, password) == self._login
            writer.write(bytes([1, 0 if fits else 1]))
            if not fits:
                raise ConnectionError("wrong password")
        _, _, _, kind = await reader.readexactly(4)
        assert kind == 3, "the proxy resolves names"
        host = await reader.readexactly((await reader.readexactly(1))[0])
        (port,) = struct.unpack("!H", await reader.readexactly(2))
        writer.write(bytes([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
        return f"{host.decode()}:{port}", b""


async def http(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[str, bytes]:
    """HTTP: tunnels, and requests with a whole address."""
    head = await reader.readuntil(b"\r\n\r\n")
    method, address, _ = head.split(b"\r\n", 1)[0].split(b" ")
    if method == b"CONNECT":
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        return address.decode(), b""
    return address.removeprefix(b"http://").partition(b"/")[0].decode(), head


@asynccontextmanager
async def proxy_server(speak: Speaking, target: int) -> AsyncIterator[ProxyServer]:
    """A proxy whose connections all lead to the port `target`."""
    proxy = ProxyServer(speak, target)
    async with Listener(proxy) as listener:
        proxy.port = listener.port
        yield proxy
