"""Other programs that the app starts: the external editor, the browser, helper processes.

Writing in an external editor leaves the account connected. Links are opened only if they are http or https, without
a shell, never with a leading dash.

At the end of the app a task is cancelled again while it waits for the end of a process that it has killed, and
the end of the loop cancels all tasks. A process that nobody waits for keeps its pipes open, so a cancellation takes
effect once the process has ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import shutil
import sys
import tempfile
import termios
from asyncio.subprocess import Process
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from narrowcast_api.characters import has_unsafe
from narrowcast_api.errors import InvalidInput

if TYPE_CHECKING:
    from textual.app import App


__all__ = [
    "Edited",
    "ProgramHost",
    "checked",
    "edit_externally",
    "editor_command",
    "kept_modes",
    "kill",
    "open_link",
    "start",
    "suspended",
]


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


class ProgramHost(Protocol):
    """Stores the program that uses the terminal, so that it can be ended when the app ends."""

    external_program: asyncio.subprocess.Process | None


class Edited(NamedTuple):
    """The text that the editor saved last, and its exit status, which is not 0 if it failed or was told to fail."""

    text: str
    status: int


async def edit_externally(app: App[Any], host: ProgramHost, text: str, configured: str = "") -> Edited:
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


async def start(*command: str | Path, **options: Any) -> Process:
    """As `asyncio.create_subprocess_exec`. If this is cancelled, the process has been killed and has ended."""
    starting = asyncio.ensure_future(asyncio.create_subprocess_exec(*command, **options))
    cancelled: asyncio.CancelledError | None = None
    while not starting.done():
        try:
            await asyncio.wait([starting])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is None:
        return starting.result()
    if not starting.cancelled() and starting.exception() is None:
        await kill(starting.result())
    raise cancelled


async def kill(process: Process) -> None:
    """Kills the process if it runs, reads its output to the end and waits for it."""
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    cancelled: asyncio.CancelledError | None = None
    while True:
        try:
            await process.communicate()
            break
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled


def checked(url: str) -> str:
    """Returns ``url`` if it may be opened. Raises InvalidInput otherwise."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        host, parts = None, urlsplit("")
    if parts.scheme.lower() not in {"http", "https"} or not host:
        raise InvalidInput("Only http and https links are opened.")
    if " " in url or "\\" in url.split("?", 1)[0] or has_unsafe(url):
        raise InvalidInput(
            "The link has control characters, blanks, backslashes or hidden characters in it and is not opened."
        )
    return url


async def open_link(url: str) -> None:
    """Opens ``url`` with $BROWSER or the desktop's program. Raises InvalidInput if there is none."""
    url = checked(url)
    programs = [
        os.environ.get("BROWSER", "").split(":", 1)[0],
        "open" if sys.platform == "darwin" else "xdg-open",
    ]
    program = next((found for name in programs if name and (found := shutil.which(name))), None)
    if program is None:
        raise InvalidInput("No program to open links was found; set $BROWSER, or copy the link instead.")
    await asyncio.create_subprocess_exec(
        program,
        url,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
