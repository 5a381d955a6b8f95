"""The everyday tasks of docs/tasks.md, as the page has them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "tasks.md"
_ROW = re.compile(r"^\| (?P<name>.+) \| (?P<app>.+) \| (?P<line>.+) \|$", re.MULTILINE)
_WAY = re.compile(r"`Ctrl-p` \*(?P<command>[^*]+)\*|`(?P<key>[^`]+)`")
PALETTE = "Ctrl-p "
"""What the name of a command of the palette follows in a way."""


@dataclass(frozen=True)
class Task:
    """A row of the page: the task, how to do it in the app, and how on the command line; "" where it has no way."""

    name: str
    app: str
    line: str

    @property
    def ways(self) -> list[str]:
        """What is to be pressed in the app: a key as it is shown to users, or `PALETTE` and the name of a command."""
        return [
            PALETTE + found["command"] if found["command"] else found["key"]
            for found in _WAY.finditer(self.app)
        ]


def tasks() -> dict[str, Task]:
    """Returns all tasks of the page by their names."""
    text = PAGE.read_text(encoding="utf-8").replace(r"\|", "\0")
    rows = [
        Task(*(found[part].replace("\0", "|").removeprefix("–") for part in ("name", "app", "line")))
        for found in _ROW.finditer(text)
    ]
    return {task.name: task for task in rows if task.name not in ("Task", "---")}
