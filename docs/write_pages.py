"""Writes the pages that are generated from the code: ``python docs/write_pages.py`` (``--check`` only
compares).

Keys, settings, the command line with its manual page, the JSON output of commands, and the API's errors,
levels and operations. A test fails if one of them is out of date.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from generate import api, command_line, commands, json_output, settings

DOCS = Path(__file__).parent
MADE = "<!-- Made by docs/write_pages.py from the code. -->\n\n"


def pages() -> dict[str, str]:
    """The text of each generated page by its path below ``docs/``."""
    makers: dict[str, Callable[[], str]] = {
        "keys.md": commands.key_page,
        "offline.md": commands.offline_page,
        "tasks.md": commands.task_page,
        "settings.md": settings.page,
        "command-line.md": command_line.page,
        "json.md": json_output.page,
        "api/errors.md": api.error_page,
        "api/levels.md": api.level_page,
        "api/operations.md": api.operation_page,
    }
    return {
        **{name: MADE + make().rstrip("\n") + "\n" for name, make in makers.items()},
        "narrowcast.1": command_line.manual_page(),
        "json.schema.json": json_output.schema(),
    }


def stale() -> list[str]:
    """The names of the pages that are out of date."""
    return [
        name
        for name, text in pages().items()
        if not (DOCS / name).exists() or (DOCS / name).read_text(encoding="utf-8") != text
    ]


def main(arguments: list[str]) -> int:
    """Writes the pages; with ``--check``, lists those that are out of date instead. Returns 0, or 1 if there
    are any.
    """
    if "--check" in arguments:
        names = stale()
        sys.stdout.writelines(f"stale: docs/{name}\n" for name in names)
        return 1 if names else 0
    for name, text in pages().items():
        (DOCS / name).parent.mkdir(exist_ok=True)
        (DOCS / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
