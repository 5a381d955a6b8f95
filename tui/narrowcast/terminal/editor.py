"""Writing in the user's own editor while the account stays live."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

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
    """The terminal's modes as they were, whatever a program did that was ended in the middle."""
    if sys.platform == "win32" or sys.__stdin__ is None or not sys.__stdin__.isatty():
        yield
        return
    import termios

    fd = sys.__stdin__.fileno()
    modes = termios.tcgetattr(fd)
    try:
        yield
    finally:
        with suppress(termios.error, OSError):
            termios.tcsetattr(fd, termios.TCSANOW, modes)  # not TCSADRAIN: it waits until somebody reads


class Host(Protocol):
    """Knows which program has the terminal, to end it when the app ends."""

    outside: asyncio.subprocess.Process | None


async def edit_outside(app: App[Any], host: Host, text: str, configured: str = "") -> str | None:
    """``text`` as the editor left it; None if the editor failed. Of one that was killed, what it saved last is taken.

    The file has a private folder, which is removed afterwards with all that the editor put beside the file. Raises
    InvalidInput where there is no such editor.
    """
    command = editor_command(configured)
    folder = Path(tempfile.mkdtemp(prefix="narrowcast-"))
    try:
        path = folder / "message.md"
        path.write_text(text, encoding="utf-8")
        with app.suspend(), kept_modes():
            try:
                process = await asyncio.create_subprocess_exec(*command, str(path))
            except OSError as error:
                raise InvalidInput(f"{command[0]} cannot be started: {error.strerror}.") from error
            host.outside = process
            try:
                code = await process.wait()
            finally:
                host.outside = None
        if code > 0:
            return None
        written = await asyncio.to_thread(path.read_text, encoding="utf-8", errors="replace")
        return written.rstrip("\n")
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
