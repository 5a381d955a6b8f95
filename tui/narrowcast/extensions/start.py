"""The extensions of the app from its start on: nothing is loaded, and little imported, before the first frame."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from narrowcast.commands.workspace import Workspace
    from narrowcast.content.blocks import Document
    from narrowcast.extend.values import Offer
    from narrowcast.extensions.host import Host
    from narrowcast.extensions.host_app import HostApp
    from narrowcast.extensions.settings import ExtensionSettings
    from narrowcast_api.sync.session import Session

__all__ = ["Extensions"]

P = ParamSpec("P")
T = TypeVar("T")


async def _in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What a function that never raises gives back, from a thread that the end of the app does not wait for."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def tell(result: T) -> None:
        if not answer.done():
            answer.set_result(result)

    def work() -> None:
        result = function(*args, **kwargs)
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(tell, result)

    threading.Thread(target=work, daemon=True, name="load extensions").start()
    return await answer


class Extensions:
    """See `narrowcast.app.context.ExtensionsContext`. ``folder``: where their files are; None: none are loaded.

    ``host`` holds those that are loaded.
    """

    def __init__(self, app: HostApp, folder: Path | None) -> None:
        self._app = app
        self._folder = folder
        self._account: tuple[Session, Workspace] | None = None
        self._changed = asyncio.Event()
        """Set when something of the account that is waited for changes, or when it goes."""
        self.host: Host | None = None

    def begin(self, session: Session, screen: Workspace) -> None:
        """An account is on the screen: load them if that was not done, and put them to work."""
        self._account = (session, screen)
        if self.host is not None:
            self._app.spawn(self._attach(self.host), "begin with the extensions")
        elif self._folder is not None:
            self._app.spawn(self._load(self._folder), "load the extensions")

    async def _load(self, folder: Path) -> None:
        from narrowcast.extensions.search import are_there

        if not await asyncio.to_thread(are_there, folder):
            return
        from narrowcast.extensions.host import Host
        from narrowcast.extensions.loading import load_all

        found = await _in_thread(load_all, folder, self._app.config.extensions)
        if self.host is not None:
            return  # two accounts were opened meanwhile
        self.host = Host(self._app, found)
        self._app.add_commands(self.host.add_commands())
        await self._attach(self.host)

    async def _attach(self, host: Host) -> None:
        """Put them to work for the account on the screen, as soon as it is known whose it is."""
        if (account := self._account) is None:
            return
        session, screen = account
        unsubscribe = session.subscribe(lambda _: self._changed.set())
        try:
            while self._account is account and session.state.users.get(session.state.me) is None:
                self._changed.clear()
                await self._changed.wait()
        finally:
            unsubscribe()
        if self._account is account:
            host.attach(session, screen)

    async def end(self) -> None:
        """The account goes: nothing of it is used any more."""
        self._account = None
        self._changed.set()
        if self.host is not None:
            await self.host.detach()

    def close(self) -> None:
        """The app ends."""
        if self.host is not None:
            self.host.close()

    # what panes and screens ask

    @property
    def settings(self) -> ExtensionSettings | None:
        """Their settings; None where none are loaded."""
        return self.host.settings if self.host is not None else None

    @property
    def cards(self) -> Callable[[Document], Document] | None:
        """Puts their cards into a message; None where there are none."""
        return self.host.cards if self.host is not None and self.host.has_cards else None

    def segments(self) -> Sequence[str]:
        """What they add to the status line; safe to show."""
        return self.host.segments() if self.host is not None else ()

    @property
    def slash_commands(self) -> Sequence[tuple[str, str]]:
        """The word of each slash command, and what it is for."""
        return self.host.slash_commands if self.host is not None else ()

    def offers(self, line: str) -> tuple[int, Sequence[Offer]] | None:
        """Completions for the end of the line that is being written: where what they replace begins, and they."""
        return self.host.offers(line) if self.host is not None else None

    def slash(self, content: str, done: Callable[[str | None], None]) -> bool:
        """Run the slash command that a text begins with; whether there is one."""
        return self.host is not None and self.host.slash(content, done)
