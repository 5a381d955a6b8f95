"""A question for a file: a path, completed with Tab."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from textual.widget import Widget

from narrowcast.app.background import Latest
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
        try:
            is_file = Path(path).is_file()
        except OSError as error:
            return unreadable(error)
        return check(Path(path)) if is_file else "File not found."

    return AskScreen(
        title,
        placeholder=placeholder,
        notes=(note,) if note else (),
        does=does,
        read=_path,
        check=problem,
        completion=PathCompletion(),
    )


def unreadable(error: OSError) -> str:
    """The problem with a file that cannot be read."""
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
