"""Which file to attach: a path, completed with Tab."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import ClassVar

from narrowcast.commands.hints import KeyHint
from narrowcast.screens.dialogs.ask import AskScreen
from narrowcast.widgets.one_line import OneLine

SHOWN = 8


class AttachScreen(AskScreen):
    """Gives back the path of a file that exists."""

    KEYS: ClassVar[tuple[KeyHint, ...]] = (("ask.complete", "completes"),)

    def __init__(self, limit_mib: int, *, title: str = "Upload file", does: str = "uploads") -> None:
        super().__init__(
            title,
            placeholder="path, for example ~/report.pdf",
            notes=(f"Maximum file size: {limit_mib} MB", "", ""),
            does=does,
        )

    def answer(self, text: str) -> None:
        """Only a file that can be read goes back."""
        path = Path(text.strip("'\"")).expanduser()
        if not text:
            self.dismiss(None)
        elif not path.is_file():
            self._say("File not found.", "bad")
        else:
            self.dismiss(str(path))

    def action_complete(self) -> None:
        self.run_worker(self._complete(), exclusive=True, exit_on_error=False)

    async def _complete(self) -> None:
        typed = self.editor.text
        found = await asyncio.to_thread(candidates, typed)
        if not found:
            self._say("No matches.", "warn")
            return
        common = common_start(found)
        if len(common) > len(typed):
            self.editor.text = common
        shown = "  ".join(Path(name).name + ("/" if name.endswith("/") else "") for name in found[:SHOWN])
        self._say(shown + (" …" if len(found) > SHOWN else "") if len(found) > 1 else "", "dim")

    def _say(self, text: str, look: str) -> None:
        self.query(OneLine).last().show_pieces([(text, look)])


def common_start(texts: list[str]) -> str:
    """The longest beginning that all of them share."""
    first, last = min(texts), max(texts)
    for place, character in enumerate(first):
        if last[place : place + 1] != character:
            return first[:place]
    return first


def candidates(typed: str) -> list[str]:
    """The paths that begin with ``typed``; folders end in a slash."""
    head, _, name = typed.rpartition("/")
    folder = Path(head + "/" if typed.startswith("/") or head else ".").expanduser()
    prefix = f"{head}/" if "/" in typed else ""
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                hidden = entry.name.startswith(".") and not name.startswith(".")
                if entry.name.startswith(name) and not hidden:
                    found.append(prefix + entry.name + ("/" if entry.is_dir() else ""))
    except OSError:
        return []
    return sorted(found)
