"""Saves the screen for the next start, and reads the cells that `last_screen.show` painted."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from rich.console import Console
from rich.style import Style

from narrowcast.terminal import last_screen
from narrowcast.terminal.cell_runs import colours_of, painted
from narrowcast.terminal.joining_letters import Cell
from narrowcast.terminal.screen_memory import ScreenMemory
from narrowcast.terminal.terminal_filter import TerminalFilter
from narrowcast_api.storage.folders import private_folder


class _Run(msgspec.Struct, frozen=True, array_like=True):
    """Adjacent cells of one style; ``cells`` has '' in the right half of a wide character."""

    style: int
    cells: list[str] | str


class _Screen(msgspec.Struct, frozen=True, array_like=True):
    styles: list[str]
    rows: dict[int, list[_Run]]
    messages: bytes = b""


class Stored(msgspec.Struct, frozen=True):
    """A screen that was saved, as it is on the terminal now."""

    memory: ScreenMemory
    messages: bytes
    """What was saved about its message list; empty if nothing."""


def keep(
    arguments: Sequence[str],
    size: tuple[int, int],
    rows: Mapping[int, Sequence[Cell]],
    console: Console,
    mark: str,
    messages: bytes = b"",
) -> None:
    """Saves the screen for the next start with these arguments (0600). ``mark`` replaces the last row;
    ``messages`` is what `Stored` returns about the message list.

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
    paint = gate("".join(painted(y, row, colours_of(console)) for y, row in shown.items()) + "\x1b[0m")
    path = Path(last_screen.path_for(arguments))
    private_folder(path.parent)
    content = last_screen.file_content(wanted, paint.encode() + b"\x1b[m", _dump(shown, messages))
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


def stored(shown: last_screen.Shown) -> Stored:
    """What `keep` saved of the screen that is shown, read once: the same object each time.

    Without any rows if they cannot be read: everything is painted again then.
    """
    if not isinstance(shown.stored, Stored):
        shown.stored = _load(shown.cells)
    return shown.stored


def _load(data: bytes) -> Stored:
    try:
        screen = msgspec.msgpack.decode(data, type=_Screen)
        styles = [Style.parse(text) if text else None for text in screen.styles]
        rows = {
            y: [(character, styles[run.style]) for run in runs for character in run.cells]
            for y, runs in screen.rows.items()
        }
    except Exception:  # invalid for any reason
        return Stored(ScreenMemory(), b"")
    memory = ScreenMemory()
    memory.prime(rows, filter(None, styles))
    return Stored(memory, screen.messages)


def _dump(rows: Mapping[int, Sequence[Cell]], messages: bytes) -> bytes:
    styles: dict[Style | None, int] = {}
    found: dict[int, list[_Run]] = {}
    for y, row in rows.items():
        runs: list[tuple[int, list[str]]] = []
        for character, its_style in row:
            style = its_style.update_link(None) if its_style is not None and its_style.link else its_style
            number = styles.setdefault(style, len(styles))
            if runs and runs[-1][0] == number:
                runs[-1][1].append(character)
            else:
                runs.append((number, [character]))
        found[y] = [_Run(number, _joined(cells)) for number, cells in runs]
    names = ["" if style is None else str(style) for style in styles]
    return msgspec.msgpack.encode(_Screen(names, found, messages))


def _joined(cells: list[str]) -> list[str] | str:
    """A single string if each cell is one character, which is the usual case and takes a fifth of the space."""
    return "".join(cells) if all(len(cell) == 1 for cell in cells) else cells
