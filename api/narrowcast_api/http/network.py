"""Network connections for httpcore2 on the event loop, which are closed even if their request is cancelled.

httpcore2 itself connects in a separate task: if a request is cancelled at the moment at which its connection
is established, the socket stays open. The interface is httpcore2's:
`httpcore2.AsyncNetworkBackend`.
"""

from __future__ import annotations

import asyncio
import ipaddress
import select
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

import httpcore2
import httpx2

if TYPE_CHECKING:
    import ssl

_HIGH_BYTES = 256 * 1024
_LOW_BYTES = 64 * 1024
_NEXT_ADDRESS_SECONDS = 0.25


class StreamProtocol(asyncio.Protocol):
    """A limited buffer of received bytes, and whether more can be written."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.arrived = bytearray()
        self.ended = False
        self.error: Exception | None = None
        self._changed = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self.arrived += data
        self._changed.set()
        if len(self.arrived) > _HIGH_BYTES and self.transport is not None and not self._paused:
            self._paused = True
            self.transport.pause_reading()

    def eof_received(self) -> bool:
        self.ended = True
        self._changed.set()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self.ended, self.error = True, exc
        self._changed.set()
        self._writable.set()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    async def read(self, max_bytes: int) -> bytes:
        """Returns 1 to `max_bytes` bytes; none at the end. Raises OSError if the connection broke."""
        while not self.arrived and not self.ended:
            self._changed.clear()
            await self._changed.wait()
        if not self.arrived and self.error is not None:
            raise self.error
        data = bytes(self.arrived[:max_bytes])
        del self.arrived[:max_bytes]
        if self._paused and len(self.arrived) < _LOW_BYTES and self.transport is not None:
            self._paused = False
            self.transport.resume_reading()
        return data

    async def flushed(self) -> None:
        """Waits until more can be written. Raises OSError if the connection broke."""
        await self._writable.wait()
        if self.ended and self.error is not None:
            raise self.error


class NetworkStream(httpcore2.AsyncNetworkStream):
    """One connection, plain or with TLS."""

    def __init__(self, transport: asyncio.Transport, protocol: StreamProtocol) -> None:
        self._transport = transport
        self._protocol = protocol

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        async with _errors(timeout, httpcore2.ReadTimeout, httpcore2.ReadError):
            return await self._protocol.read(max_bytes)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if not buffer:
            return
        async with _errors(timeout, httpcore2.WriteTimeout, httpcore2.WriteError):
            if self._transport.is_closing():
                raise self._protocol.error or ConnectionResetError("the server closed the connection")
            self._transport.write(buffer)
            await self._protocol.flushed()

    async def aclose(self) -> None:
        # Without the closing handshake of TLS: HTTP itself marks the end of a response.
        self._transport.abort()
        await asyncio.sleep(0)

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> NetworkStream:
        try:
            async with _errors(timeout, httpcore2.ConnectTimeout, httpcore2.ConnectError):
                secure = await asyncio.get_running_loop().start_tls(
                    self._transport, self._protocol, ssl_context, server_hostname=server_hostname
                )
            if secure is None:
                raise httpcore2.ConnectError("the connection was closed")
        except BaseException:
            self._transport.abort()
            raise
        self._protocol.transport = secure
        return NetworkStream(secure, self._protocol)

    def get_extra_info(self, info: str) -> Any:
        """Information for httpcore2: 'is_readable' of an idle connection means that it cannot be reused."""
        match info:
            case "is_readable":
                return self._is_readable()
            case "ssl_object":
                return self._transport.get_extra_info("ssl_object")
            case "client_addr":
                return self._transport.get_extra_info("sockname")
            case "server_addr":
                return self._transport.get_extra_info("peername")
            case "socket":
                return self._transport.get_extra_info("socket")
        return None

    def _is_readable(self) -> bool:
        if self._protocol.arrived or self._protocol.ended or self._transport.is_closing():
            return True
        poll = select.poll()
        poll.register(self._transport.get_extra_info("socket").fileno(), select.POLLIN)
        return bool(poll.poll(0))


class Network(httpcore2.AsyncNetworkBackend):
    """Makes connections on the running event loop."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> NetworkStream:
        made: asyncio.Transport | None = None
        try:
            async with _errors(timeout, httpcore2.ConnectTimeout, httpcore2.ConnectError):
                made, protocol = await asyncio.get_running_loop().create_connection(
                    StreamProtocol,
                    host,
                    port,
                    local_addr=(local_address, 0) if local_address else None,
                    happy_eyeballs_delay=None if _is_address(host) else _NEXT_ADDRESS_SECONDS,
                )
                for option in socket_options or ():
                    made.get_extra_info("socket").setsockopt(*option)
        except BaseException:
            if made is not None:
                made.abort()
            raise
        return NetworkStream(made, protocol)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def install(client: httpx2.AsyncClient) -> None:
    """Makes a client use `Network` for its connections, including those to proxies of the environment.

    httpx2 has no parameter for it, so private names are used: tests/api/test_network.py fails if they change.
    """
    network = Network()
    for transport in (client._transport, *client._mounts.values()):
        if isinstance(transport, httpx2.AsyncHTTPTransport):
            transport._pool._network_backend = network


@asynccontextmanager
async def _errors(
    timeout: float | None, late: type[Exception], broken: type[Exception]
) -> AsyncIterator[None]:
    """Converts errors of the event loop to those of httpcore2; `timeout` limits the block, in seconds."""
    try:
        async with asyncio.timeout(timeout):
            yield
    except TimeoutError as error:
        raise late(str(error)) from error
    except OSError as error:  # also errors of TLS
        raise broken(str(error)) from error


def _is_address(host: str) -> bool:
    with suppress(ValueError):
        ipaddress.ip_address(host)
        return True
    return False
