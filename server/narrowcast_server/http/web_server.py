"""The web server: uvicorn runs the application, without its signal handlers; this module decides who may connect, and
ends without delay.
"""

from __future__ import annotations

import asyncio
import resource
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

import uvicorn

from narrowcast_server.http.connections import Connections
from narrowcast_server.http.protocol import Http

_BACKLOG: Final = 100
"""Length of the accept queue; smaller than the number of spare descriptors."""
_HANDSHAKE_SECONDS: Final = 10.0
_WANTED_DESCRIPTORS: Final = 16_384
_LOOK_SECONDS: Final = 0.005
"""Pause between two checks for open connections during shutdown."""
_TURNS: Final = 3
"""Turns of the event loop in which an accepted socket becomes a known connection."""


class WebServer(uvicorn.Server):
    """Waits for `end`, where uvicorn polls ten times a second, and stops as soon as nothing is open, where
    uvicorn sleeps first.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ending = asyncio.Event()

    async def run_here(self) -> None:
        """Serves until `end`. Opens no sockets itself: `listening` does."""
        await self.serve(sockets=[])

    def end(self) -> None:
        """Ends the server once the requests in progress are finished, or time out."""
        self.should_exit = True
        self._ending.set()

    async def main_loop(self) -> None:
        """Ticks once, to set the headers of all responses; later ticks (dates, request limits) are not needed."""
        if not await self.on_tick(0):
            await self._ending.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Gives requests in progress `timeout_graceful_shutdown` seconds."""
        await self._accept_no_more()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        try:
            async with asyncio.timeout(self.config.timeout_graceful_shutdown):
                while self.server_state.connections or self.server_state.tasks:  # noqa: ASYNC110  # told to nobody
                    await asyncio.sleep(_LOOK_SECONDS)
        except TimeoutError:
            for task in self.server_state.tasks:
                task.cancel()
        await self.lifespan.shutdown()

    async def _accept_no_more(self) -> None:
        """Lets sockets that were just accepted become connections first: Python 3.11 loses those whose server
        is closed by then, and leaves them open.
        """
        loop = asyncio.get_running_loop()
        for server in self.servers:
            for listener in server.sockets:
                loop.remove_reader(listener.fileno())
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        for server in self.servers:
            server.close()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leaves signals alone: the demo and tests have handlers of their own."""
        yield


def descriptors() -> int:
    """How many files this process may open."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _WANTED_DESCRIPTORS if soft == resource.RLIM_INFINITY else soft


def raise_descriptors() -> None:
    """Raises this process's limit of open files as far as the system allows, up to what the server wants."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = _WANTED_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _WANTED_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


@asynccontextmanager
async def listening(
    server: uvicorn.Server, connections: Connections, bound: socket.socket
) -> AsyncIterator[None]:
    """Accepts connections for a started server until the block ends; the server closes the open ones."""
    config = server.config

    def connection() -> Http:
        return Http(connections, config, server.server_state, server.lifespan.state)

    loop = asyncio.get_running_loop()
    listener = await loop.create_server(
        connection,
        sock=bound,
        backlog=_BACKLOG,
        ssl=config.ssl,
        ssl_handshake_timeout=_HANDSHAKE_SECONDS if config.is_ssl else None,
    )
    server.servers.append(listener)
    sweeping = asyncio.create_task(connections.sweep_forever())
    try:
        yield
    finally:
        sweeping.cancel()
        await asyncio.gather(sweeping, return_exceptions=True)
