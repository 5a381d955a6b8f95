"""The listening socket: uvicorn runs the application, but this module decides who may connect."""

from __future__ import annotations

import asyncio
import resource
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import uvicorn

from narrowcast_server.http.connections import Connections
from narrowcast_server.http.protocol import Http

_BACKLOG: Final = 100
"""Length of the accept queue; smaller than the number of spare descriptors."""
_HANDSHAKE_SECONDS: Final = 10.0
_WANTED_DESCRIPTORS: Final = 16_384


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
