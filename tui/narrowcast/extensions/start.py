"""The extensions of the app from its start on: none is loaded before the first frame."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from narrowcast.extensions.host import ExtensionHost
from narrowcast.extensions.loading import load_all
from narrowcast.extensions.search import has_extensions
from narrowcast.runtime.background import until

if TYPE_CHECKING:
    from narrowcast.content.blocks import Document
    from narrowcast.extend.values import Offer
    from narrowcast.extensions.host_app import HostApp, OpenAccount
    from narrowcast.extensions.settings import ExtensionSettings

__all__ = ["Extensions"]

P = ParamSpec("P")
T = TypeVar("T")


async def _in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs a function that never raises in a daemon thread, for which the app's exit does not wait, and
    returns its result.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def tell(result: T) -> None:
        if not future.done():
            future.set_result(result)

    def work() -> None:
        result = function(*args, **kwargs)
        with suppress(RuntimeError):  # the loop has ended by now
            loop.call_soon_threadsafe(tell, result)

    threading.Thread(target=work, daemon=True, name="load extensions").start()
    return await future


class Extensions:
    """See `narrowcast.runtime.context.ExtensionsContext`. ``folder``: where their files are; None: none are loaded.

    ``host`` holds the loaded extensions.
    """

    def __init__(self, app: HostApp, folder: Path | None) -> None:
        self._app = app
        self._folder = folder
        self._loading: asyncio.Task[None] | None = None
        self._working: dict[OpenAccount, asyncio.Task[None]] = {}
        """The tasks that start the extensions for each live account."""
        self._shown: OpenAccount | None = None
        self.host: ExtensionHost | None = None

    def begin(self, account: OpenAccount) -> None:
        """Loads the extensions if necessary, and starts them for an account that is live."""
        if self._folder is None or account in self._working:
            return
        if self._loading is None:
            self._loading = self._app.spawn(self._load(self._folder), "load the extensions")
        self._working[account] = self._app.spawn(self._work_for(account), "start the extensions")

    async def _load(self, folder: Path) -> None:
        if not await asyncio.to_thread(has_extensions, folder):
            return
        found = await _in_thread(load_all, folder, self._app.config.extensions)
        self.host = ExtensionHost(self._app, found)
        self._app.add_commands(self.host.add_commands())
        if self._shown is not None:
            self.host.show(self._shown)

    async def _work_for(self, account: OpenAccount) -> None:
        """Starts the extensions for an account, once they are loaded and the current user is known."""
        if self._loading is not None:
            await asyncio.shield(self._loading)
        if self.host is not None:
            session = account.session
            await until(session, lambda: session.state.users.get(session.state.me) is not None)
            self.host.attach(account)

    async def end(self, account: OpenAccount) -> None:
        """Stops the extensions for an account that is being closed."""
        if (working := self._working.pop(account, None)) is not None:
            working.cancel()
        if account is self._shown:
            self.hide()
        if self.host is not None:
            await self.host.detach(account)

    def show(self, account: OpenAccount) -> None:
        """Shows what extensions add for the account, which is on the screen now."""
        self._shown = account
        if self.host is not None:
            self.host.show(account)

    def hide(self) -> None:
        """Stops showing what extensions add: no account is on the screen."""
        self._shown = None
        if self.host is not None:
            self.host.hide()

    def close(self) -> None:
        if self.host is not None:
            self.host.close()

    # queried by panes and screens

    @property
    def settings(self) -> ExtensionSettings | None:
        """The settings of the extensions; None if none are loaded."""
        return self.host.settings if self.host is not None else None

    @property
    def cards(self) -> Callable[[Document], Document] | None:
        """Adds the extensions' cards to a message; None if no extension makes cards."""
        return self.host.cards if self.host is not None and self.host.has_cards else None

    def segments(self) -> Sequence[str]:
        """The extensions' segments of the status line; safe to show."""
        return self.host.segments() if self.host is not None else ()

    @property
    def slash_commands(self) -> Sequence[tuple[str, str]]:
        """The word of each slash command, and its description."""
        return self.host.slash_commands if self.host is not None else ()

    def offers(self, line: str) -> tuple[int, Sequence[Offer]] | None:
        """Completions for the end of the current line in compose: the start of the text that they replace, and the
        offers.
        """
        return self.host.offers(line) if self.host is not None else None

    def slash(self, content: str, done: Callable[[str | None], None]) -> bool:
        """Runs the slash command at the beginning of a text; returns whether there is one."""
        return self.host is not None and self.host.slash(content, done)
