"""One open account: its file, session, notifier, and its main screen while it is shown."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App

from narrowcast.app.early_session import Early
from narrowcast.app.notifications import begin
from narrowcast.config import account_files
from narrowcast.config.config import Config
from narrowcast.content.addresses import InApp, resolve
from narrowcast.panes.compose.drafts import to_draft
from narrowcast.panes.messages.navigation import place_of
from narrowcast.runtime.background import until
from narrowcast.runtime.context import app_of
from narrowcast.screens.main.screen import MainScreen
from narrowcast.terminal.paths import Paths
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.sync.session import Session

if TYPE_CHECKING:
    from narrowcast.app.notifications import Notifier

log = logging.getLogger(__name__)

__all__ = ["LiveAccount"]


class LiveAccount:
    """Created by `open`, live from `go_live` to `close`; `show` and `hide` may be called any number of times."""

    def __init__(
        self,
        file: Path,
        session: Session,
        running: asyncio.Task[None] | None = None,
    ) -> None:
        self.file = file
        self.session = session
        self._running = running
        self.screen: MainScreen | None = None
        self._notifier: Notifier | None = None
        self.begun = False
        """Whether `go_live` was called."""
        self._closed = False

    @classmethod
    async def open(cls, file: Path, paths: Paths, early: Early | None = None) -> LiveAccount:
        """The account in ``file`` with its cached data; ``early`` is its session if that was opened before.
        Raises NarrowcastError.
        """
        if early is not None:
            return cls(file, *await early)
        account = await asyncio.to_thread(
            account_files.read, file
        )  # the keyring may ask the user for permission
        session = await Session.open(account, data_dir=paths.data, cache_dir=paths.cache)
        return cls(file, session)

    @property
    def name(self) -> str:
        """The name of the account in lists of several."""
        return self.file.stem

    def show(self, config: Config, *, at_home: bool = True) -> MainScreen:
        """Returns a new main screen with the cached data; ``at_home``: its first start goes to the home view."""
        self.screen = MainScreen(
            self.session,
            config.appearance,
            enter_sends=config.compose.enter == "send",
            at_home=at_home,
        )
        return self.screen

    def hide(self) -> None:
        """Removes the screen while the session keeps running; the text in compose becomes a draft."""
        if self.screen is not None and self.screen.is_mounted:
            self.screen.save_before_closing()
        self.screen = None

    def go_live(self, app: App[Any], link: str = "") -> None:
        """Runs the session. ``link``: where to go once it can be resolved."""
        self.begun = True
        context = app_of(app)
        context.spawn(self._running or self.session.run(), f"keep the account {self.name} live")
        if link:
            context.spawn(self._follow(link), "follow the link")

    async def _follow(self, link: str) -> None:
        """Goes to the target of a link; for a new account, once its data has been loaded, unless the user has
        begun to write by then.
        """
        await until(self.session, lambda: bool(self.session.state.server.site))
        target = resolve(link, self.session.state)
        if isinstance(target, InApp) and target.follows_message:
            target = await self._current(target)
        if self.screen is None:
            return
        if isinstance(target, InApp) and self.screen.writing.has_focus_within:
            self.screen.tell(f"You are writing, so this link was not opened: {link}", seconds=10)
        elif isinstance(target, InApp):
            self.screen.go(target.narrow, target.message_id)
        else:
            self.screen.tell("The link leads to no message or view that you can see.", severity="warning")

    async def _current(self, target: InApp) -> InApp:
        """The target of a link to a message, which may have been moved since the link was made."""
        message_id = target.message_id or 0
        try:
            message = await self.session.loader.message(message_id)
        except NarrowcastError:
            return InApp(target.narrow)
        if message is not None:
            return InApp(place_of(message, self.session.state.me), message_id)
        if self.screen is not None:
            self.screen.tell(f"There is no message {message_id}, or you do not have access to it.")
        return InApp(target.narrow)

    def begin_notices(self, app: App[Any], label: Callable[[], str]) -> None:
        """Starts to notify the user; ``label`` returns the account's name if there are several accounts, else ""."""
        if self._closed or self._notifier is not None or app.is_headless:
            return
        config = app_of(app).config.notifications
        self._notifier = begin(app, self.session, config, self._ids_in_view, label)

    def _ids_in_view(self) -> set[int]:
        """The ids of the messages on the screen that no dialog covers."""
        panes = [one.messages for one in self.screen.side.all] if self.screen is not None else []
        return {message_id for pane in panes if pane.is_in_view for message_id in pane.list.ids_in_view()}

    def key_pressed(self) -> None:
        """Called for each key: informs presence, frames and the notifier."""
        self.session.presence.key_pressed()
        if self.screen is not None:
            self.screen.frames.hurry()
            self.screen.look_again()
        if self._notifier is not None:
            self._notifier.key_pressed()

    def keep(self) -> None:
        """Saves the text in compose and unsaved edits of messages as drafts, which the next start finds. Does
        not wait for the disk.
        """
        if self.screen is not None and self.screen.is_mounted:
            self.screen.keep()
        self.session.edits.take_over()
        if unsaved := self.session.edits.all():
            for edit in unsaved:
                to_draft(edit, self.session)
        self.session.drafts.queue_writes()

    async def close(self, seconds: float) -> None:
        """Saves unsent text, and closes the session with the server within that many seconds. Never raises."""
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
