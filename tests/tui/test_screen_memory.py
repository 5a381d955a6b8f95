"""Sending only what differs shows the same screen as sending everything."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from narrowcast.terminal.screen_memory import ScreenMemory
from support.exploring import examples

WIDTH, HEIGHT = 12, 4
STYLES = [Style(), Style(bold=True), Style(color="red"), Style(reverse=True, meta={"offset": (3, 4)})]
ROWS = st.lists(
    st.tuples(st.text(st.sampled_from("ab 界é"), max_size=5), st.sampled_from(STYLES)), min_size=1, max_size=4
)
SCREENS = st.lists(ROWS, min_size=HEIGHT, max_size=HEIGHT)
CONSOLE = Console(force_terminal=True, color_system="standard", width=WIDTH)


def strip_of(row: list[tuple[str, Style]]) -> Strip:
    strip = Strip([Segment(text, style) for text, style in row])
    return strip.adjust_cell_length(WIDTH, Style())


def fresh_terminal() -> tuple[pyte.Screen, pyte.Stream]:
    screen = pyte.Screen(WIDTH, HEIGHT)
    return screen, pyte.Stream(screen)


def cells(screen: pyte.Screen) -> list[list[tuple[str, str, bool, bool]]]:
    return [
        [
            (cell.data, cell.fg, cell.bold, cell.reverse)
            for cell in (screen.buffer[y][x] for x in range(WIDTH))
        ]
        for y in range(HEIGHT)
    ]


@examples(150)
@given(st.lists(SCREENS, min_size=2, max_size=5))
def test_whole_screens_sent_as_differences_look_the_same(
    screens: list[list[list[tuple[str, Style]]]],
) -> None:
    memory = ScreenMemory()
    lean_screen, lean = fresh_terminal()
    for rows in screens:
        update = LayoutUpdate([[strip_of(row)] for row in rows], Region(0, 0, WIDTH, HEIGHT))
        lean.feed(memory.of_layout(update, CONSOLE))
    full_screen, full = fresh_terminal()
    last = LayoutUpdate([[strip_of(row)] for row in screens[-1]], Region(0, 0, WIDTH, HEIGHT))
    full.feed(last.render_segments(CONSOLE).replace("\n", ""))
    assert cells(lean_screen) == cells(full_screen)


def test_an_update_that_changes_nothing_sends_nothing() -> None:
    memory = ScreenMemory()
    rows: list[Iterable[Strip]] = [[strip_of([("hello", Style())])] for _ in range(HEIGHT)]
    assert memory.of_layout(LayoutUpdate(rows, Region(0, 0, WIDTH, HEIGHT)), CONSOLE)
    assert memory.of_layout(LayoutUpdate(rows, Region(0, 0, WIDTH, HEIGHT)), CONSOLE) == ""


def test_a_span_sends_its_own_columns_and_no_others() -> None:
    memory = ScreenMemory()
    rows: list[Iterable[Strip]] = [[strip_of([("aaaaaaaaaaaa", Style())])] for _ in range(HEIGHT)]
    memory.of_layout(LayoutUpdate(rows, Region(0, 0, WIDTH, HEIGHT)), CONSOLE)
    chops = [{0: strip_of([("bbbbbbbbbbbb", Style())])} for _ in range(HEIGHT)]
    update = ChopsUpdate(chops, [(1, 4, 6)], [[WIDTH]] * HEIGHT)
    assert memory.of_chops(update, CONSOLE) == "\x1b[2;5Hbb"


@pytest.mark.parametrize("wide", ["👩\u200d🚀", "🧑🏾\u200d💻", "👍🏽", "🇯🇵", "क्षि", "1⃣"])
def test_a_character_of_several_parts_takes_the_columns_it_shows(wide: str) -> None:
    memory = ScreenMemory()
    row = strip_of([(f"a{wide}", Style()), ("bc:.", Style(bold=True))])
    sent = memory.of_layout(LayoutUpdate([[row]], Region(0, 0, WIDTH, 1)), CONSOLE)
    assert "bc:." in sent
    assert len(memory.rows[0]) == WIDTH


def test_what_comes_after_an_emoji_stands_in_its_column_in_every_terminal() -> None:
    memory = ScreenMemory()
    row = strip_of([("🛠ab", Style()), ("🐙c", Style(bold=True)), ("d", Style())])
    sent = memory.of_layout(LayoutUpdate([[row]], Region(0, 0, WIDTH, 1)), CONSOLE)
    columns = [(m[1], m[2][:1]) for m in re.finditer(r"\x1b\[(\d+)G(?:\x1b\[[\d;]*m)?([^\x1b]+)", sent)]
    assert columns == [("2", "a"), ("6", "c")]


def test_after_forgetting_everything_is_sent() -> None:
    memory = ScreenMemory()
    rows: list[Iterable[Strip]] = [[strip_of([("hello", Style())])] for _ in range(HEIGHT)]
    first = memory.of_layout(LayoutUpdate(rows, Region(0, 0, WIDTH, HEIGHT)), CONSOLE)
    memory.forget()
    assert memory.of_layout(LayoutUpdate(rows, Region(0, 0, WIDTH, HEIGHT)), CONSOLE) == first


PIECES = ["a", "b", " ", "界", "é", "🇩🇪", "🇩", "⚠️", "✅", "👩‍🚀", "❤️", "👍🏽", "1️⃣"]
LINES = st.lists(st.lists(st.sampled_from(PIECES), max_size=5).map("".join), min_size=HEIGHT, max_size=HEIGHT)


@examples(150)
@given(st.lists(LINES, min_size=2, max_size=5))
def test_no_emoji_leaves_half_a_character_or_moves_a_letter(screens: list[list[str]]) -> None:
    """Also where, as in this terminal, every part of an emoji has columns of its own."""
    memory = ScreenMemory()
    screen, terminal = fresh_terminal()
    terminal.feed("\x1b[?7l")
    for lines in screens:
        rows: list[Iterable[Strip]] = [[strip_of([(line, STYLES[0])])] for line in lines]
        terminal.feed(memory.of_layout(LayoutUpdate(rows, Region(0, 0, WIDTH, HEIGHT)), CONSOLE))
        assert len(screen.display) == HEIGHT  # raises where half a wide character stands alone
        for y, row in memory.rows.items():
            for x, (character, _) in enumerate(row):
                if character.isalpha() and character.isascii():
                    assert screen.buffer[y][x].data == character, (lines[y], x)
