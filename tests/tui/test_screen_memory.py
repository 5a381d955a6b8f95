"""Sending only the differences results in the same screen as sending everything."""

from __future__ import annotations

import re
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from narrowcast.terminal.cell_runs import Runs, erases_in_colour
from narrowcast.terminal.output import TerminalOutput
from narrowcast.terminal.screen_memory import Move, ScreenMemory, WidgetRows
from narrowcast.terminal.textual_fixes import FixedApp
from narrowcast.terminal.textual_reads import ChopsUpdate, LayoutUpdate
from support.properties import examples
from support.terminal import SideMarginScreen, SideMarginStream

WIDTH, HEIGHT = 12, 4
STYLES = [
    Style(),
    Style(bold=True),
    Style(color="red"),
    Style(reverse=True, meta={"offset": (3, 4)}),
    Style(color="blue", underline=True),
    Style(color="red", bgcolor="green"),
]
ROWS = st.lists(
    st.tuples(st.text(st.sampled_from("ab 界é"), max_size=5), st.sampled_from(STYLES)), min_size=1, max_size=4
)
SCREENS = st.lists(ROWS, min_size=HEIGHT, max_size=HEIGHT)
CONSOLE = Console(force_terminal=True, color_system="standard", width=WIDTH)
CONSOLES = st.sampled_from([CONSOLE, Console(force_terminal=True, color_system="truecolor", width=WIDTH)])


def test_the_text_to_write_can_be_read_twice() -> None:
    runs = Runs(CONSOLE)
    runs.first("first")
    runs.add(0, [("a", Style()), ("b", Style())], [0, 1])
    assert runs.text() == runs.text()


def strip_of(row: list[tuple[str, Style]]) -> Strip:
    strip = Strip([Segment(text, style) for text, style in row])
    return strip.adjust_cell_length(WIDTH, Style())


def fresh_terminal() -> tuple[pyte.Screen, pyte.Stream]:
    screen = pyte.Screen(WIDTH, HEIGHT)
    return screen, pyte.Stream(screen)


def cells(screen: pyte.Screen) -> list[list[tuple[object, ...]]]:
    """The visible part of each cell: a blank's foreground shows only if it is reversed or underlined."""
    found: list[list[tuple[object, ...]]] = []
    for y in range(HEIGHT):
        row = [screen.buffer[y][x] for x in range(WIDTH)]
        found.append(
            [
                (cell.data, cell.bg)
                if cell.data == " " and not (cell.reverse or cell.underscore)
                else (cell.data, cell.bg, cell.fg, cell.bold, cell.reverse, cell.underscore)
                for cell in row
            ]
        )
    return found


@examples(150)
@given(st.lists(SCREENS, min_size=2, max_size=5), CONSOLES)
def test_whole_screens_sent_as_differences_look_the_same(
    screens: list[list[list[tuple[str, Style]]]], console: Console
) -> None:
    memory = ScreenMemory()
    lean_screen, lean = fresh_terminal()
    for rows in screens:
        update = LayoutUpdate([[strip_of(row)] for row in rows], Region(0, 0, WIDTH, HEIGHT))
        lean.feed(memory.of_layout(update, console))
    full_screen, full = fresh_terminal()
    last = LayoutUpdate([[strip_of(row)] for row in screens[-1]], Region(0, 0, WIDTH, HEIGHT))
    full.feed(last.render_segments(console).replace("\n", ""))
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


def test_text_after_an_emoji_keeps_its_column_in_every_terminal() -> None:
    memory = ScreenMemory()
    row = strip_of([("🛠ab", Style()), ("🐙c", Style(bold=True)), ("d", Style())])
    sent = memory.of_layout(LayoutUpdate([[row]], Region(0, 0, WIDTH, 1)), CONSOLE)
    columns = [(m[1], m[2][:1]) for m in re.finditer(r"\x1b\[(\d+)G(?:\x1b\[[\d;]*m)?([^\x1b]+)", sent)]
    assert columns == [("2", "a"), ("6", "c")]


def test_everything_is_sent_after_the_memory_is_cleared() -> None:
    memory = ScreenMemory()
    rows: list[Iterable[Strip]] = [[strip_of([("hello", Style())])] for _ in range(HEIGHT)]
    first = memory.of_layout(LayoutUpdate(rows, Region(0, 0, WIDTH, HEIGHT)), CONSOLE)
    memory.forget()
    assert memory.of_layout(LayoutUpdate(rows, Region(0, 0, WIDTH, HEIGHT)), CONSOLE) == first


