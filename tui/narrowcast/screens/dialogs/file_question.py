"""A question for a file: a path, completed with Tab."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

from textual.widget import Widget

from narrowcast.runtime.background import Latest
from narrowcast.screens.dialogs.ask import AskScreen
from narrowcast_api.storage.folders import expand_home

__all__ = ["file_question", "unreadable"]

SHOWN = 8


def file_question(
    title: str,
    *,
    does: str,
    note: str,
    placeholder: str = "path, for example ~/report.pdf",
    check: Callable[[Path], str] = lambda _: "",
) -> AskScreen:
    """A question whose answer is the path of an existing file, or empty. ``check``: returns the problem with the
    file, or an empty text; it reads only the beginning of the file.
    """

    def problem(path: str) -> str:
        if not path:
            return ""
        return _not_a_file(path) or check(Path(path))

    return AskScreen(
        title,
        placeholder=placeholder,
        notes=(note,) if note else (),
        does=does,
        read=_path,
        check=problem,
        completion=PathCompletion(),
    )


def _not_a_file(path: str) -> str:
    """Why there is no file at a path; empty if there is one."""
    try:
        mode = Path(path).stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return "File not found."
    except OSError as error:
        return unreadable(error)
    if stat.S_ISDIR(mode):
        return "This is a folder."
    return "" if stat.S_ISREG(mode) else "This is not a regular file."


def unreadable(error: OSError) -> str:
    """A message that a file cannot be read, and why."""
    return f"The file cannot be read: {error.strerror or error}."


def _path(typed: str) -> str:
    """The path that the user typed, without quotes and with ~ expanded."""
    return str(expand_home(typed.strip("'\""))) if typed else ""


class PathCompletion:
    """Completes a path as far as it is unambiguous, and lists the candidates."""

    widgets: Sequence[Widget] = ()

    def __init__(self) -> None:
        self._latest: Latest | None = None

    def typed(self, ask: AskScreen) -> None:
        """Does nothing: the disk is only read when the user asks for a completion."""

    def move(self, direction: int) -> bool:
        return False

    def complete(self, ask: AskScreen) -> None:
        if self._latest is None:
            self._latest = Latest(ask)
        self._latest.begin(self._complete(ask), "list the files")

    async def _complete(self, ask: AskScreen) -> None:
        typed = ask.editor.text
        paths = await asyncio.to_thread(candidates, typed)
        if not ask.is_attached or ask.editor.text != typed:
            return
        if not paths:
            ask.say("No matches.", "warn")
            return
        common = common_start(paths)
        if len(common) > len(typed):
            ask.editor.text = common
        shown = "  ".join(Path(name).name + ("/" if name.endswith("/") else "") for name in paths[:SHOWN])
        ask.say(shown + (" …" if len(paths) > SHOWN else "") if len(paths) > 1 else "")


def common_start(texts: list[str]) -> str:
    """The longest common prefix."""
    first, last = min(texts), max(texts)
    for place, character in enumerate(first):
        if last[place : place + 1] != character:
            return first[:place]
    return first


def candidates(typed: str) -> list[str]:
    """The paths that begin with ``typed``; folders end in a slash."""
    head, _, name = typed.rpartition("/")
    folder = expand_home(head + "/" if typed.startswith("/") or head else ".")
    prefix = f"{head}/" if "/" in typed else ""
    paths = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                hidden = entry.name.startswith(".") and not name.startswith(".")
                if entry.name.startswith(name) and not hidden:
                    paths.append(prefix + entry.name + ("/" if entry.is_dir() else ""))
    except OSError:
        return []
    return sorted(paths)
