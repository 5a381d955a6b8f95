"""Copying texts to the clipboard, showing those that cannot be copied, and reading the terminal's clipboard."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from narrowcast.screens.dialogs.copy_text import CopyTextScreen
from narrowcast.terminal.desktop_clipboard import is_asked, is_set_by_terminal, text_writers, write_text
from narrowcast.terminal.textual_reads import driver_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.app import App

__all__ = ["Copying"]

ANSWER_SECONDS = 5.0
"""Seconds that a terminal may take to tell what it has in its clipboard; some ask their user."""


@runtime_checkable
class AsksForClipboard(Protocol):
    """A driver that can ask the terminal for its clipboard."""

    def ask_for_clipboard(self) -> None: ...


class Copying:
    """``spawn`` runs work in the background."""

    def __init__(self, app: App[Any], spawn: Callable[[Awaitable[object], str], object]) -> None:
        self._app = app
        self._spawn = spawn
        self._writers: list[list[str]] = []
        self._by_terminal = is_set_by_terminal(os.environ)
        self._turn = asyncio.Lock()
        """Held while a text is written, so that what was copied last is what stays."""
        self._answer: asyncio.Future[bytes] | None = None
        """What the terminal is asked for; None if it is not."""

    async def prepare(self) -> None:
        """Looks for programs that write the clipboard."""
        self._writers = await asyncio.to_thread(text_writers, os.environ)

    def copy(self, text: str, copied: Callable[[], object]) -> None:
        """Copies a text, and calls ``copied`` when that has worked, as far as is known; if it is not possible, shows
        the text for the user to select.
        """
        self._app.copy_to_clipboard(text)
        if self._writers:
            self._spawn(self._write(text, copied), "copy")
        elif self._by_terminal:
            copied()
        else:
            self._show(text)

    async def _write(self, text: str, copied: Callable[[], object]) -> None:
        async with self._turn:
            is_written = await write_text(self._writers, text)
        if is_written or self._by_terminal:
            copied()
        else:
            self._show(text)

    async def read(self) -> bytes | None:
        """The clipboard of the terminal, also over SSH; None if it does not tell in time."""
        driver = driver_of(self._app)
        if self._answer is not None or not isinstance(driver, AsksForClipboard) or not is_asked(os.environ):
            return None
        self._answer = asyncio.get_running_loop().create_future()
        try:
            driver.ask_for_clipboard()
            return await asyncio.wait_for(self._answer, ANSWER_SECONDS)
        except TimeoutError:
            return None
        finally:
            self._answer = None

    def answered(self, content: bytes) -> None:
        """The terminal tells its clipboard; ignored unless it was asked."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(content)

    def _show(self, text: str) -> None:
        self._app.push_screen(CopyTextScreen(text))
