"""A record of what the terminal shows, so that only cells that differ are sent.

Textual sends whole regions: a popup costs the whole screen twice, a typed letter its whole line. Over SSH
these bytes cause a noticeable delay. The record contains the rows as they were sent; an update is compared
with them and becomes the runs of cells that differ. It must be cleared whenever something else may have
written to the terminal: at a resize, after a suspension, when frames were dropped, when the user requests a
redraw.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from operator import ne
from typing import TYPE_CHECKING

from msgspec import Struct, field
from rich.cells import cell_len, split_graphemes
from rich.console import Console
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip

from narrowcast.terminal.cell_runs import Cell, Runs, ground_of, shows_on_blanks, with_joined_letters
from narrowcast.text.columns import JOINING

if TYPE_CHECKING:
    from narrowcast.terminal.textual_reads import ChopsUpdate, LayoutUpdate

ROW_COST = 36
"""Bytes to move to a row, with a style or two."""
SCROLL_GAIN = 2
"""Factor by which moving rows in the terminal has to be cheaper than sending them: the columns beside the
rows must be restored, and flicker in terminals that show each step."""
MAX_STYLES = 4096
MAX_STRIPS = 300
"""Number of widgets' rows whose cells are cached: a row that only moved is not split again."""

_CLUSTER = re.compile("[\\u0300-\\u036f\\u200d\\ufe0f\\U0001f1e6-\\U0001f1ff\\U0001f3fb-\\U0001f3ff]")
"""Characters that may join the previous one although the number of columns matches."""

_FLAG_A = 0x1F1E6
_FLAG = re.compile("([\\U0001f1e6-\\U0001f1ff]{1,2})")
"""Two letters that form a flag, or half a flag, which is shown as its letter because its width is unknown."""


class _Cells(dict[str, Cell]):
    """One cell for each character of a style: each cell exists only once, so equal cells are identical.
    Blanks have the style ``ground``: they differ only where the difference is visible.
    """

    def __init__(self, style: Style | None, ground: Style | None) -> None:
        super().__init__()
        self._style = style
        self[" "] = (" ", ground)

    def __missing__(self, character: str) -> Cell:
        cell = (character, self._style)
        if character.isascii():  # there are too many others
            self[character] = cell
        return cell


