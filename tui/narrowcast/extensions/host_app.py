"""What extensions need from the app that loads them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from textual.notifications import SeverityLevel

    from narrowcast.config.config import Config
    from narrowcast.keys.command import Command
    from narrowcast.runtime.context import AccountsContext
    from narrowcast.screens.workspace import Workspace
    from narrowcast.terminal.paths import Paths
    from narrowcast_api.sync.session import Session

__all__ = ["HostApp", "OpenAccount"]


class OpenAccount(Protocol):
    """An open account of the app; a subset of `narrowcast.app.live_account.LiveAccount`."""

    file: Path
    session: Session

    @property
    def name(self) -> str:
        """A name that distinguishes it from other accounts."""

    @property
    def screen(self) -> Workspace | None:
        """Its main screen; None while it is not shown."""


class HostApp(Protocol):
    """A subset of `narrowcast.runtime.context.AppContext`, with keys that can be added to."""

    config: Config
    paths: Paths
    keys: dict[str, tuple[str, ...]]

    @property
    def accounts(self) -> AccountsContext: ...

    def tell(
        self, text: str, *, severity: SeverityLevel = "information", seconds: float | None = None
    ) -> None:
        """Shows a notice to the user. ``text`` may come from anywhere."""

    def add_commands(self, commands: Sequence[Command]) -> None:
        """Activates the keys of these commands."""

    def spawn(self, work: Awaitable[object], what: str) -> asyncio.Task[None]:
        """Runs ``work`` in the background. Errors are shown to the user and logged."""
