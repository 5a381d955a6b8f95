"""The open accounts: the one on screen, and the others in the background."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App

from narrowcast.app.key_queue import KeyHold
from narrowcast.app.live_account import LiveAccount
from narrowcast.app.notifications import title_of
from narrowcast.config import account_files
from narrowcast.runtime.background import until
from narrowcast.runtime.context import ListedAccount, app_of
from narrowcast.runtime.frames import Frames
from narrowcast.screens.start.welcome import WelcomeScreen
from narrowcast.terminal import screen_store
from narrowcast.terminal.textual_reads import remove_from_stack
from narrowcast_api.account import Account, AccountError
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.state import changes as change

if TYPE_CHECKING:
    from narrowcast.app.early_session import Early
    from narrowcast.app.notifications import WindowTitle
    from narrowcast.extensions.start import Extensions
    from narrowcast.screens.main.screen import MainScreen
    from narrowcast_api.narrow.narrow import Narrow
    from narrowcast_api.sync.session import Session

log = logging.getLogger(__name__)

__all__ = ["CLOSE_SECONDS", "OpenAccounts"]

CLOSE_SECONDS = 2.0
"""Seconds that closing a session with the server may take."""
NEXT_AFTER = 5.0
"""Seconds that an account may take to become live before the next one is opened."""

_TOLD = (change.UnreadsChanged, change.SettingsChanged, change.StateReplaced, change.ConnectionChanged)


class OpenAccounts:
    """``alone``: open no other account than the requested one. ``early``: a session opened before the app started."""

    def __init__(
        self,
        app: App[Any],
        extensions: Extensions,
        link: str = "",
        *,
        alone: bool = False,
        early: Early | None = None,
    ) -> None:
        self._app = app
        self._extensions = extensions
        self._link = link
        self._alone = alone
        self._early = early
        self._open: dict[Path, LiveAccount] = {}
        self._problems: dict[Path, str] = {}
        self._changing = asyncio.Lock()
        self.arrival = KeyHold()
        self._title: WindowTitle | None = None
        self._frames = Frames(app.set_timer)
        self._frames.subscribe(_TOLD, lambda _: self._refresh())
        self.shown: LiveAccount | None = None
        self.problem = ""
        """Why an account could not be opened, as a text for the user."""

    # state

    @property
    def session(self) -> Session | None:
        """The session of the account that is shown."""
        return self.shown.session if self.shown is not None else None

    @property
    def file(self) -> Path | None:
        """The file of the account that is shown."""
        return self.shown.file if self.shown is not None else None

    @property
    def screen(self) -> MainScreen | None:
        """The main screen of the account that is shown, once it is on the app's screen stack."""
        if self.shown is None or self.shown.screen not in self._app.screen_stack:
            return None
        return self.shown.screen

    def live(self) -> list[LiveAccount]:
        """All open accounts, the one that is shown first."""
        rest = [account for account in self._open.values() if account is not self.shown]
        return rest if self.shown is None else [self.shown, *rest]

    def listed(self) -> list[ListedAccount]:
        """The stored accounts in their order, and the open ones that are not stored."""
        return [self._listed(path) for path in dict.fromkeys([*self._stored(), *self._open])]

    def others(self) -> list[ListedAccount]:
        """The accounts that are open but not on screen, and those that could not be opened."""
        files = {*self._open, *self._problems} - {self.file}
        return [self._listed(path) for path in account_files.in_order(files, self._order)]

    def _listed(self, path: Path) -> ListedAccount:
        account = self._open.get(path)
        session = account.session if account is not None else None
        return ListedAccount(path, path.stem, session, self._problems.get(path, ""))

    @property
    def _order(self) -> Sequence[str]:
        return app_of(self._app).config.accounts.order

    def _stored(self) -> list[Path]:
        folder = app_of(self._app).paths.accounts
        return account_files.in_order(
            (account_files.file_of(folder, name) for name in account_files.names(folder)), self._order
        )

    def key_pressed(self) -> None:
        """Called for each key that was pressed."""
        for account in self._open.values():
            account.key_pressed()

    def keep(self) -> None:
        """Saves the text in compose as a draft, on disk unless that takes long; for an exit without `close`."""
        for account in self.live():
            account.keep()
        for account in self.live():
            account.session.drafts.flush_blocking()

    # opening

    def show_welcome(self, problem: str = "") -> None:
        """Shows the screen for users without an account, or whose account cannot be opened."""
        self._app.push_screen(WelcomeScreen(problem))

    async def load(self, path: Path) -> MainScreen | None:
        """The screen of an account, with its cached data; None if it cannot be opened, with the reason in `problem`."""
        account = await self._load(path)
        if account is None:
            self.problem = self._problems.pop(path)
            return None
        self.shown = account
        return account.show(app_of(self._app).config, at_home=not self._link)

    async def _load(self, path: Path) -> LiveAccount | None:
        """The account in a file, not live yet; None if it cannot be opened, with the reason in ``_problems``."""
        self._problems.pop(path, None)
        try:
            early, self._early = self._early, None
            self._open[path] = await LiveAccount.open(path, app_of(self._app).paths, early)
        except NarrowcastError as error:
            self._problems[path] = error.user_message
            return None
        except Exception as error:
            log.exception("the account cannot be opened")
            self._problems[path] = (
                f"Could not open the account ({type(error).__name__}). See the log for details."
            )
            return None
        return self._open[path]

    async def _open_as(self, path: Path) -> Path:
        """The file under which the account in ``path`` is open already, else ``path``."""
        with suppress(AccountError):
            account = await asyncio.to_thread(Account.from_zuliprc, path)
            for other in self._open.values():
                if account_files.is_same(other.session.account, account):
                    return other.file
        return path

    def go_live(self) -> None:
        """Connects the loaded account once the first frame is painted; then opens the others."""
        if self.shown is None:
            return
        link, self._link = self._link, ""
        self._begin(self.shown, link)
        self._app.call_after_refresh(self._show_extensions, self.shown)
        context = app_of(self._app)
        if not self._alone and context.config.accounts.open == "all" and self._is_stored(self.shown.file):
            context.spawn(self._open_others(self.shown), "open the other accounts")

    def _is_stored(self, file: Path) -> bool:
        return file.parent == app_of(self._app).paths.accounts

    def _begin(self, account: LiveAccount, link: str = "") -> None:
        account.go_live(self._app, link)
        self._frames.follow(account.session)
        self._app.call_after_refresh(self._begin_notices, account)
        self._app.call_after_refresh(self._begin_extensions, account)

    def _begin_notices(self, account: LiveAccount) -> None:
        """Starts notifications once the first frame is painted: none are needed before."""
        account.begin_notices(self._app, lambda: account.name if len(self._open) > 1 else "")
        if self._title is None and not self._app.is_headless and app_of(self._app).config.notifications.title:
            self._title = title_of(self._app, lambda: [one.session.state for one in self.live()])
        self._refresh()

    def _begin_extensions(self, account: LiveAccount) -> None:
        """Loads extensions once the first frame is painted, so that they do not delay the start."""
        if self._open.get(account.file) is account:
            self._extensions.begin(account)

    def _show_extensions(self, account: LiveAccount) -> None:
        """Shows what extensions add to the screen, once the screen is painted."""
        if self.shown is account:
            self._extensions.show(account)

    async def _open_others(self, first: LiveAccount) -> None:
        """Opens the others one by one, each once the previous one is live or late: the one on screen has priority."""
        await _live_or_late(first.session)
        for path in await asyncio.to_thread(self._stored):
            async with self._changing:
                if await self._open_as(path) in self._open:
                    continue
                account = await self._load(path)
                if account is not None:
                    self._begin(account)
                self._refresh()
            if account is not None:
                await _live_or_late(account.session)

    def _refresh(self) -> None:
        """Updates the window title and the rows of the other accounts after a change in any of them."""
        if self._title is not None:
            self._title.refresh()
        if self.screen is not None:
            self.screen.show_accounts()

    # switching accounts

    async def open(self, path: Path) -> None:
        """Shows the account with its cached data, then connects it; the one on screen keeps running in the
        background.

        If it is open already, it is opened again: after a login its key may be new.
        """
        before = await self._open_as(path)
        if self.shown is not None:  # in the background: it ends the screen that asks for it
            app_of(self._app).spawn(self._open_again(before, path), "open the account")
            return
        await self._close_behind(before)
        screen = await self.load(path)
        if screen is None:
            self.show_welcome(self.problem)
            return
        self.go_live()
        await self._app.push_screen(screen)

    async def _open_again(self, before: Path, path: Path) -> None:
        """Shows the account of ``path``, which is not open or open as ``before``."""
        async with self._changing:
            if before == self.file:
                await self._replace(path)
                return
            await self._close_behind(before)
        await self.switch(path)

    async def switch(self, path: Path, narrow: Narrow | None = None, anchor: int | str | None = None) -> None:
        """Shows the account of ``path``, with a view if one is given; changes nothing if it cannot be opened.

        The account on screen keeps running in the background, unless only one account is configured to be
        open.
        """
        with self.arrival.awaited():
            await self._switch(path, narrow, anchor)

    async def _switch(self, path: Path, narrow: Narrow | None, anchor: int | str | None) -> None:
        async with self._changing:
            leaving = self.shown
            if not await self._arrive(await self._open_as(path)):
                return
            if narrow is not None and self.screen is not None:
                self.screen.go(narrow, anchor)
            self.arrival.here()
            only_one = self._alone or app_of(self._app).config.accounts.open == "one"
            if leaving is not None and leaving is not self.shown and only_one:
                await self._close(leaving)

    async def _arrive(self, path: Path) -> bool:
        """Shows the account; returns False and shows the error if it cannot be opened."""
        if path == self.file:
            return True
        if path not in self._open and await self._load(path) is None:
            app_of(self._app).tell(self._problems[path], severity="error")
            self._refresh()
            return False
        await self._show(self._open[path])
        return True

    async def _show(self, account: LiveAccount) -> None:
        """Replaces the account on screen by another open one."""
        begun = account.begun
        old = self.screen
        if self.shown is not None:
            self.shown.hide()
            self._extensions.hide()
        self.shown = account
        await self._put_in_place(old, account.show(app_of(self._app).config))
        if not begun:
            self._begin(account)
        self._app.call_after_refresh(self._show_extensions, account)
        self._refresh()

    async def sign_out(self, path: Path | None = None) -> None:
        """Deletes a stored account and its key, by default the one on screen, which is replaced by another
        stored account, else by the welcome screen.

        Data that the server does not have, drafts and unsent messages, stays in the account's files for when
        it is added again.
        """
        path = path or self.file
        if path is None:
            return
        stored = self._is_stored(path)
        if stored:
            await asyncio.to_thread(account_files.remove, path)
        await asyncio.to_thread(screen_store.forget_all)
        self._problems.pop(path, None)
        async with self._changing:
            if path != self.file:
                await self._close_behind(path)
                return
            self.problem = (
                "" if stored else f"Logged out. The account file {path} is yours and was not deleted."
            )
            others = await asyncio.to_thread(self._stored)
            others.sort(key=lambda one: one not in self._open)
            await self._replace(others[0] if others and stored else None)
        if stored:
            app_of(self._app).tell(f"Logged out of {path.stem}.")

    async def reopen(self, path: Path) -> None:
        """Opens an account again, on screen or in the background, with the current content of its file, such
        as a new key; does nothing if it is no longer open.
        """
        async with self._changing:
            if path == self.file:
                await self._replace(path)
            elif path in self._open:
                await self._close(self._open[path])
                if (account := await self._load(path)) is not None:
                    self._begin(account)
                self._refresh()

    async def end(self, path: Path, reason: str) -> None:
        """Closes an account, which no longer exists, and shows the reason; on the welcome screen if it was on
        screen.
        """
        async with self._changing:
            if path == self.file:
                self.problem = reason
                await self._replace(None)
            else:
                await self._close_behind(path)
                app_of(self._app).tell(reason)

    async def _replace(self, path: Path | None) -> None:
        """Closes the account on screen and replaces it by that of ``path``, else by the welcome screen.

        Keys wait for it, and if it is the same account, they continue the text in compose.
        """
        old, shown = self.screen, self.shown
        writing = old.writing if old is not None and old.writing.has_focus_within else None
        with self.arrival.awaited():
            if old is not None:
                old.set_focus(None)  # if keys wait no longer, they enter no text that nothing saves
            if shown is not None:
                await self._close(shown)
            if path is not None and path in self._open:
                self.shown = self._open[path]
                await self._put_in_place(old, self.shown.show(app_of(self._app).config))
                self._app.call_after_refresh(self._show_extensions, self.shown)
                self._refresh()
                return
            screen = None if path is None else await self.load(path)
            await self._put_in_place(old, screen)
            if screen is None:
                return
            if writing is not None and account_files.is_same(writing.session.account, screen.session.account):
                screen.writing.begin.go_on(writing.draft.id)
            self.go_live()

    async def _put_in_place(self, old: MainScreen | None, screen: MainScreen | None) -> None:
        """Replaces ``old``, and everything above it, by ``screen``, else by the welcome screen."""
        app = self._app
        while old is not None and app.screen is not old and len(app.screen_stack) > 1:
            await app.pop_screen()
        mounted: Awaitable[object] | None = None
        if screen is None:
            self.show_welcome(self.problem)
        else:
            mounted = app.push_screen(screen)
        if old is not None:
            await remove_from_stack(old)
        if mounted is not None:
            await mounted

    # closing

    async def _close_behind(self, path: Path) -> None:
        """Closes an account that is not on screen, if it is open."""
        if path in self._open:
            await self._close(self._open[path])
        self._refresh()

    async def _close(self, account: LiveAccount) -> None:
        self._open.pop(account.file, None)
        if self.shown is account:
            self.shown = None
        await self._extensions.end(account)
        await account.close(CLOSE_SECONDS)
        account.screen = None

    async def close(self) -> None:
        """Saves unsent text and closes all accounts within a time limit."""
        await asyncio.gather(*(self._close(account) for account in self.live()))


async def _live_or_late(session: Session) -> None:
    """Waits until a session is live, for `NEXT_AFTER` seconds at most."""
    with suppress(TimeoutError):
        await asyncio.wait_for(until(session, lambda: session.is_live), NEXT_AFTER)
