"""Writing in an external editor while the account stays connected."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import sys
import tempfile
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from narrowcast_api.errors import InvalidInput

if TYPE_CHECKING:
    from textual.app import App


def editor_command(configured: str) -> list[str]:
    """The editor to run: the configuration's, $VISUAL, $EDITOR, or vi."""
    command = configured or os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InvalidInput(f"The editor command {command!r} cannot be read: {error}.") from error
    if not words:
        raise InvalidInput("No editor is set; give one in $EDITOR or as compose.editor in the configuration.")
    return words


@contextmanager
def kept_modes() -> Iterator[None]:
    """Restores the terminal's modes afterwards, even if a program was killed after it changed them."""
    if sys.__stdin__ is None or not sys.__stdin__.isatty():
        yield
        return
    fd = sys.__stdin__.fileno()
    modes = termios.tcgetattr(fd)
    try:
        yield
    finally:
        with suppress(termios.error, OSError):
            termios.tcsetattr(fd, termios.TCSANOW, modes)  # not TCSADRAIN: it waits for the reader


@contextmanager
def suspended(app: App[Any]) -> Iterator[None]:
    """Leaves the terminal to another program. `App.suspend` would not take it back after an error in the block."""
    failure: BaseException | None = None
    with app.suspend(), kept_modes():
        try:
            yield
        except BaseException as error:  # also a cancellation: the terminal is taken back first
            failure = error
    if failure is not None:
        raise failure


class Host(Protocol):
    """Stores the program that uses the terminal, so that it can be ended when the app ends."""

    external_program: asyncio.subprocess.Process | None


class Edited(NamedTuple):
    """The text that the editor saved last, and its exit status, which is not 0 if it failed or was told to fail."""

    text: str
    status: int


async def edit_externally(app: App[Any], host: Host, text: str, configured: str = "") -> Edited:
    """``text`` after editing. An editor that was killed counts as ended by the user.

    The file is in a private folder, which is deleted afterwards with everything that the editor put there.
    Raises InvalidInput if the editor cannot be started.
    """
    command = editor_command(configured)
    folder = Path(tempfile.mkdtemp(prefix="narrowcast-"))
    try:
        path = folder / "message.md"
        path.write_text(text, encoding="utf-8")
        with suspended(app):
            try:
                process = await asyncio.create_subprocess_exec(*command, str(path))
            except OSError as error:
                raise InvalidInput(f"{command[0]} cannot be started: {error.strerror}.") from error
            host.external_program = process
            try:
                code = await process.wait()
            finally:
                host.external_program = None
        try:
            written = await asyncio.to_thread(path.read_text, encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return Edited(text, max(code, 0))
        return Edited(written.rstrip("\n"), max(code, 0))
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
