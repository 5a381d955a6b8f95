"""Which account is on screen: opening one, taking it up anew, putting another in its place, letting it go."""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App

from narrowcast.app import accounts
from narrowcast.app.context import app_of

if TYPE_CHECKING:
    from narrowcast.app.live_account import LiveAccount
    from narrowcast.extensions.start import Extensions
    from narrowcast.screens.main.screen import MainScreen
    from narrowcast_api.sync.session import Session

log = logging.getLogger(__name__)

__all__ = ["CLOSE_SECONDS", "OpenAccounts"]

CLOSE_SECONDS = 2.0
"""How long a session may take to say goodbye to the server."""


class OpenAccounts:
    """Holds the account that is shown, or none while nobody is signed in."""

    def __init__(self, app: App[Any], extensions: Extensions, link: str = "") -> None:
        self._app = app
        self._extensions = extensions
        self._link = link
        self.shown: LiveAccount | None = None
        self.problem = ""
        """Why an account could not be opened, for its user."""

    @property
    def session(self) -> Session | None:
        """The session of the account that is shown."""
        return self.shown.session if self.shown is not None else None

    @property
    def file(self) -> Path | None:
        """Where the account that is shown is stored."""
        return self.shown.file if self.shown is not None else None

    @property
    def screen(self) -> MainScreen | None:
        """The main screen of the account that is shown, as soon as the app has it."""
        if self.shown is None or self.shown.screen not in self._app.screen_stack:
            return None
        return self.shown.screen

    def key_pressed(self) -> None:
        """Somebody is there."""
        if self.shown is not None:
            self.shown.key_pressed()

    def keep(self) -> None:
        """What stands in compose becomes a draft."""
        if self.shown is not None:
            self.shown.keep()

    def show_welcome(self, problem: str = "") -> None:
        """The screen for who has no account yet, or one that cannot be opened."""
        from narrowcast.screens.start.welcome import WelcomeScreen

        self._app.push_screen(WelcomeScreen(problem))

    async def load(self, path: Path) -> MainScreen | None:
        """The screen of an account that shows what is known of it; None and a problem if it cannot be opened."""
        from narrowcast_api.errors import NarrowcastError

        context = app_of(self._app)
        try:
            from narrowcast.app.live_account import LiveAccount

            self.shown = await LiveAccount.open(path, context.paths, context.config)
        except NarrowcastError as error:
            self.problem = error.user_message
            return None
        except Exception as error:
            log.exception("the account cannot be opened")
            self.problem = f"Could not open the account ({type(error).__name__}). See the log for details."
            return None
        return self.shown.screen

    def go_live(self) -> None:
        """The account that was loaded takes up its connection, once the first frame is painted."""
        if self.shown is not None:
            link, self._link = self._link, ""
            self.shown.go_live(self._app, self._extensions, link)

    async def open(self, path: Path) -> None:
        """Show the account from what is known of it, then bring it to life; in place of one that is open."""
        if self.shown is not None:
            app_of(self._app).spawn(self.switch(path), "switch accounts")
            return
        screen = await self.load(path)
        if screen is None:
            self.show_welcome(self.problem)
            return
        self.go_live()
        await self._app.push_screen(screen)

    async def switch(self, path: Path) -> None:
        """Close the account that is open, its drafts kept, and open that of ``path``; one that cannot be read changes
        nothing.
        """
        from narrowcast_api.errors import AccountError

        try:
            accounts.read(path)
        except AccountError as error:
            app_of(self._app).tell(error.user_message, severity="error")
            return
        await self._replace(path)

    async def sign_out(self) -> None:
        """Forget the account that is open, and its key; in its place comes another stored one, else the welcome.

        What the server does not have, drafts and unsent messages, stays in its files for when it is added again.
        """
        path, folder = self.file, app_of(self._app).paths.accounts
        if path is None:
            return
        stored = path.parent == folder
        if stored:
            accounts.remove(path)
        others = [accounts.file_of(folder, name) for name in accounts.names(folder)]
        self.problem = "" if stored else f"Logged out. The account file {path} is yours and was not deleted."
        await self._replace(others[0] if others and stored else None)
        if stored:
            app_of(self._app).tell(f"Logged out of {path.stem}.")

    async def reopen(self) -> None:
        """Take up the account anew as its file has it now, such as with another key."""
        if self.file is not None:
            await self._replace(self.file)

    async def end(self, reason: str) -> None:
        """The account is no more: back to the welcome, which says why."""
        self.problem = reason
        await self._replace(None)

    async def _replace(self, path: Path | None) -> None:
        """Close the account that is open; in its place comes that of ``path``, else the welcome."""
        app, old = self._app, self.screen
        await self.close()
        while old is not None and app.screen is not old and len(app.screen_stack) > 1:
            await app.pop_screen()
        screen = None if path is None else await self.load(path)
        mounted: Awaitable[object] | None = None
        if screen is None:
            self.show_welcome(self.problem)
        else:
            mounted = app.push_screen(screen)
        if old is not None:  # not switch_screen: that leaves a moment without any screen
            app._screen_stack.remove(old)
            await old.remove()
        if mounted is not None:
            await mounted
            self.go_live()

    async def close(self) -> None:
        """Keep what is being written and let the account go, within a bound."""
        shown, self.shown = self.shown, None
        if shown is not None:
            await shown.close(CLOSE_SECONDS)
