"""A listening socket for tests that closes all its connections in the end.

asyncio.start_server of Python 3.11 forgets a connection that it accepts at the moment when it is closed.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Self

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
