"""The session of a start, begun while the app itself is still being loaded.

Where the screen of the last time is on the terminal already (`narrowcast.terminal.last_screen`), nothing has to be
painted before the network is used: the server prepares its answers while the framework is imported.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from narrowcast.app import accounts
from narrowcast.terminal.paths import Paths
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.sync.session import Session

__all__ = ["EarlySession"]

TURN_SECONDS = 0.0005
"""How long an import may keep Python from a thread that waits, such as the one that talks to the server."""
GOODBYE_SECONDS = 0.5
PAINTING_SECONDS = 3.0
"""How long the stream of events waits for the app at most."""
OPENING_SECONDS = 0.1
"""How long the app waits for the files of an account, which take some milliseconds, before it is loaded beside."""
TURNS = 20
"""Of the loop, until a request that meets no obstacle has left."""

NETWORK = ("narrowcast_api.client", "narrowcast_api.sync.server_notices", "narrowcast_api.sync.synchronizer")
"""What a session loads before its first request; here that comes before the imports of the app, and not beside them."""

Loaded = TypeVar("Loaded")


class EarlySession:
    """The session of the account in ``file``, live as soon as it is open. Make it in a running loop. Who calls `take`
    has to close the session; `close` does it where nobody took it.
    """

    def __init__(self, file: Path, paths: Paths) -> None:
        for name in NETWORK:
            importlib.import_module(name)
        self._file = file
        self._paths = paths
        self._taken = False
        self.painted = asyncio.Event()
        """To be set once the app shows what has come; what loads the stream of events waits for it, though not long."""
        self._opened = asyncio.ensure_future(self._open())

    async def _open(self) -> tuple[Session, asyncio.Task[None]]:
        account = await asyncio.to_thread(accounts.read, self._file)
        session = await Session.open(account, data_dir=self._paths.data, cache_dir=self._paths.cache)
        session.hold_stream_back(self.painted)
        asyncio.get_running_loop().call_later(PAINTING_SECONDS, self.painted.set)
        running = asyncio.ensure_future(session.run())
        view = session.view(session.last_narrow or Narrow.all())
        session.spawn(view.open(), "the first view's messages")
        return session, running

    async def asked(self) -> None:
        """Until the first requests are on their way, if nothing has to be waited for: what is loaded then would only
        hold them up.
        """
        await asyncio.wait([self._opened], timeout=OPENING_SECONDS)
        for _ in range(TURNS):
            await asyncio.sleep(0)

    async def take(self) -> tuple[Session, asyncio.Task[None]]:
        """The session and the task that runs it. Raises what opening it raised."""
        self._taken = True
        return await self._opened

    async def close(self) -> None:
        """Ends it unless somebody took it."""
        if self._taken:
            return
        self._taken = True
        with suppress(Exception):
            session, _ = await self._opened
            await session.close(GOODBYE_SECONDS)


async def beside(load: Callable[[], Loaded]) -> Loaded:
    """What ``load`` gives, in a thread that leaves the loop its turns."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(TURN_SECONDS)
    try:
        return await asyncio.to_thread(load)
    finally:
        sys.setswitchinterval(usual)
