"""The demo in the app: its server, the account of its main user, and the view at which it starts."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from textual.app import App

from narrowcast.app.demo_server import DemoFailed, DemoServer
from narrowcast.app.open_accounts import OpenAccounts
from narrowcast.runtime.context import app_of
from narrowcast.screens.main.demo_start import begin_at_welcome
from narrowcast.screens.start.welcome import WaitScreen
from narrowcast.terminal.logs import start_log
from narrowcast.terminal.paths import Paths
from narrowcast_api.storage.folders import private_folder

log = logging.getLogger(__name__)

__all__ = ["Demo"]


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
        self._server = DemoServer(self._data)
        client, before = self._server.folder / "client", app_of(self._app).paths
        is_new = not client.exists()
        app_of(self._app).paths = paths = Paths.under(client)
        private_folder(client)
        start_log(paths.log_file)
        try:
            account = await self._server.start()
        except DemoFailed as error:
            self._server = None
            app_of(self._app).paths = before
            start_log(before.log_file)
            log.error("%s", error)
            self._accounts.show_welcome(error.user_message)
            return
        await self._accounts.open(account)
        if is_new:
            begin_at_welcome(self._app.screen)

    async def stop(self) -> None:
        """Stops the server, and deletes its data unless the folder is the user's."""
        server, self._server = self._server, None
        if server is not None:
            await server.stop()
