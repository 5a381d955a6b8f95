"""uvicorn's server inside a program that has its own signals, ended at once when it is told to end."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import uvicorn

_LOOK_SECONDS: Final = 0.005
"""Between two looks at what is still open while the server ends."""
_TURNS: Final = 3
"""Of the loop, in which an accepted socket becomes a connection that is known."""


class WebServer(uvicorn.Server):
    """Waits to be told to end, where uvicorn looks ten times a second whether it should, and ends as soon as
    nothing is open, where uvicorn sleeps first.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ending = asyncio.Event()

    async def run_here(self) -> None:
        """Serves until `end`. It listens nowhere itself: `listening` does."""
        await self.serve(sockets=[])

    def end(self) -> None:
        """Answers what is being answered, and ends."""
        self.should_exit = True
        self._ending.set()

    async def main_loop(self) -> None:
        """One tick gives every answer its headers; nothing of ours needs the others (dates, limits of requests)."""
        if not await self.on_tick(0):
            await self._ending.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Gives what is being answered `timeout_graceful_shutdown` seconds."""
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
        """What was accepted a moment ago gets its connection first: Python 3.11 forgets it where the server that
        accepted it is closed by then, and leaves its socket open.
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
        """Signals are the program's: the demo and tests have handlers of their own."""
        yield
