"""What extensions need of the app that they are loaded into."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrowcast.app.config import Config
    from narrowcast.commands.command import Command

__all__ = ["HostApp"]


class HostApp(Protocol):
    """A part of `narrowcast.app.context.AppContext`, with keys that can be added to."""

    config: Config
    keys: dict[str, tuple[str, ...]]

    def tell(self, text: str, *, severity: str = "information", seconds: float | None = None) -> None:
        """Say something to the user. ``text`` may come from anywhere."""

    def add_commands(self, commands: Sequence[Command]) -> None:
        """The keys of these commands are heard from now on."""

    def spawn(self, work: Awaitable[object], what: str) -> asyncio.Task[None]:
        """Do ``work`` in the background. Whatever goes wrong is told to the user and logged."""
