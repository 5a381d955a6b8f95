"""Saves the screen for the next start: see `narrowcast.terminal.last_screen`."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from rich.console import Console

from narrowcast.terminal import last_screen
from narrowcast.terminal.cell_runs import Cell, colours_of, painted
from narrowcast.terminal.terminal_filter import TerminalFilter
from narrowcast_api.storage.folders import private_folder


def keep(
    arguments: Sequence[str],
    size: tuple[int, int],
    rows: Mapping[int, Sequence[Cell]],
    console: Console,
    mark: str,
) -> None:
    """Saves the screen for the next start with these arguments (0600). ``mark`` replaces the last row.

    Writes nothing if the arguments do not open an account. Raises OSError.
    """
    wanted = last_screen.signature(arguments, size)
    if wanted is None:
        return
    columns, height = size
    shown = {y: list(row[:columns]) for y, row in rows.items() if 0 <= y < height}
    if len(shown) != height:
        return
    looks = Counter(look for character, look in shown[height - 1] if character.strip())
    look = looks.most_common(1)[0][0] if looks else None
    shown[height - 1] = [(character, look) for character in mark[:columns].ljust(columns)]
    gate = TerminalFilter(colours=not os.environ.get("NO_COLOR"))
    paint = gate("".join(painted(y, row, colours_of(console)) for y, row in shown.items()) + "\x1b[m")
    path = Path(last_screen.path_for(arguments))
    private_folder(path.parent)
    content = last_screen.file_content(wanted, paint.encode())
    temporary = path.with_suffix(f".{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise


def forget_all() -> None:
    """Deletes all saved screens, such as after a logout."""
    shutil.rmtree(Path(last_screen.cache_folder()) / last_screen.FOLDER, ignore_errors=True)
