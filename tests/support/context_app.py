"""An app of no account for widgets that tell their user something or work in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from textual.app import App

from narrowcast.app.background import Background


class ContextApp(App[None]):
    """Of `AppContext` what a single widget needs. ``told``: what it told its user, newest last."""

    accounts = None

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []
        self._background = Background(self.tell)

    def tell(self, text: str, *, severity: str = "information", seconds: float | None = None) -> None:
        self.told.append(text)

    def refuse(self, text: str) -> bool:
        if text:
            self.told.append(text)
        return bool(text)

    def spawn(self, work: Awaitable[object], what: str) -> asyncio.Task[None]:
        return self._background.spawn(work, what)
