"""Copying texts to the clipboard, and showing those that cannot be copied."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

from narrowcast.screens.dialogs.copy_text import CopyTextScreen
from narrowcast.terminal.desktop_clipboard import is_set_by_terminal, text_writer, write_text

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.app import App

__all__ = ["Copying"]


class Copying:
    """``spawn`` runs work in the background."""

    def __init__(self, app: App[Any], spawn: Callable[[Awaitable[object], str], object]) -> None:
        self._app = app
        self._spawn = spawn
        self._writer: list[str] = []
        self._by_terminal = is_set_by_terminal(os.environ)

    async def prepare(self) -> None:
        """Looks for a program that writes the clipboard."""
        self._writer = await asyncio.to_thread(text_writer, os.environ)

    def copy(self, text: str) -> bool:
        """Copies a text; if that is not possible, shows it for the user to select, and returns False."""
        self._app.copy_to_clipboard(text)
        if self._writer:
            self._spawn(self._write(text), "copy")
        elif not self._by_terminal:
            self._show(text)
        return bool(self._writer) or self._by_terminal

    async def _write(self, text: str) -> None:
        if not await write_text(self._writer, text) and not self._by_terminal:
            self._show(text)

    def _show(self, text: str) -> None:
        self._app.push_screen(CopyTextScreen(text))
