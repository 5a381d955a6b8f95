"""One account that is open: its file, its session, its main screen while it is shown, and who tells of its messages."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App

from narrowcast.app import accounts
from narrowcast.app.config import Config
from narrowcast.app.context import app_of
from narrowcast.app.waiting import until
from narrowcast.content.addresses import InApp, resolve
from narrowcast.terminal.paths import Paths
from narrowcast_api.sync.session import Session

if TYPE_CHECKING:
    from narrowcast.app.early_session import EarlySession
    from narrowcast.app.notifier import Notifier
    from narrowcast.screens.main.screen import MainScreen

log = logging.getLogger(__name__)

__all__ = ["LiveAccount"]


class LiveAccount:
    """Made by `open`, live from `go_live` to `close`; `show` and `hide` as often as wanted between."""

    def __init__(
        self,
        file: Path,
        session: Session,
        running: asyncio.Task[None] | None = None,
        painted: asyncio.Event | None = None,
    ) -> None:
        self.file = file
        self.session = session
        self._running = running
        self._painted = painted or asyncio.Event()
        self.screen: MainScreen | None = None
        self._notifier: Notifier | None = None
        self.begun = False
        """Whether it takes part in the life of the server."""
        self._closed = False

    @classmethod
    async def open(cls, file: Path, paths: Paths, early: EarlySession | None = None) -> LiveAccount:
        """The account in ``file`` with what is known of it; ``early`` where its session was begun. Raises
        NarrowcastError.
        """
        if early is not None:
            return cls(file, *await early.take(), early.painted)
        account = await asyncio.to_thread(accounts.read, file)  # the keyring may ask its user first
        session = await Session.open(account, data_dir=paths.data, cache_dir=paths.cache)
        return cls(file, session)

    @property
    def name(self) -> str:
        """What it is called where there are several."""
        return self.file.stem

    def show(self, config: Config) -> MainScreen:
        """A screen with what is known of it."""
        from narrowcast.screens.main.screen import MainScreen

        self.screen = MainScreen(
            self.session,
            people=config.appearance.people,
            enter_sends=config.compose.enter == "send",
        )
        return self.screen

    def hide(self) -> None:
        """It goes on without a screen; what stands in compose becomes a draft."""
        if self.screen is not None and self.screen.is_mounted:
            self.screen.put_away()
        self.screen = None

    def go_live(self, app: App[Any], link: str = "") -> None:
        """Run the session, with the network once the first frame is painted. ``link``: where to go then."""
        self.begun = True
        context = app_of(app)
        if self._running is None:
            self.session.hold_back(self._painted)
        app.call_after_refresh(self._painted.set)
        context.spawn(self._running or self.session.run(), f"keep the account {self.name} live")
        if link:
            context.spawn(self._follow(link), "follow the link")

    async def _follow(self, link: str) -> None:
        """Go where a link leads; the first time with an account that has to be known first."""
        await until(self.session, lambda: bool(self.session.state.server.site))
        target = resolve(link, self.session.state)
        if self.screen is None:
            return
        if isinstance(target, InApp):
            self.screen.go(target.narrow, target.message_id)
        else:
            self.screen.tell("The link leads to no message or view that you can see.", severity="warning")

    def begin_notices(self, app: App[Any], label: Callable[[], str]) -> None:
        """Tell of its messages from now on; ``label`` says whose they are where there are several accounts."""
        if self._closed or self._notifier is not None or app.is_headless:
            return
        from narrowcast.app.notices import begin

        config = app_of(app).config.notifications
        self._notifier = begin(app, self.session, config, self._ids_in_view, label)

    def _ids_in_view(self) -> set[int]:
        """The messages on the screen, with no dialog over them."""
        panes = [one.messages for one in self.screen.side.all] if self.screen is not None else []
        return {message_id for pane in panes if pane.is_in_view for message_id in pane.list.ids_in_view()}

    def key_pressed(self) -> None:
        """Called for each key: presence, frames and notices go by it."""
        self.session.presence.key_pressed()
        if self.screen is not None:
            self.screen.frames.hurry()
        if self._notifier is not None:
            self._notifier.key_pressed()

    def keep(self) -> None:
        """What stands in compose becomes a draft, and so does a change of a message that was not saved: it is found
        in the drafts of the next start. Nothing waits for the disk.
        """
        if self.screen is not None and self.screen.is_mounted:
            self.screen.keep()
        self.session.edits.take_over()
        if unsaved := self.session.edits.all():
            from narrowcast.panes.compose.edits import to_draft  # loaded with the screen

            for edit in unsaved:
                to_draft(edit, self.session)
        self.session.drafts.hand_over()

    async def close(self, seconds: float) -> None:
        """Keep what is being written, and say goodbye to the server within so many seconds. Never raises."""
        self._closed = True
        self.keep()
        try:
            if self._notifier is not None:
                await self._notifier.close()
        except Exception:
            log.exception("the notifier did not close")
        try:
            await self.session.close(seconds)
        except Exception:
            log.exception("the session did not close")
