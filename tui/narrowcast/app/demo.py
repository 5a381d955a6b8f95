"""The demo in the app: its server, a process of its own, the account of its main user, and the view to begin with."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App

from narrowcast.app.open_accounts import OpenAccounts
from narrowcast.runtime.context import app_of, in_app
from narrowcast.screens.main.screen import MainScreen
from narrowcast.screens.start.text_screen import WaitScreen
from narrowcast.terminal.logs import start_log
from narrowcast.terminal.paths import Paths
from narrowcast.terminal.programs import kill
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.changes import Change, StateReplaced
from narrowcast_api.storage.folders import private_folder

if TYPE_CHECKING:
    from textual.screen import Screen


log = logging.getLogger(__name__)

__all__ = ["START_SECONDS", "Demo", "DemoFailed", "DemoServer"]

START_SECONDS = 60.0
"""Seconds that a slow machine may take to create the demo data."""


class DemoFailed(NarrowcastError):
    """The demo's server did not start."""


class DemoServer:
    """``start`` returns the account file of the demo's main user."""

    def __init__(self, data: Path | None = None) -> None:
        self._keep = data is not None
        self.folder = data if data is not None else Path(tempfile.mkdtemp(prefix="narrowcast-demo-"))
        self._process: asyncio.subprocess.Process | None = None

    async def start(self, person: str = "ada") -> Path:
        """Starts the server and waits until it responds. Raises DemoFailed."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        log = self.folder / "server.log"
        errors = log.open("wb")
        try:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "narrowcast.cli.demo_process",
                str(self.folder),
                "keep" if self._keep else "drop",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        finally:
            errors.close()
        output = self._process.stdout
        try:
            async with asyncio.timeout(START_SECONDS):
                while output is not None and (line := await output.readline()):
                    if line.startswith(b"listening on "):
                        return self.folder / "accounts" / f"{person}.zuliprc"
        except TimeoutError:
            await self.stop()
            raise DemoFailed(f"The demo's server did not start within {START_SECONDS:.0f} seconds.") from None
        said = await asyncio.to_thread(_last_line, log)
        await self.stop()
        raise DemoFailed(f"The demo's server did not start: {said or 'no output'}")

    async def stop(self) -> None:
        """Stops the server, and deletes its data unless the folder is the user's."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            try:
                async with asyncio.timeout(5):
                    await process.wait()
            except TimeoutError:
                await kill(process)
        if not self._keep:
            await asyncio.to_thread(shutil.rmtree, self.folder, ignore_errors=True)


def _last_line(log: Path) -> str:
    return (log.read_text(errors="replace").strip().splitlines() or [""])[-1]


class Demo:
    """``data``: a folder of the user in which the demo is kept; without one, nothing is left behind."""

    def __init__(self, app: App[Any], accounts: OpenAccounts, data: Path | None = None) -> None:
        self._app = app
        self._accounts = accounts
        self._data = data
        self._server: DemoServer | None = None
        self._starting = False

    @property
    def is_open(self) -> bool:
        """Whether the app shows the demo, or is starting it."""
        return self._server is not None

    @property
    def is_temporary(self) -> bool:
        """Whether the demo is open and everything in it, including its log, is deleted when it ends."""
        return self.is_open and self._data is None

    async def start(self) -> None:
        """Starts the server, then opens the account. Does nothing if the demo is being started."""
        if self._starting:
            return
        self._starting = True
        try:
            await self._start()
        finally:
            self._starting = False

    async def _start(self) -> None:
        await self.stop()  # an earlier server, whose account could not be opened
        await self._app.push_screen(WaitScreen("Starting the demo server…"))
        app = app_of(self._app)
        before = app.paths
        try:
            account, is_new = await self._serve()
        except (DemoFailed, OSError) as error:
            await self.stop()
            app.paths = before
            start_log(before.log_file)
            log.error("%s", error)
            self._accounts.show_welcome(_reason(error))
            return
        await self._accounts.open(account)
        if is_new:
            begin_at_welcome(self._app.screen)

    async def _serve(self) -> tuple[Path, bool]:
        """Starts the server; returns the account file of the demo's main user, and whether the app's own folder is new.
        Raises DemoFailed or OSError.
        """
        self._server = server = DemoServer(self._data)
        client = server.folder / "client"
        is_new = not client.exists()
        app_of(self._app).paths = paths = Paths.under(client)
        private_folder(client)
        start_log(paths.log_file)
        return await server.start(), is_new

    async def stop(self) -> None:
        """Stops the server, and deletes its data unless the folder is the user's."""
        server, self._server = self._server, None
        if server is not None:
            await server.stop()


def _reason(error: DemoFailed | OSError) -> str:
    """Why the demo does not start, as a text for the user."""
    if isinstance(error, DemoFailed):
        return error.user_message
    place = f"{error.filename}: " if error.filename else ""
    return f"The demo's server did not start: {place}{error.strerror or error}."


CHANNEL, TOPIC = "onboarding", "welcome"


def begin_at_welcome(screen: Screen[Any]) -> None:
    """Goes to the welcome conversation once the channels are known, unless the user has gone elsewhere by then."""
    if not isinstance(screen, MainScreen):  # the account could not be opened, which is reported elsewhere
        return
    began = screen.narrow

    def go_if_known() -> bool:
        channel_id = screen.session.state.channels.id_of(CHANNEL)
        if channel_id is None:
            return False
        if screen.narrow == began and screen.messages.has_focus_within:
            screen.open(Narrow.topic(channel_id, TOPIC), "oldest")
        return True

    def look(changes: Sequence[Change]) -> None:
        if StateReplaced() in changes and go_if_known():
            unsubscribe()

    unsubscribe = screen.session.subscribe(in_app(look))
    if go_if_known():  # a quick server has answered before
        unsubscribe()
