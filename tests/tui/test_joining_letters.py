"""Indic scripts in a terminal that shapes them: combining marks take no column of their own there."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip

from narrowcast.terminal import cell_runs
from narrowcast.terminal.screen_memory import ScreenMemory, WidgetRows
from narrowcast.text.columns import most_columns
from support.properties import examples

WIDTH = 30
STYLES = [Style(), Style(color="red"), Style(reverse=True)]
WORDS = ["शिव", "कुमार", "கோபி", "বাংলা", "Ada", "  ", "x", " · ", "     ", "界"]
ROW = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(STYLES)), min_size=1, max_size=8)
CONSOLE = Console(force_terminal=True, color_system="standard", width=WIDTH)
_PIECE = re.compile(r"\x1b\[(?P<count>[0-9;]*)(?P<final>[A-Za-z])|(?P<character>.)", re.DOTALL)


class ShapingTerminal:
    """One row of a terminal that supports only the sequences which the app writes within rows."""

    def __init__(self) -> None:
        self.columns = [" "] * (2 * WIDTH)
        self._at = 0

    @property
    def text(self) -> str:
        return "".join(self.columns[:WIDTH]).rstrip()

    def feed(self, sent: str) -> None:
        for piece in _PIECE.finditer(sent):
            if (character := piece["character"]) is not None:
                self._put(character)
                continue
            count = int(piece["count"].rpartition(";")[2] or 1) if piece["final"] in "HGCX" else 0
            match piece["final"]:
                case "H" | "G":
                    self._at = count - 1
                case "C":
                    self._at += count
                case "X":
                    self.columns[self._at : self._at + count] = [" "] * count
                case final:
                    assert final == "m"

    def _put(self, character: str) -> None:
        if unicodedata.category(character) in ("Mn", "Mc", "Me", "Cf"):
            place = self._at - 1
            while not self.columns[place]:
                place -= 1
            self.columns[place] += character
            return
        wide = cell_len(character)
        self.columns[self._at : self._at + wide] = [character, *[""] * (wide - 1)]
        self._at += wide


@examples(200)
@given(st.lists(ROW, min_size=1, max_size=5))
def test_rows_are_unchanged_where_marks_take_no_column(
    rows: list[list[tuple[str, Style]]],
) -> None:
    memory, terminal = ScreenMemory(), ShapingTerminal()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cell_runs, "in_tmux", lambda: False)
        for row in rows:
            strip = Strip([Segment(text, style) for text, style in row]).adjust_cell_length(WIDTH, Style())
            terminal.feed(memory.of_rows(WidgetRows(Region(0, 0, WIDTH, 1), {0: strip}, {}), CONSOLE))
            assert terminal.text == strip.text.rstrip()


@pytest.mark.parametrize(
    ("text", "columns"), [("शिव", 3), ("க்", 1), ("Ada", 3), ("界", 2), ("ที่ทำ", 3), ("Ada शि", 6)]
)
def test_marks_beside_a_letter_may_take_a_column_and_those_above_none(text: str, columns: int) -> None:
    assert most_columns(text) == columns
