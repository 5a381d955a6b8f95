"""What the terminal shows now, so that only cells that differ are sent.

Textual sends whole regions: a popup costs the whole screen twice, a typed letter its whole line. Over SSH those bytes
are what one feels. The memory holds the rows as they were sent; an update is compared with them and becomes the runs
of cells that differ. It must be told to forget whenever somebody else may have written: at a resize, after a
suspension, when frames fell away, when the user asks for a redraw.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from operator import ne

from msgspec import Struct, field
from rich.cells import cell_len, split_graphemes
from rich.color import ColorSystem
from rich.console import Console
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip

from narrowcast.terminal.joining_letters import Cell, with_joined_letters
from narrowcast.terminal.textual_private import ChopsUpdate, CompositorUpdate, LayoutUpdate
from narrowcast.text.columns import JOINING, most_columns

GAP = 6
"""Equal cells between two runs that are cheaper to send again than to jump over."""
ROW_COST = 36
"""Bytes to go to a row, with a style or two."""
SCROLL_GAIN = 2
"""So many times cheaper it has to be that the terminal moves its own rows: what stands beside them is mended in other
styles, and flickers where a terminal shows each step.
"""
MAX_STYLES = 4096
MAX_STRIPS = 300
"""Rows of widgets whose cells are kept: a row that only moved is not taken apart again."""

_CLUSTER = re.compile("[\\u0300-\\u036f\\u200d\\ufe0f\\U0001f1e6-\\U0001f1ff\\U0001f3fb-\\U0001f3ff]")
"""What may join the character before it although the columns add up."""

_FLAG_A = 0x1F1E6
_FLAG = re.compile("([\\U0001f1e6-\\U0001f1ff]{1,2})")
"""Two letters that make a flag, or half a flag: that stands as its letter, for its width is anybody's guess."""

_MAYBE_NARROW = re.compile("[\\u20d0-\\u20ff\\u2600-\\u27bf\\u2b00-\\u2bff\\ufe0f\\U0001f000-\\U0001f2ff]")
"""Some terminals give these one column of our two; the other would keep what was there."""

_UNSURE = re.compile("[\\u200d\\u20d0-\\u20ff\\u2600-\\u27bf\\u2b00-\\u2bff\\ufe0f\\U0001f000-\\U0001fbff]")
"""Emoji: terminals differ in the columns that they give them."""

_BLANKS = re.compile(" {12,}")
"""Blanks that are longer than the sequence which erases so many cells."""


class _AsciiCells(dict[str, Cell]):
    """One cell for each character of a style: the screen holds each cell once, and equal cells are the same."""

    def __init__(self, style: Style | None) -> None:
        super().__init__()
        self._style = style

    def __missing__(self, character: str) -> Cell:
        cell = self[character] = (character, self._style)
        return cell