def test_a_frame_that_was_too_large_for_the_terminal_is_forgotten() -> None:
    """A frame may be painted for the size before a resize: the terminal shows its ends in its last column and row."""
    screen, terminal = fresh_terminal()
    terminal.feed("\x1b[?7l")
    memory = ScreenMemory()
    for width, height, sign in ((WIDTH + 2, HEIGHT + 2, "x"), (WIDTH, HEIGHT, ".")):
        text = ("." * (width - 1) + sign, Style())
        last = ("x" * width, Style())
        rows: list[Iterable[Strip]] = [
            [Strip([Segment(*(last if y >= HEIGHT else text))], width)] for y in range(height)
        ]
        terminal.feed(memory.of_layout(LayoutUpdate(rows, Region(0, 0, width, height)), CONSOLE))
    assert screen.display == ["." * WIDTH] * HEIGHT


PIECES = ["a", "b", " ", "界", "é", "🇩🇪", "🇩", "⚠️", "✅", "👩‍🚀", "❤️", "👍🏽", "1️⃣"]
LINES = st.lists(st.lists(st.sampled_from(PIECES), max_size=5).map("".join), min_size=HEIGHT, max_size=HEIGHT)


@examples(150)
@given(st.lists(LINES, min_size=2, max_size=5), CONSOLES)
def test_no_emoji_leaves_half_a_character_or_moves_a_letter(
    screens: list[list[str]], console: Console
) -> None:
    """Holds even in a terminal that, like this one, gives every part of an emoji its own columns."""
    memory = ScreenMemory()
    screen, terminal = fresh_terminal()
    terminal.feed("\x1b[?7l")
    for lines in screens:
        rows: list[Iterable[Strip]] = [[strip_of([(line, STYLES[0])])] for line in lines]
        terminal.feed(memory.of_layout(LayoutUpdate(rows, Region(0, 0, WIDTH, HEIGHT)), console))
        assert len(screen.display) == HEIGHT  # raises if half a wide character is left alone
        for y, row in memory.rows.items():
            for x, (character, _) in enumerate(row):
                if character.isalpha() and character.isascii():
                    assert screen.buffer[y][x].data == character, (lines[y], x)


TALL = 16
SIDE = 4
TEXTS = st.lists(st.text(st.sampled_from("ab 界é"), max_size=5), min_size=TALL + 4, max_size=TALL + 4)


@examples(100)
@given(TEXTS, TEXTS, st.lists(st.integers(-4, 4), min_size=1, max_size=4), CONSOLES, st.booleans())
def test_moved_rows_look_as_if_they_were_rewritten_and_leave_neighbouring_columns_alone(
    texts: list[str], beside: list[str], steps: list[int], console: Console, has_side_margins: bool
) -> None:
    memory = ScreenMemory(has_side_margins=has_side_margins)
    screen = SideMarginScreen(SIDE + WIDTH + SIDE, TALL)
    terminal = SideMarginStream(screen)
    side = [Strip([Segment(text, STYLES[1])]).adjust_cell_length(SIDE, STYLES[1]) for text in beside]
    lines = [strip_of([(text * 3, STYLES[2])]) for text in texts]
    sides = [
        WidgetRows(Region(x, 0, SIDE, TALL), dict(enumerate(side[:TALL])), {}) for x in (0, SIDE + WIDTH)
    ]
    for update in sides:
        terminal.feed(memory.of_rows(update, console))
    top, place = 2, Region(SIDE, 0, WIDTH, TALL)
    shown = dict(enumerate(lines[top : top + TALL]))
    terminal.feed(memory.of_rows(WidgetRows(place, shown, {}), console))
    for step in steps:
        by = min(max(step, -top), 4 - top)
        top += by
        move = Move(max(0, -by), TALL - 1 - max(0, by), by) if by else None
        before, shown = shown, dict(enumerate(lines[top : top + TALL]))
        changed = {y: strip for y, strip in shown.items() if list(strip) != list(before[y])}
        terminal.feed(memory.of_rows(WidgetRows(place, changed, {}, move), console))
    fresh = SideMarginScreen(SIDE + WIDTH + SIDE, TALL)
    stream = SideMarginStream(fresh)
    other = ScreenMemory()
    for update in (*sides, WidgetRows(place, shown, {})):
        stream.feed(other.of_rows(update, console))
    assert screen.display == fresh.display
    assert memory.rows == other.rows


