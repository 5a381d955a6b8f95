"""After a suspension every cell is as before, whatever happened to the terminal meanwhile."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest
from pyte.screens import Char

from support.terminal import Terminal, home, narrowcast

from .conftest import OpenApp, Served

SIZE = (100, 30)
OTHER = (84, 26)


def look(cell: Char) -> Char:
    """A cell as it looks: weight and slope of a space cannot be seen, nor its colour without a line."""
    if cell.data.strip():
        return cell
    has_line = cell.underscore or cell.strikethrough or cell.reverse
    return cell._replace(bold=False, italics=False, blink=False, fg=cell.fg if has_line else "")


def cells(terminal: Terminal) -> dict[tuple[int, int], Char]:
    """Every cell of the screen, by row and column."""
    screen = terminal.screen
    places = product(range(screen.lines), range(screen.columns))
    return {(y, x): look(screen.buffer[y][x]) for y, x in places}


def differing(one: dict[tuple[int, int], Char], other: dict[tuple[int, int], Char]) -> Sequence[object]:
    """The cells that differ, at most some of them."""
    places = sorted(one.keys() | other.keys())
    return [
        (place, one.get(place), other.get(place)) for place in places if one.get(place) != other.get(place)
    ][:9]


def right_cells(terminal: Terminal) -> dict[tuple[int, int], Char]:
    """Every cell after everything was drawn again."""
    terminal.press("ctrl+l")
    terminal.settle(quiet=0.5)
    return cells(terminal)


def open_settled(served: Served, open_app: OpenApp) -> Terminal:
    terminal = open_app(served.rc("ada"), size=SIZE)
    terminal.settle(quiet=0.5)
    return terminal


def suspend(terminal: Terminal, how: str = "ctrl+z") -> None:
    """Suspends the app by its key, or by the signal, since in fields the key undoes."""
    if how.startswith("ctrl+z"):
        terminal.press("ctrl+z")
    else:
        terminal.signal(signal.SIGTSTP)
    terminal.wait_stopped()
    assert "● live" not in terminal.text


@pytest.mark.parametrize("how", ["ctrl+z", "ctrl+z in a dialog", "signal"])
def test_after_a_suspension_every_cell_is_as_before(served: Served, open_app: OpenApp, how: str) -> None:
    terminal = open_settled(served, open_app)
    if how == "signal":
        terminal.press("?")
        terminal.wait_for("Esc")
        terminal.settle(quiet=0.5)
    if how == "ctrl+z in a dialog":
        terminal.press("I")
        terminal.wait_for("Esc")
        terminal.settle(quiet=0.5)
    before = cells(terminal)
    for _ in range(3):
        suspend(terminal, how)
        terminal.signal(signal.SIGCONT)
        terminal.wait_for("● live")
        terminal.settle(quiet=0.5)
        assert differing(cells(terminal), before) == []


def test_the_key_suspends_the_program_that_waits_for_the_app_too(served: Served, tmp_path: Path) -> None:
    """As make in `make demo`: the shell gets the terminal when the whole job has stopped."""
    command = shlex.join(["sh", "-c", '"$@"; exit $?', "sh", *narrowcast("--rc", str(served.rc("ada")))])
    env = {**home(tmp_path), "PS1": "ready> "}
    with Terminal(["sh", "-i"], env=env, size=SIZE) as terminal:
        terminal.wait_for("ready>")
        terminal.send(f"{command}\r".encode())
        for _ in range(2):
            terminal.wait_for("● live")
            terminal.settle(quiet=0.5)
            terminal.press("ctrl+z")
            terminal.wait_for("Stopped")
            terminal.send(b"clear; fg\r")
        terminal.wait_for("● live")
        terminal.settle(quiet=0.5)
        terminal.press("ctrl+q")
        terminal.wait_gone("● live")
        terminal.send(b"exit\r")
        assert terminal.wait_end() == 0


def test_after_a_continue_signal_without_a_suspension_every_cell_is_as_before(
    served: Served, open_app: OpenApp
) -> None:
    terminal = open_settled(served, open_app)
    before = cells(terminal)
    for number in (signal.SIGCONT, signal.SIGSTOP):
        terminal.output.clear()
        terminal.signal(number)
        terminal.signal(signal.SIGCONT)
        terminal.wait_until(lambda: b"\x1b[?1049h" in terminal.output, "the alternate screen is taken again")
        terminal.wait_for("● live")
        terminal.settle(quiet=0.5)
        assert differing(cells(terminal), before) == []


@pytest.mark.parametrize("moment", ["before", "while stopped", "after"])
def test_a_resize_around_a_suspension_is_followed(served: Served, open_app: OpenApp, moment: str) -> None:
    terminal = open_settled(served, open_app)
    for size in (OTHER, SIZE, OTHER):
        if moment == "before":
            terminal.resize(*size)
        suspend(terminal)
        if moment == "while stopped":
            terminal.resize(*size)
        terminal.signal(signal.SIGCONT)
        if moment == "after":
            terminal.resize(*size)
        terminal.wait_for("● live")
        terminal.settle(quiet=0.5)
        seen = cells(terminal)
        assert len(seen) == size[0] * size[1]
        assert differing(seen, right_cells(terminal)) == []