class ScreenMemory(Struct):
    """See the module's description."""

    rows: dict[int, list[Cell]] = field(default_factory=dict)
    _plain: dict[Style, Style] = field(default_factory=dict)
    _looks: dict[Style, Style] = field(default_factory=dict)
    _ascii: dict[Style | None, _AsciiCells] = field(default_factory=dict)
    _of_strips: dict[int, tuple[Strip, list[Cell]]] = field(default_factory=dict)

    def forget(self) -> None:
        """Nothing is known of the terminal: the next update is sent whole."""
        self.rows.clear()

    def prime(self, rows: Mapping[int, list[Cell]]) -> None:
        """The terminal shows ``rows`` already."""
        self.rows.update(rows)

    def difference(self, update: object, console: Console) -> str | None:
        """What has to be written for ``update``, which counts as written then; None for what is no frame."""
        if isinstance(update, LayoutUpdate):
            return self.of_layout(update, console)
        if isinstance(update, ChopsUpdate):
            return self.of_chops(update, console)
        if isinstance(update, WidgetRows):
            return self.of_rows(update, console)
        return None

    def _cells(self, strips: Iterable[Strip]) -> list[Cell]:
        cells: list[Cell] = []
        for strip in strips:
            start, joins = len(cells), False
            for text, style, _ in strip:
                shown = self._visible(style)
                if text.isascii():
                    of_style = self._ascii.get(shown)
                    if of_style is None:
                        of_style = self._ascii[shown] = _AsciiCells(shown)
                    cells.extend([of_style[character] for character in text])
                else:
                    _spread(text, shown, cells)
                    joins = joins or JOINING.search(text) is not None
            if joins:
                cells[start:] = with_joined_letters(cells[start:], shows_on_blanks)
        return cells

    def _visible(self, style: Style | None) -> Style | None:
        """``style`` without what is only for the app: offsets and actions."""
        if style is None:
            return None
        plain = self._plain.get(style)
        if plain is None:
            if len(self._plain) > MAX_STYLES:
                self._plain.clear()
                self._looks.clear()
                self._ascii.clear()
            plain = style if style.link or not style.meta else style.clear_meta_and_links()
            # One object for each look: cells are then compared by identity, not style by style.
            plain = self._looks.setdefault(plain, plain)
            self._plain[style] = plain
        return plain

    def of_layout(self, update: LayoutUpdate, console: Console) -> str:
        out: list[str] = []
        region = update.region
        for y, line in enumerate(update.strips, region.y):
            strips: list[Strip | None] = list(line)
            whole = [strip for strip in strips if strip is not None]
            if len(whole) == len(strips):  # a screen that is being taken down has holes where widgets were
                self._put(y, region.x, self._cells(whole), console, out)
        return "".join(out)

    def of_chops(self, update: ChopsUpdate, console: Console) -> str:
        out: list[str] = []
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
                self._put(y, x + first, cells[first:last], console, out)
        return "".join(out)

    def of_rows(self, update: WidgetRows, console: Console) -> str:
        out: list[str] = []
        x, top, width, _ = update.place
        rows: dict[int, list[Cell]] = {}
        for y, strip in update.rows.items():
            cells = self._kept_cells(strip)
            edge = update.edges.get(y)
            rows[top + y] = cells if edge is None else [*cells[: width - 1], *self._kept_cells(edge)]
        if update.move is not None and (mended := self._scrolled(update.move, x, top, rows, out)):
            # What stands beside a widget has a style of its own: one column after the other, it changes seldom.
            for left, right in ((0, x), (x + width, None)):
                for y, cells in mended.items():
                    self._put(y, left, cells[left:right], console, out)
        for y, cells in rows.items():
            self._put(y, x, cells, console, out)
        return "".join(out)

    def _scrolled(
        self, move: Move, x: int, top: int, rows: Mapping[int, list[Cell]], out: list[str]
    ) -> dict[int, list[Cell]]:
        """Lets the terminal move its own rows, where writing all anew would take more cells. Returns how the rows that
        were moved have to look, for what stands beside the widget moved along; nothing where nothing was moved.
        """
        first, last = top + move.first + min(0, move.by), top + move.last + max(0, move.by)
        lines = range(first, last + 1)
        before = [self.rows.get(y, []) for y in lines]
        after = [self._with_cells(y, x, rows.get(y, [])) for y in lines]
        width = len(before[0])
        if any(len(row) != width for row in (*before, *after)):
            return {}
        blank: list[list[Cell]] = [[("", None)] * width for _ in range(abs(move.by))]
        moved = [*before[move.by :], *blank] if move.by > 0 else [*blank, *before[: move.by]]
        if _cost(moved, after) * SCROLL_GAIN >= _cost(before, after):
            return {}
        away = "M" if move.by > 0 else "L"
        out.append(f"\x1b[{first + 1};{last + 1}r\x1b[{first + 1};1H\x1b[{abs(move.by)}{away}\x1b[r")
        for y, row in zip(lines, moved, strict=True):
            self.rows[y] = list(row)
        return dict(zip(lines, after, strict=True))

    def _with_cells(self, y: int, x: int, cells: list[Cell]) -> list[Cell]:
        """Row ``y`` as it is, with ``cells`` from column ``x`` on."""
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

    def _put(self, y: int, x: int, cells: list[Cell], console: Console, out: list[str]) -> None:
        """Compare ``cells`` at (x, y) with what is there, remember them, and append what has to be sent."""
        row = self.rows.get(y)
        end = x + len(cells)
        if row is None or len(row) < end:
            known = row or []
            row = known + [("", None)] * (end - len(known))
            self.rows[y] = row
            if not known:
                row[x:end] = cells
                out.append(painted(y, x, cells, console))
                return
        if row[x:end] == cells:
            return
        runs: list[tuple[int, int]] = []
        start = -1
        last = 0
        for place, cell in enumerate(cells):
            if row[x + place] == cell:
                continue
            if start < 0:
                start = place
            elif place - last > GAP:
                runs.append((start, last + 1))
                start = place
            last = place
        row[x:end] = cells
        if start >= 0:
            runs.append((start, last + 1))
        out += [painted(y, 0, row, console, x + start, x + stop) for start, stop in runs]


class Move(Struct, frozen=True):
    """Rows of a widget from ``first`` to ``last`` that stand there already, only ``by`` rows further down (further up
    where it is negative).
    """

    first: int
    last: int
    by: int


class WidgetRows(CompositorUpdate):
    """Some rows of a widget that nothing covers. ``place``: where it stands; ``rows``: by their number in it, as wide
    as it is; ``edges``: what stands in the last column of a row instead; ``move``: which of them only moved.
    """

    def __init__(
        self,
        place: Region,
        rows: Mapping[int, Strip],
        edges: Mapping[int, Strip],
        move: Move | None = None,
    ) -> None:
        self.place = place
        self.rows = rows
        self.edges = edges
        self.move = move


class Written(CompositorUpdate):
    """A frame that is a text already."""

    def __init__(self, text: str) -> None:
        self._text = text

    def render_segments(self, console: Console) -> str:
        return self._text


def _cost(shown: Sequence[list[Cell]], wanted: Sequence[list[Cell]]) -> int:
    """About how many bytes lead from some rows to others: a character each, and the way to each row."""
    cost = 0
    for row, other in zip(shown, wanted, strict=True):
        differing = sum(map(ne, row, other))
        cost += differing + (ROW_COST if differing else 0)
    return cost


