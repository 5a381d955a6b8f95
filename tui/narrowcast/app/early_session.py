"""The session of the account at start, opened while the app itself is still being imported.

If the saved screen is on the terminal already (`narrowcast.terminal.last_screen`), nothing has to be painted
before the network is used: the server prepares its responses while the framework is imported.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from narrowcast.app import accounts
from narrowcast.terminal.paths import Paths
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.sync.session import Session

if TYPE_CHECKING:
    from narrowcast.app.config import Config
    from narrowcast_api.sync.message_view import MessageView

__all__ = ["EarlySession"]

log = logging.getLogger(__name__)

GOODBYE_SECONDS = 0.5
PAINTING_SECONDS = 3.0
"""Maximum seconds for which the stream of events waits for the app."""
OPENING_SECONDS = 0.1
"""Seconds for which the app waits for an account's files (usually milliseconds) before both are loaded concurrently."""
TURNS = 20
"""Turns of the loop until a request that nothing delays has been sent."""
STEP_TURNS = 5
"""Turns of the loop between two imports."""

EARLY_MESSAGES = "narrowcast.app.early_messages"
PAINTING = ("rich.console", "textual", "narrowcast.panes.messages.rows", EARLY_MESSAGES)
"""What shows the first messages, in steps of some milliseconds."""

NETWORK = ("narrowcast_api.client", "narrowcast_api.sync.server_notices", "narrowcast_api.sync.synchronizer")
"""What a session imports before its first request; imported here before the app's modules, not alongside them."""


class EarlySession:
    """The session of the account in ``file``, which connects as soon as it is open. Create it in a running
    loop. The caller of `take` has to close the session; `close` does so if nobody took it.
    """

    def __init__(self, file: Path, paths: Paths, config: Config) -> None:
        for name in NETWORK:
            importlib.import_module(name)
        self._file = file
        self._paths = paths
        self._config = config
        self._taken = False
        self._can_paint = asyncio.Event()
        self.shown_first = asyncio.Event()
        """Set once the messages of the first view have arrived, and are on the saved screen if that is still shown."""
        self.painted = asyncio.Event()
        """Set by the app once it shows the data received so far; the stream of events waits for it, but only
        briefly."""
        self._opened = asyncio.ensure_future(self._open())

    async def _open(self) -> tuple[Session, asyncio.Task[None]]:
        account = await asyncio.to_thread(accounts.read, self._file)
        session = await Session.open(account, data_dir=self._paths.data, cache_dir=self._paths.cache)
        session.delay_stream(self.painted)
        asyncio.get_running_loop().call_later(PAINTING_SECONDS, self.painted.set)
        running = asyncio.ensure_future(session.run())
        view = session.view(session.last_narrow or Narrow.all())
        session.spawn(self._show(session, view), "the first view's messages")
        return session, running

    async def _show(self, session: Session, view: MessageView) -> None:
        """Fetches the messages of the first view, and shows them at once unless the app is there already."""
        await view.open()
        await self._can_paint.wait()
        try:
            sys.modules[EARLY_MESSAGES].paint(session, view, self._config)
        except Exception:  # the app shows them a moment later
            log.exception("the first messages cannot be shown before the app")
        self.shown_first.set()

    async def load_painting(self) -> None:
        """Imports what shows the first messages; most of it is what the app needs, too."""
        await load_in_steps(*PAINTING)
        self._can_paint.set()
        await _turns(TURNS)

    async def asked(self) -> None:
        """Waits until the first requests are sent, if nothing delays them: imports before that would only
        delay them.
        """
        await asyncio.wait([self._opened], timeout=OPENING_SECONDS)
        await _turns(TURNS)

    async def take(self) -> tuple[Session, asyncio.Task[None]]:
        """The session and the task that runs it. Raises the error with which opening it failed."""
        self._taken = True
        return await self._opened

    async def close(self) -> None:
        """Closes the session unless it was taken."""
        if self._taken:
            return
        self._taken = True
        with suppress(Exception):
            session, _ = await self._opened
            await session.close(GOODBYE_SECONDS)


async def load_in_steps(*modules: str) -> None:
    """Imports modules one after the other, with some turns of the loop in between for what the network brings. A
    thread would import them while the loop waits, but two threads that need the interpreter slow each other down.
    """
    for name in modules:
        importlib.import_module(name)
        await _turns(STEP_TURNS)


async def _turns(count: int) -> None:
    """Lets the loop run that many times."""
    for _ in range(count):
        await asyncio.sleep(0)
