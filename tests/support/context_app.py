"""An app without an account, for widgets that show notices or start background work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from narrowcast.commands.run import AppWithCommands
from narrowcast.runtime.background import could_not
from narrowcast.runtime.looking import Looking
from narrowcast_api.tasks import Tasks
from support.themed_app import ThemedApp


class NoAccounts:
    """No account is on the screen."""

    screen = None


class ContextApp(ThemedApp, AppWithCommands[None]):
    """The part of `AppContext` that a single widget needs. ``told``: the notices shown, newest last."""

    accounts = NoAccounts()

    def __init__(self) -> None:
        super().__init__()
        self.looking = Looking()
        self.looking.key_pressed()
        self.told: list[str] = []
        self._tasks = Tasks(lambda what, error: self.tell(could_not(what, error)))

    def tell(self, text: str, *, severity: str = "information", seconds: float | None = None) -> None:
        self.told.append(text)

    def refuse(self, text: str) -> bool:
        if text:
            self.told.append(text)
        return bool(text)

    def copy(self, text: str) -> bool:
        self.copy_to_clipboard(text)
        return True

    def spawn(self, work: Awaitable[object], what: str) -> asyncio.Task[None]:
        return self._tasks.start(work, what)