def _spread(text: str, style: Style | None, cells: list[Cell]) -> None:
    """Characters to columns: what makes one character on the screen stays together, wide ones take two."""
    if cell_len(text) == len(text) and not _CLUSTER.search(text):
        cells.extend([(character, style) for character in text])
        return
    for number, piece in enumerate(_FLAG.split(text)):
        if number % 2 == 0:
            _spread_graphemes(piece, style, cells)
        elif len(piece) == 2:
            cells += [(piece, style), ("", style)]
        else:
            cells.append((chr(ord("A") + ord(piece) - _FLAG_A), style))


def _spread_graphemes(text: str, style: Style | None, cells: list[Cell]) -> None:
    for start, end, wide in split_graphemes(text)[0]:
        if wide == 0 and cells:
            before, its_style = cells[-1]
            place = -2 if before == "" and len(cells) > 1 else -1
            cells[place] = (cells[place][0] + text[start:end], its_style)
            continue
        cells.append((text[start:end], style))
        cells.extend([("", style)] * (wide - 1))


def _end_of_spill(cells: list[Cell], start: int, end: int) -> int:
    """Where to end so that nothing stays of characters that a terminal makes of the parts of one."""
    place = start
    while place < end:
        character = cells[place][0]
        if len(character) > 1 and _UNSURE.search(character) is not None:
            end = max(end, min(place + 2 * len(character), len(cells)))
        elif len(character) > 1 and JOINING.search(character) is not None:
            end = max(end, min(place + most_columns(character), len(cells)))
        place += 1
    return end


def painted(
    y: int, x: int, cells: list[Cell], console: Console, start: int = 0, end: int | None = None
) -> str:
    """Move there, and the cells from ``start`` to ``end`` in as few segments as their styles allow.

    Where terminals disagree about the width of a text (emoji, Indic letters with marks), what follows is put where its
    column is: a row keeps its columns whatever the terminal makes of it. Where the text may take fewer columns than it
    has, they are blanked before.
    """
    end = len(cells) if end is None else end
    while start > 0 and cells[start][0] == "":
        start -= 1
    end = _end_of_spill(cells, start, end)
    while end < len(cells) and cells[end][0] == "":
        end += 1
    out: list[str] = [_move_to(x + start, y)]
    if "".join([character for character, _ in cells[start:end]]).isascii():
        out += _styled(cells[start:end], console)
        return "".join(out)
    place = begin = start
    while place < end:
        stop = _end_of_unsure(cells, place, end)
        if stop == place:
            place += 1
            continue
        out += _styled(cells[begin:place], console)
        text = "".join([character for character, _ in cells[place:stop]])
        if _MAYBE_NARROW.search(text) or JOINING.search(text):
            out += _styled([(" ", style) for _, style in cells[place:stop]], console)
            out.append(_move_to_column(x + place))
        out += _styled(cells[place:stop], console)
        if stop < end:
            out.append(_move_to_column(x + stop))
        place = begin = stop
    return "".join([*out, *_styled(cells[begin:end], console)])


def _move_to(x: int, y: int) -> str:
    return f"\x1b[{y + 1};{x + 1}H"


def _move_to_column(x: int) -> str:
    return f"\x1b[{x + 1}G"


def _end_of_unsure(cells: list[Cell], place: int, end: int) -> int:
    """Where the text ends that begins at ``place`` and whose width is unsure; ``place`` itself where none does."""
    character = cells[place][0]
    if character.isascii() or not (JOINING.search(character) or _UNSURE.search(character)):
        return place
    stop = place + 1
    while stop < end and cells[stop][0] == "":
        stop += 1
    return stop


def _styled(cells: list[Cell], console: Console) -> list[str]:
    """The characters with their styles, without any move before or after them."""
    out: list[str] = []
    colours = console._color_system or ColorSystem.TRUECOLOR
    for style, run in groupby(cells, key=_style_of):
        text = "".join([character for character, _ in run])
        if style is None or not text:
            out.append(text)
            continue
        if "            " in text and not shows_on_blanks(style) and erases_in_colour():
            text = _BLANKS.sub(_erased, text)
        out.append(Strip.render_style(style, text, colours))
    return out


@lru_cache(maxsize=1)
def erases_in_colour() -> bool:
    """Whether the terminal erases cells in the present background. GNU screen does in its own ground, unless its TERM
    says otherwise.
    """
    return "STY" not in os.environ or os.environ.get("TERM", "").endswith("-bce")


def shows_on_blanks(style: Style) -> bool:
    """Whether blanks in `style` look different from blanks that only share its background."""
    return bool(
        style.underline or style.reverse or style.strike or style.overline or style.underline2 or style.meta
    )


def _style_of(cell: Cell) -> Style | None:
    return cell[1]


def _erased(blanks: re.Match[str]) -> str:
    """Erases so many cells in the present background, and goes on behind them."""
    count = len(blanks[0])
    return f"\x1b[{count}X\x1b[{count}C"
