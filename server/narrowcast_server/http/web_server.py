"""uvicorn's server without its signal handlers, which ends without delay."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import uvicorn

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
