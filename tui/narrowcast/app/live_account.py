"""One account that is open: its file, its session, its main screen, and who tells of its messages."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App

from narrowcast.app import accounts
from narrowcast.app.config import Config
from narrowcast.app.context import app_of
from narrowcast.content.addresses import InApp, resolve
from narrowcast.screens.main.screen import MainScreen
from narrowcast.terminal.paths import Paths
from narrowcast_api.sync.session import Session

if TYPE_CHECKING:
    from narrowcast.app.notifier import Notifier
    from narrowcast.extensions.start import Extensions

log = logging.getLogger(__name__)

__all__ = ["LiveAccount"]


class LiveAccount:
    """Made by `open`, live from `go_live` to `close`. ``screen`` shows what is known before it is live."""

    def __init__(self, file: Path, session: Session, screen: MainScreen) -> None:
        self.file = file
        self.session = session
        self.screen = screen
        self._notifier: Notifier | None = None
        self._extensions: Extensions | None = None
        self._closed = False

    @classmethod
    async def open(cls, file: Path, paths: Paths, config: Config) -> LiveAccount:
        """The account in ``file`` with what is known of it. Raises NarrowcastError."""
        session = await Session.open(accounts.read(file), data_dir=paths.data, cache_dir=paths.cache)
        screen = MainScreen(
            session, people=config.appearance.people, enter_sends=config.compose.enter == "send"
        )
        return cls(file, session, screen)

    def go_live(self, app: App[Any], extensions: Extensions, link: str = "") -> None:
        """Run the session, with the network once the first frame is painted. ``link``: where to go then."""
        painted = asyncio.Event()
        self.session.hold_back(painted)
        context = app_of(app)
        context.spawn(self.session.run(), "keep the account live")
        app.call_after_refresh(painted.set)
        app.call_after_refresh(self._begin_notices, app)
        app.call_after_refresh(self._begin_extensions, extensions)
        if link:
            context.spawn(self._follow(link), "follow the link")

    async def _follow(self, link: str) -> None:
        """Go where a link leads; the first time with an account that has to be known first."""
        known = asyncio.Event()
        unsubscribe = self.session.subscribe(lambda _: known.set())
        while not self.session.state.server.site:
            known.clear()
            await known.wait()
        unsubscribe()
        target = resolve(link, self.session.state)
        if isinstance(target, InApp):
            self.screen.go(target.narrow, target.message_id)
        else:
            self.screen.tell("The link leads to no message or view that you can see.", severity="warning")

    def _begin_notices(self, app: App[Any]) -> None:
        """Once the first frame is painted: nothing of it is needed before."""
        if self._closed or app.is_headless:
            return
        from narrowcast.app.notices import begin

        self._notifier = begin(app, self.session, app_of(app).config.notifications, self._ids_in_view)

    def _begin_extensions(self, extensions: Extensions) -> None:
        """Once the first frame is painted: a start is no slower for them."""
        if not self._closed:
            self._extensions = extensions
            extensions.begin(self.session, self.screen)

    def _ids_in_view(self) -> set[int]:
        """The messages on the screen, with no dialog over them."""
        screen = self.screen
        return screen.messages.list.ids_in_view() if screen.app.screen is screen else set()

    def key_pressed(self) -> None:
        """Somebody is there."""
        self.session.presence.key_pressed()
        self.screen.frames.hurry()
        if self._notifier is not None:
            self._notifier.key_pressed()

    def keep(self) -> None:
        """What stands in compose becomes a draft."""
        if self.screen.is_mounted:
            self.screen.keep()

    async def close(self, seconds: float) -> None:
        """Keep what is being written, and say goodbye to the server within so many seconds. Never raises."""
        self._closed = True
        self.keep()
        try:
            if self._notifier is not None:
                await self._notifier.close()
            if self._extensions is not None:
                await self._extensions.end()
            await self.session.close(seconds)
        except Exception:
            log.exception("the session did not close")