@pytest.mark.parametrize("has_side_margins", [True, False])
def test_between_two_panes_rows_move_where_the_terminal_can_move_columns(has_side_margins: bool) -> None:
    memory = ScreenMemory(has_side_margins=has_side_margins)
    width = SIDE + WIDTH + SIDE
    rows = [[strip_of([(f"{y * y}:{y}abc", STYLES[0])]).adjust_cell_length(width)] for y in range(TALL + 1)]
    memory.of_layout(LayoutUpdate([*rows[:TALL]], Region(0, 0, width, TALL)), CONSOLE)
    lines = [strip_of([(f"{y * 7} is {y * 77}", STYLES[0])]) for y in range(TALL + 1)]
    place = Region(SIDE, 0, WIDTH, TALL)
    memory.of_rows(WidgetRows(place, dict(enumerate(lines[:TALL])), {}), CONSOLE)
    sent = memory.of_rows(WidgetRows(place, dict(enumerate(lines[1:])), {}, Move(0, TALL - 2, 1)), CONSOLE)
    moves = "\x1b[?69h\x1b[5;16s\x1b[1;16r\x1b[1;5H\x1b[1M\x1b[r\x1b[?69l\x1b[16;5H"
    assert sent.startswith(moves) is has_side_margins
    assert ("\x1b[?69h" in sent) is has_side_margins


def test_scrolling_a_full_width_list_sends_only_the_new_row() -> None:
    memory = ScreenMemory()
    lines = [strip_of([(f"{number} is {number * 7}", STYLES[number % 2])]) for number in range(20)]
    place = Region(0, 0, WIDTH, TALL)
    memory.of_rows(WidgetRows(place, dict(enumerate(lines[:TALL])), {}), CONSOLE)
    update = WidgetRows(place, dict(enumerate(lines[1 : TALL + 1])), {}, Move(0, TALL - 2, 1))
    sent = memory.of_rows(update, CONSOLE)
    assert sent.startswith("\x1b[1;16r\x1b[1;1H\x1b[1M\x1b[r\x1b[16;1H")
    assert len(sent) < 60


def test_long_blanks_are_erased_not_written() -> None:
    memory = ScreenMemory()
    strip = Strip([Segment("a" + " " * 40 + "b" + " " * 30, Style(bgcolor="red"))])
    sent = memory.of_rows(WidgetRows(Region(0, 0, 72, 1), {0: strip}, {}), CONSOLE)
    screen = pyte.Screen(72, 1)
    pyte.Stream(screen).feed(sent)
    assert len(sent) < 50
    assert screen.display == ["a" + " " * 40 + "b" + " " * 30]
    assert {screen.buffer[0][x].bg for x in range(72)} == {"red"}


def test_where_erasing_forgets_the_background_blanks_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    strip = Strip([Segment("a" + " " * 40, Style(bgcolor="red"))])
    update = WidgetRows(Region(0, 0, 41, 1), {0: strip}, {})
    for term, erases in (("screen-256color", False), ("screen-256color-bce", True)):
        monkeypatch.setenv("STY", "1.pts-0.host")
        monkeypatch.setenv("TERM", term)
        erases_in_colour.cache_clear()
        assert ("\x1b[40X" in ScreenMemory().of_rows(update, CONSOLE)) is erases
    erases_in_colour.cache_clear()


class Terminal:
    """A driver that counts how often it is told to query its terminal."""

    def __init__(self) -> None:
        self.times_asked = 0

    def ask_for_side_margins(self) -> None:
        self.times_asked += 1


def test_only_a_terminal_that_was_asked_says_that_it_can_move_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("narrowcast.terminal.output.RESPONSE_SECONDS", 1e9)
    monkeypatch.setattr("narrowcast.terminal.output.driver_of", lambda _: terminal)
    memory = ScreenMemory()
    monkeypatch.setattr("narrowcast.terminal.output.ScreenMemory", lambda: memory)
    output = TerminalOutput(FixedApp())
    output.can_move_columns()
    assert (memory.has_side_margins, terminal.times_asked) == (False, 0), "what came is part of a paste"
    output.resized()
    output.can_move_columns()
    assert (memory.has_side_margins, terminal.times_asked) == (True, 1)
    output.resized()
    assert (memory.has_side_margins, terminal.times_asked) == (False, 2), "it may be another terminal"


def test_rows_are_sent_directly_only_where_nothing_overlaps_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    free: Region | None = None
    frames: list[object] = []
    monkeypatch.setattr("narrowcast.terminal.output.writes_frames", lambda _: True)
    monkeypatch.setattr("narrowcast.terminal.output.free_place", lambda _: free)
    monkeypatch.setattr("narrowcast.terminal.output.finish_of", lambda _: lambda strip: strip)
    app: Any = SimpleNamespace(show_frame=frames.append)
    output = TerminalOutput(app)
    rows = {0: Strip([Segment("soup")])}
    assert (output.send_rows(Widget(), rows, {}, None), frames) == (False, [])
    free = Region(0, 0, 4, 1)
    assert output.send_rows(Widget(), rows, {}, None) is True
    assert len(frames) == 1
