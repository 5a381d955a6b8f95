"""The account on screen: opening it, bringing it to life, taking it up anew, letting it go."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from pathlib import Path
from typing import TYPE_CHECKING

from narrowcast.app import accounts
from narrowcast.app.config import Config
from narrowcast.app.ground import AppGround
from narrowcast.terminal.paths import Paths

if TYPE_CHECKING:
    from narrowcast.app.notifier import Notifier
    from narrowcast.screens.main.screen import MainScreen
    from narrowcast_api.sync.session import Session

log = logging.getLogger(__name__)

CLOSE_SECONDS = 2.0
"""How long the session may take to say goodbye to the server."""


class AccountApp(AppGround, inherit_bindings=False):
    """Holds one session, or none while nobody is signed in."""

    def __init__(self, paths: Paths, config: Config) -> None:
        super().__init__(paths)
        self.config = config
        self.session: Session | None = None
        self.account_file: Path | None = None
        """Where the account that is open is stored."""
        self.problem = ""
        """Why an account could not be opened, for its user."""
        self.link = ""
        """A link to a message or view that the app was started with."""
        self._notifier: Notifier | None = None

    @property
    def main_screen(self) -> MainScreen | None:
        """The main screen, if an account is open."""
        if self.session is None:
            return None
        from narrowcast.screens.main.screen import MainScreen

        return next((screen for screen in self.screen_stack if isinstance(screen, MainScreen)), None)

    def key_pressed(self) -> None:
        if self.session is not None:
            self.session.presence.key_pressed()
        if (screen := self.main_screen) is not None:
            screen.frames.hurry()
        if self._notifier is not None:
            self._notifier.key_pressed()

    def keep(self) -> None:
        """What stands in compose becomes a draft."""
        if (screen := self.main_screen) is not None:
            screen.keep()

    def show_welcome(self, problem: str = "") -> None:
        """The screen for who has no account yet, or one that cannot be opened."""
        from narrowcast.screens.start.welcome import WelcomeScreen

        self.push_screen(WelcomeScreen(problem))

    async def open_account(self, path: Path) -> None:
        """Show the account from what is known of it, then bring it to life; in place of one that is open."""
        if self.session is not None:
            self.spawn(self.switch_account(path), "switch accounts")
            return
        screen = await self.open_screen(path)
        if screen is None:
            self.show_welcome(self.problem)
            return
        self.bring_to_life()
        await self.push_screen(screen)

    async def open_screen(self, path: Path) -> MainScreen | None:
        """The screen of an account that shows what is known of it; None and a problem if it cannot be opened."""
        from narrowcast_api.errors import NarrowcastError

        try:
            account = accounts.read(path)
            from narrowcast_api.sync.session import Session

            self.session = await Session.open(account, data_dir=self.paths.data, cache_dir=self.paths.cache)
            from narrowcast.screens.main.screen import MainScreen
        except NarrowcastError as error:
            self.problem = error.user_message
            return None
        except Exception as error:
            log.exception("the account cannot be opened")
            self.problem = f"Could not open the account ({type(error).__name__}). See the log for details."
            return None
        self.account_file = path
        return MainScreen(
            self.session,
            people=self.config.appearance.people,
            enter_sends=self.config.compose.enter == "send",
        )

    def bring_to_life(self) -> None:
        """Run the session, with the network once the first frame is painted."""
        if self.session is None:
            return
        painted = asyncio.Event()
        self.session.hold_back(painted)
        self.spawn(self.session.run(), "keep the account live")
        self.call_after_refresh(painted.set)
        self.call_after_refresh(self._begin_notices)
        if self.link:
            self.spawn(self._follow_link(self.session), "follow the link")

    async def _follow_link(self, session: Session) -> None:
        """Go where the app was asked to; the first time with an account that has to be known first."""
        from narrowcast.content.addresses import InApp, resolve

        link, self.link = self.link, ""
        known = asyncio.Event()
        unsubscribe = session.subscribe(lambda _: known.set())
        while not session.state.server.site:
            known.clear()
            await known.wait()
        unsubscribe()
        target, screen = resolve(link, session.state), self.main_screen
        if isinstance(target, InApp) and screen is not None:
            screen.go(target.narrow, target.message_id)
        else:
            self.tell("The link leads to no message or view that you can see.", severity="warning")

    def _begin_notices(self) -> None:
        """Once the first frame is painted: nothing of it is needed before."""
        if self.session is not None and self._notifier is None and not self.is_headless:
            from narrowcast.app.notices import begin

            self._notifier = begin(self, self.session, self.config.notifications, self._ids_in_view)

    def _ids_in_view(self) -> set[int]:
        screen = self.main_screen
        return screen.messages.list.ids_in_view() if screen is not None and self.screen is screen else set()

    async def switch_account(self, path: Path) -> None:
        """Close the account that is open, its drafts kept, and open that of ``path``; one that cannot be read changes
        nothing.
        """
        from narrowcast_api.errors import AccountError

        try:
            accounts.read(path)
        except AccountError as error:
            self.tell(error.user_message, severity="error")
            return
        await self._replace_main(path)

    async def sign_out(self) -> None:
        """Forget the account that is open, and its key; in its place comes another stored one, else the welcome.

        What the server does not have, drafts and unsent messages, stays in its files for when it is added again.
        """
        path, folder = self.account_file, self.paths.accounts
        if path is None:
            return
        stored = path.parent == folder
        if stored:
            accounts.remove(path)
        others = [accounts.file_of(folder, name) for name in accounts.names(folder)]
        self.problem = "" if stored else f"Logged out. The account file {path} is yours and was not deleted."
        await self._replace_main(others[0] if others and stored else None)
        if stored:
            self.tell(f"Logged out of {path.stem}.")

    async def reopen(self) -> None:
        """Take up the account anew as its file has it now, such as with another key."""
        if self.account_file is not None:
            await self._replace_main(self.account_file)

    async def end_account(self, reason: str) -> None:
        """The account is no more: back to the welcome, which says why."""
        self.problem = reason
        await self._replace_main(None)

    async def _replace_main(self, path: Path | None) -> None:
        """Close the account that is open; in its place comes that of ``path``, else the welcome."""
        old = self.main_screen
        await self.close_session()
        while old is not None and self.screen is not old and len(self.screen_stack) > 1:
            await self.pop_screen()
        screen = None if path is None else await self.open_screen(path)
        mounted: Awaitable[object] | None = None
        if screen is None:
            self.show_welcome(self.problem)
        else:
            mounted = self.push_screen(screen)
        if old is not None:  # not switch_screen: that leaves a moment without any screen
            self._screen_stack.remove(old)
            await old.remove()
        if mounted is not None:
            await mounted
            self.bring_to_life()

    async def close_session(self) -> None:
        """Keep what is being written and let the account go, within a bound."""
        self.keep()
        session, self.session = self.session, None
        notifier, self._notifier = self._notifier, None
        try:
            if notifier is not None:
                await notifier.close()
            if session is not None:
                await session.close(CLOSE_SECONDS)
        except Exception:
            log.exception("the session did not close")
