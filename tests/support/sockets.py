"""Sockets for tests: proxies, a listener that closes its connections in the end, certificates.

asyncio.start_server of Python 3.11 forgets a connection that it accepts at the moment when it is closed.
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

import trustme

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


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Listener:
    """Calls `serve` in a task for each connection to 127.0.0.1; `port` is a free one unless it is given."""

    def __init__(self, serve: Serve, *, port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        self._serve = serve
        self._tls = tls
        self._accepting: set[asyncio.Task[None]] = set()
        self._socket = socket.create_server(("127.0.0.1", port))
        self._socket.setblocking(False)
        self.port: int = self._socket.getsockname()[1]
        asyncio.get_running_loop().add_reader(self._socket.fileno(), self._accept)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Stops listening. By then, every accepted connection has been passed to `serve`."""
        asyncio.get_running_loop().remove_reader(self._socket.fileno())
        self._socket.close()
        await asyncio.gather(*self._accepting)

    def _accept(self) -> None:
        with suppress(BlockingIOError, ConnectionError):
            accepted, _ = self._socket.accept()
            task = asyncio.ensure_future(self._serve_on(accepted))
            self._accepting.add(task)
            task.add_done_callback(self._accepting.discard)

    async def _serve_on(self, accepted: socket.socket) -> None:
        accepted.setblocking(False)
        loop = asyncio.get_running_loop()

        def protocol() -> asyncio.StreamReaderProtocol:
            return asyncio.StreamReaderProtocol(asyncio.StreamReader(loop=loop), self._serve, loop=loop)

        with suppress(OSError):  # the client disconnected before the end of the TLS handshake
            await loop.connect_accepted_socket(protocol, accepted, ssl=self._tls)


@dataclass(frozen=True)
class Certificates:
    """PEM files: the trusted authority, and the certificate of a server on localhost and 127.0.0.1."""

    authority: Path
    certificate: Path
    key: Path


def make_certificates(folder: Path) -> Certificates:
    """Creates a new authority and a certificate signed by it."""
    authority = trustme.CA(organization_name="Narrowcast tests")
    issued = authority.issue_cert("localhost", "127.0.0.1")
    made = Certificates(folder / "authority.pem", folder / "server.pem", folder / "server.key")
    authority.cert_pem.write_to_path(made.authority)
    issued.cert_chain_pems[0].write_to_path(made.certificate)
    issued.private_key_pem.write_to_path(made.key)
    return made