class ScreenMemory(Struct):
    """See the module's description."""

    rows: dict[int, list[Cell]] = field(default_factory=dict)
    has_side_margins: bool = False
    """Whether the terminal can move rows between two columns only (DECLRMM)."""
    _plain: dict[Style, Style] = field(default_factory=dict)
    _looks: dict[Style, Style] = field(default_factory=dict)
    _of_styles: dict[Style | None, _Cells] = field(default_factory=dict)
    _of_strips: dict[int, tuple[Strip, list[Cell]]] = field(default_factory=dict)

    def forget(self) -> None:
        """Clears the record: the next update is sent whole."""
        self.rows.clear()

    def is_whole(self, width: int, height: int) -> bool:
        """Whether the record contains all cells of a terminal of this size."""
        return all(len(self.rows.get(y, ())) == width for y in range(height))

    def _cells(self, strips: Iterable[Strip]) -> list[Cell]:
        cells: list[Cell] = []
        for strip in strips:
            start, joins = len(cells), False
            for text, style, _ in strip:
                shown = self._visible(style)
                of_style = self._of_styles.get(shown)
                if of_style is None:
                    of_style = self._of_styles[shown] = _Cells(shown, self._ground(shown))
                if text.isascii():
                    cells.extend([of_style[character] for character in text])
                elif JOINING.search(text) is None:
                    _spread(text, of_style, cells)
                else:
                    joins = True
                    _spread(text, _Cells(shown, shown), cells)  # these letters are joined across blanks
            if joins:
                cells[start:] = with_joined_letters(cells[start:], shows_on_blanks)
        return cells

    def _ground(self, style: Style | None) -> Style | None:
        if style is None:
            return None
        ground = ground_of(style)
        return self._looks.setdefault(ground, ground)

    def _visible(self, style: Style | None) -> Style | None:
        """``style`` without the parts that only the app uses: offsets and actions."""
        if style is None:
            return None
        plain = self._plain.get(style)
        if plain is None:
            if len(self._plain) > MAX_STYLES:
                self._plain.clear()
                self._looks.clear()
                self._of_styles.clear()
            plain = style.clear_meta_and_links() if style.meta else style
            if style.meta and style.link:
                plain += Style(link=style.link)
            # One object for each style: cells are then compared by identity.
            plain = self._looks.setdefault(plain, plain)
            self._plain[style] = plain
        return plain

    def of_layout(self, update: LayoutUpdate, console: Console) -> str:
        """The text to write for all of a screen, which is then recorded as written."""
        runs = Runs(console)
        region = update.region
        if not self._fits(region):
            self.forget()
        for y, line in enumerate(update.strips, region.y):
            strips: list[Strip | None] = list(line)
            whole = [strip for strip in strips if strip is not None]
            if len(whole) == len(strips):  # a screen that is being removed has holes in place of its widgets
                self._put(y, region.x, self._cells(whole), runs)
        return runs.text()

    def _fits(self, region: Region) -> bool:
        """Whether all recorded cells are in ``region``. If not, a frame was painted for the size before a resize, and
        the last column and row of the terminal show the ends of its rows.
        """
        return all(y < region.bottom and len(row) <= region.right for y, row in self.rows.items())

    def of_chops(self, update: ChopsUpdate, console: Console) -> str:
        """The text to write for parts of a screen, which is then recorded as written."""
        runs = Runs(console)
        for y, left, right in update.spans:
            line: Mapping[int, Strip | None] = update.chops[y]
            for end, (x, strip) in zip(update.chop_ends[y], line.items(), strict=False):
                if strip is None or x >= right or end <= left:
                    continue
                cells = self._cells([strip])
                first, last = max(left - x, 0), min(min(end, right) - x, len(cells))
                while first > 0 and cells[first][0] == "":
                    first -= 1
                while last < len(cells) and cells[last][0] == "":
                    last += 1
                self._put(y, x + first, cells[first:last], runs)
        return runs.text()

    def of_rows(self, update: WidgetRows, console: Console) -> str:
        """The text to write for rows of a widget, which is then recorded as written."""
        runs = Runs(console)
        x, top, width, _ = update.place
        rows: dict[int, list[Cell]] = {}
        for y, strip in update.rows.items():
            cells = self._kept_cells(strip)
            edge = update.edges.get(y)
            rows[top + y] = cells if edge is None else [*cells[: width - 1], *self._kept_cells(edge)]
        if update.move is not None:
            for y, cells in self._scrolled(update.move, x, width, top, rows, runs).items():
                self._put(y, 0, cells, runs)
        for y, cells in rows.items():
            self._put(y, x, cells, runs)
        return runs.text()

    def _scrolled(
        self, move: Move, x: int, width: int, top: int, rows: Mapping[int, list[Cell]], runs: Runs
    ) -> dict[int, list[Cell]]:
        """Lets the terminal move its own rows, if that is cheaper than sending the cells. Returns what the
        moved rows have to show afterwards; empty if nothing was moved. If the terminal has no side margins,
        the columns beside the widget move too.
        """
        first, last = top + move.first + min(0, move.by), top + move.last + max(0, move.by)
        lines = range(first, last + 1)
        before = [self.rows.get(y, []) for y in lines]
        after = [self._with_cells(y, x, rows.get(y, [])) for y in lines]
        whole = len(before[0])
        if any(len(row) != whole for row in (*before, *after)):
            return {}
        left, right = (x, x + width) if self.has_side_margins else (0, whole)
        blank: list[list[Cell]] = [[("", None)] * whole for _ in range(abs(move.by))]
        source = [*before[move.by :], *blank] if move.by > 0 else [*blank, *before[: move.by]]
        moved = [
            [*row[:left], *other[left:right], *row[right:]] for row, other in zip(before, source, strict=True)
        ]
        gain = 1 if self.has_side_margins else SCROLL_GAIN
        if _cost(moved, after) * gain >= _cost(before, after):
            return {}
        step = f"\x1b[{abs(move.by)}{'M' if move.by > 0 else 'L'}"
        step = f"\x1b[{first + 1};{last + 1}r\x1b[{first + 1};{left + 1}H{step}\x1b[r"
        if self.has_side_margins:
            step = f"\x1b[?69h\x1b[{left + 1};{right}s{step}\x1b[?69l"
        runs.first(step)
        for y, row in zip(lines, moved, strict=True):
            self.rows[y] = row
        return dict(zip(lines, after, strict=True))

    def _with_cells(self, y: int, x: int, cells: list[Cell]) -> list[Cell]:
        """The recorded row ``y``, with ``cells`` from column ``x`` on."""
        row = list(self.rows.get(y, []))
        row += [("", None)] * (x - len(row))
        row[x : x + len(cells)] = cells
        return row

    def _kept_cells(self, strip: Strip) -> list[Cell]:
        of, cells = self._of_strips.get(id(strip), (None, None))
        if of is not strip or cells is None:
            if len(self._of_strips) > MAX_STRIPS:
                self._of_strips.clear()
            cells = self._cells([strip])
            self._of_strips[id(strip)] = strip, cells
        return cells

    def _put(self, y: int, x: int, cells: list[Cell], runs: Runs) -> None:
        """Compares ``cells`` at (x, y) with the record, updates the record, and adds what has to be sent."""
        row = self.rows.get(y, [])
        end = x + len(cells)
        if len(row) < end:
            row = self.rows[y] = row + [("", None)] * (end - len(row))
        before = row[x:end]
        if before == cells:
            return
        row[x:end] = cells
        runs.add(y, row, [place for place, cell in enumerate(cells, x) if before[place - x] != cell])


