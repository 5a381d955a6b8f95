"""What extensions need of the app that they are loaded into."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from narrowcast.app.config import Config
    from narrowcast.app.context import AccountsContext
    from narrowcast.commands.command import Command
    from narrowcast.commands.workspace import Workspace
    from narrowcast.terminal.paths import Paths
    from narrowcast_api.sync.session import Session

__all__ = ["HostApp", "OpenAccount"]


class OpenAccount(Protocol):
    """An account that is open in the app; a part of `narrowcast.app.live_account.LiveAccount`."""

    file: Path
    session: Session

    @property
    def name(self) -> str:
        """What it is called where there are several."""

    @property
    def screen(self) -> Workspace | None:
        """Its main screen while it is shown."""


class HostApp(Protocol):
    """A part of `narrowcast.app.context.AppContext`, with keys that can be added to."""

    config: Config
    paths: Paths
    keys: dict[str, tuple[str, ...]]

    @property
    def accounts(self) -> AccountsContext: ...

    def tell(self, text: str, *, severity: str = "information", seconds: float | None = None) -> None:
        """Say something to the user. ``text`` may come from anywhere."""

    def add_commands(self, commands: Sequence[Command]) -> None:
        """The keys of these commands are heard from now on."""

    def spawn(self, work: Awaitable[object], what: str) -> asyncio.Task[None]:
        """Do ``work`` in the background. Whatever goes wrong is told to the user and logged."""
