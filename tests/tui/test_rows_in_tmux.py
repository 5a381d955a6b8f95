"""Rows keep their columns in tmux, which gives some letters other widths than the app does."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip

from narrowcast.terminal.screen_memory import ScreenMemory, WidgetRows

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

WIDTH = 60
NAMES = ["शिव", "கோபி", "ශ්‍රී", "বাংলা কী", "ที่ทำ", "ខ្មែរ", "မြန်မာ", "👩🏽\u200d🚀", "❤️", "Ada"]


@contextmanager
def tmux(folder: Path) -> Iterator[list[str]]:
    """The command of a tmux server of its own."""
    command = ["tmux", "-u", "-S", str(folder / "socket"), "-f", "/dev/null"]
    try:
        yield command
    finally:
        subprocess.run([*command, "kill-server"], check=False, capture_output=True)


def columns_from(sent: str, column: int, folder: Path, height: int) -> list[str]:
    """What tmux shows of each row from ``column`` (0 is the first) on, after ``sent``."""
    cut = "".join(f"\x1b[{y + 1};{column}H\x1b[1K" for y in range(height))
    (folder / "sent").write_text("\x1b[m" + sent + "\x1b[m" + cut)
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
    lines = shown.stdout.split("\n")[:height]
    assert all(line[:column].isspace() for line in lines)
    return [line[column:].rstrip() for line in lines]


def test_what_follows_a_name_stands_in_its_column(tmp_path: Path) -> None:
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
