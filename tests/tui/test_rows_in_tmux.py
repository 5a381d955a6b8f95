"""Rows stay aligned in tmux, which gives some characters other widths than the app does."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip

from narrowcast.content.wrapping import Run, wrap
from narrowcast.terminal import cell_runs
from narrowcast.terminal.screen_memory import ScreenMemory, WidgetRows
from narrowcast.widgets.strips import compose_line

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

WIDTH = 60
_NUMBERS = count()
NAMES = ["शिव", "கோபி", "ශ්‍රී", "বাংলা কী", "ที่ทำ", "ខ្មែរ", "မြန်မာ", "👩🏽\u200d🚀", "❤️", "Ada"]


@contextmanager
def tmux(folder: Path) -> Iterator[list[str]]:
    """The command line of a separate tmux server; each call has a new socket, since one that ends may still
    hold its own.
    """
    command = ["tmux", "-u", "-S", str(folder / f"socket-{next(_NUMBERS)}"), "-f", "/dev/null"]
    try:
        yield command
    finally:
        subprocess.run([*command, "kill-server"], check=False, capture_output=True)


def columns_from(sent: str, column: int, folder: Path, height: int) -> list[str]:
    """What tmux shows of each row from ``column`` (counted from 0) on, after it has received ``sent``."""
    cut = "".join(f"\x1b[{y + 1};{column}H\x1b[1K" for y in range(height))
    lines = shown_by_tmux(sent + "\x1b[m" + cut, folder, height)
    assert all(line[:column].isspace() for line in lines)
    return [line[column:].rstrip() for line in lines]


def shown_by_tmux(sent: str, folder: Path, height: int) -> list[str]:
    """The rows that tmux shows after it has received ``sent``."""
    (folder / "sent").write_text("\x1b[m" + sent)
    env = {**os.environ, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
    with tmux(folder) as command:
        done = f"{' '.join(command)} wait-for -S done"
        show = f"stty -opost; cat {folder / 'sent'}; {done}; exec cat"
        size = ["-x", str(WIDTH), "-y", str(height + 2)]
        subprocess.run([*command, "new-session", "-d", *size, show], check=True, env=env, timeout=30)
        subprocess.run([*command, "wait-for", "done"], check=True, env=env, timeout=30)
        shown = subprocess.run(
            [*command, "capture-pane", "-p"], check=True, env=env, timeout=30, capture_output=True, text=True
        )
    return shown.stdout.split("\n")[:height]


def test_text_after_a_name_keeps_its_column(tmp_path: Path) -> None:
    style = Style(color="red")
    before = [Strip([Segment("x" * WIDTH, style)]) for _ in NAMES]
    rows = [
        Strip([Segment(f"{name} writes", style)]).adjust_cell_length(40, style).adjust_cell_length(40, style)
        for name in NAMES
    ]
    rows = [Strip([*row, Segment("12:05 pm│".ljust(WIDTH - 40), style)], WIDTH) for row in rows]
    memory = ScreenMemory()
    console = Console(force_terminal=True, color_system="standard", width=WIDTH)
    place = Region(0, 0, WIDTH, len(NAMES))
    sent = memory.of_rows(WidgetRows(place, dict(enumerate(before)), {}), console)
    sent += memory.of_rows(WidgetRows(place, dict(enumerate(rows)), {}), console)
    assert columns_from(sent, 40, tmp_path, len(NAMES)) == ["12:05 pm│"] * len(NAMES)


SENTENCE = "मैं आज की बैठक में शामिल नहीं हो पाऊँगा क्योंकि मुझे डॉक्टर के पास जाना है"


@pytest.mark.parametrize("is_known", [True, False], ids=["tmux is known", "any terminal"])
def test_no_letter_of_a_name_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_known: bool) -> None:
    monkeypatch.setattr(cell_runs, "in_tmux", lambda: is_known)
    style, other = Style(color="red"), Style(color="green")
    names = ["शिव कुमार", "கோபி", "বাংলা কী", "က်ာ မြန်မာ"]
    memory = ScreenMemory()
    console = Console(force_terminal=True, color_system="standard", width=WIDTH)
    place = Region(0, 0, WIDTH, len(names))
    rows = [
        Strip([Segment(name, style), Segment(" " * 20, other)]).adjust_cell_length(40, other)
        for name in names
    ]
    rows = [Strip([*row, Segment("12:05 pm│".ljust(WIDTH - 40), style)], WIDTH) for row in rows]
    sent = memory.of_rows(WidgetRows(place, dict(enumerate(rows)), {}), console)
    shown = shown_by_tmux(sent, tmp_path, len(names))
    assert [line.split("  ")[0] for line in shown] == names
    others = [Strip([Segment("Ada".ljust(40) + "12:05 pm│".ljust(WIDTH - 40), style)], WIDTH) for _ in names]
    sent += memory.of_rows(WidgetRows(place, dict(enumerate(others)), {}), console)
    shown = shown_by_tmux(sent, tmp_path, len(names))
    assert [line.split() for line in shown] == [["Ada", "12:05", "pm│"]] * len(names)


def test_in_tmux_a_cursor_and_text_keep_their_columns_after_joining_letters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cell_runs, "in_tmux", lambda: True)
    style, cursor = Style(color="red"), Style(reverse=True)
    rows = [
        Strip([Segment("शिव", style), Segment("_", cursor), Segment(" " * 20, style)]),
        Strip([Segment("@कोबी", style), Segment(": hello, ", cursor), Segment("शिव! ", style)]),
    ]
    rows = [Strip([*row.adjust_cell_length(WIDTH - 1, style), Segment("│", style)], WIDTH) for row in rows]
    console = Console(force_terminal=True, color_system="standard", width=WIDTH)
    update = WidgetRows(Region(0, 0, WIDTH, 2), dict(enumerate(rows)), {})
    shown = shown_by_tmux(ScreenMemory().of_rows(update, console), tmp_path, 2)
    assert [line.split("  ")[0] for line in shown] == ["शिव_", "@कोबी: hello, शिव!"]
    assert [line.rstrip()[-1] for line in shown] == ["│", "│"]


def test_a_sentence_is_broken_so_that_tmux_shows_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cell_runs, "in_tmux", lambda: True)
    style = Style(color="red")
    lines = list(wrap([Run(SENTENCE, style)], WIDTH - 2))
    rows = [
        Strip([Segment(run.text, run.style) for run in line.runs]).adjust_cell_length(WIDTH, style)
        for line in lines
    ]
    console = Console(force_terminal=True, color_system="standard", width=WIDTH)
    update = WidgetRows(Region(0, 0, WIDTH, len(rows)), dict(enumerate(rows)), {})
    shown = shown_by_tmux(ScreenMemory().of_rows(update, console), tmp_path, len(rows))
    assert " ".join(line.strip() for line in shown) == SENTENCE


@pytest.mark.parametrize("right", ["", "keys"])
def test_a_line_is_cut_so_that_tmux_shows_all_that_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, right: str
) -> None:
    monkeypatch.setattr(cell_runs, "in_tmux", lambda: True)
    style = Style(color="red")
    lefts = [[("शिव कुमार", style), (" · Narrowcast", style)], [(SENTENCE, style)]]
    memory, sent = ScreenMemory(), ""
    rows: list[Strip] = []
    console = Console(force_terminal=True, color_system="standard", width=WIDTH)
    for width in [*range(12, 30), WIDTH]:
        place = Region(0, len(rows), width, len(lefts))
        drawn = [compose_line(width, left, [(right, style)], base=style) for left in lefts]
        sent += memory.of_rows(WidgetRows(place, dict(enumerate(drawn)), {}), console)
        rows += drawn
    shown = shown_by_tmux(sent, tmp_path, len(rows))
    wholes = ["शिव कुमार · Narrowcast", SENTENCE] * (len(rows) // len(lefts))
    for line, row, whole in zip(shown, rows, wholes, strict=True):
        assert line.split() == row.text.split()
        assert whole.startswith(line.rstrip().removesuffix(right).rstrip().removesuffix("…"))


@pytest.mark.parametrize("newer", ["\U0001faf7", "\U0001fadf", "\U0001f6d8"])
def test_an_emoji_that_tmux_does_not_know_leaves_nothing_of_the_one_before(
    tmp_path: Path, newer: str
) -> None:
    style = Style(color="red")
    console = Console(force_terminal=True, color_system="standard", width=WIDTH)
    memory, sent = ScreenMemory(), ""
    for emoji in ("🎸", newer):
        row = Strip([Segment(f"{emoji} hand", style)]).adjust_cell_length(WIDTH, style)
        sent += memory.of_rows(WidgetRows(Region(0, 0, WIDTH, 1), {0: row}, {}), console)
    (shown,) = shown_by_tmux(sent, tmp_path, 1)
    assert "🎸" not in shown
    assert "hand" in shown