class Move(Struct, frozen=True):
    """Rows of a widget from ``first`` to ``last`` that are on the screen already, but ``by`` rows further
    down (further up if negative).
    """

    first: int
    last: int
    by: int


class WidgetRows(Struct, frozen=True):
    """Some rows of a widget that nothing covers. ``place``: its region; ``rows``: by their index in it, as
    wide as it is; ``edges``: replace the last column of a row; ``move``: which of them only moved.
    """

    place: Region
    rows: Mapping[int, Strip]
    edges: Mapping[int, Strip]
    move: Move | None = None


def _cost(shown: Sequence[list[Cell]], wanted: Sequence[list[Cell]]) -> int:
    """Approximate bytes to change some rows into others: one per character, plus the move to each row."""
    cost = 0
    for row, other in zip(shown, wanted, strict=True):
        differing = sum(map(ne, row, other))
        cost += differing + (ROW_COST if differing else 0)
    return cost


def _spread(text: str, of_style: _Cells, cells: list[Cell]) -> None:
    """Splits text into columns: a grapheme stays in one cell, and wide ones take two columns."""
    if cell_len(text) == len(text) and not _CLUSTER.search(text):
        cells.extend([of_style[character] for character in text])
        return
    for number, piece in enumerate(_FLAG.split(text)):
        if number % 2 == 0:
            _spread_graphemes(piece, of_style, cells)
        elif len(piece) == 2:
            cells += [of_style[piece], of_style[""]]
        else:
            cells.append(of_style[chr(ord("A") + ord(piece) - _FLAG_A)])


def _spread_graphemes(text: str, of_style: _Cells, cells: list[Cell]) -> None:
    for start, end, wide in split_graphemes(text)[0]:
        if wide == 0 and cells:
            before, its_style = cells[-1]
            place = -2 if before == "" and len(cells) > 1 else -1
            cells[place] = (cells[place][0] + text[start:end], its_style)
            continue
        cells.append(of_style[text[start:end]])
        cells.extend([of_style[""]] * (wide - 1))
