"""Turning cells into text for the terminal: cursor moves, styles and characters, in as few bytes as possible.

Changing colours takes about 20 bytes, moving the cursor 8. So all text of one style is written together,
wherever it is on the screen. Only if a row contains characters that some terminals draw wider than others,
the row is written from left to right: what follows such a character is then written over what it may have
covered.

A run of letters that join each other becomes one cell, followed by empty cells as for a wide character, so that nothing
is lost in terminals that draw it wider than the app assumes. It also takes as many of the following blanks as a
terminal may need. In tmux they are always needed, and the text up to the blanks is shifted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from zlib import crc32

from rich.color import ColorSystem
from rich.console import COLOR_SYSTEMS, Console
from rich.style import Style
from textual.strip import Strip

from narrowcast.text.columns import JOINING, most_columns

__all__ = [
    "Cell",
    "Runs",
    "colours_of",
    "erases_in_colour",
    "ground_of",
    "in_tmux",
    "painted",
    "shows_on_blanks",
    "with_joined_letters",
]

Cell = tuple[str, Style | None]
"""The content of one column; '' in the right half of a wide character."""


def with_joined_letters(cells: list[Cell], shows: Callable[[Style], bool]) -> list[Cell]:
    """``cells`` with one cell for each run of joining letters, including single blanks between them.
    ``shows`` returns whether blanks in a style are visible.
    """
    cells = list(cells)
    place = 0
    while place < len(cells):
        if JOINING.search(cells[place][0]) is None:
            place += 1
            continue
        stop = _end_of_run(cells, place)
        style = cells[place][1]
        text = "".join([character for character, _ in cells[place:stop]])
        cells[place:stop] = [(text, style), *[("", style)] * (stop - place - 1)]
        missing = most_columns(text) - (stop - place)
        if missing > 0:
            stop += _moved(cells, stop, missing) if in_tmux() else _taken(cells, stop, missing, shows)
        place = stop
    return cells


def _end_of_run(cells: list[Cell], place: int) -> int:
    style = cells[place][1]
    stop = place + 1
    while stop < len(cells) and cells[stop][1] == style:
        character = cells[stop][0]
        next_one = cells[stop + 1] if stop + 1 < len(cells) else ("", None)
        is_between = character == " " and next_one[1] == style and JOINING.search(next_one[0]) is not None
        if not (character == "" or is_between or JOINING.search(character)):
            break
        stop += 1
    return stop


def _taken(cells: list[Cell], stop: int, missing: int, shows: Callable[[Style], bool]) -> int:
    """Takes up to ``missing`` blanks from ``stop`` on, but no visible ones. Returns their number."""
    count = 0
    while count < missing and stop + count < len(cells):
        character, style = cells[stop + count]
        if character != " " or (style is not None and shows(style)):
            break
        cells[stop + count] = "", style
        count += 1
    return count


def _moved(cells: list[Cell], stop: int, missing: int) -> int:
    """Shifts the following cells by ``missing`` into the first blanks with enough room, leaving one blank
    before the text behind them. Returns the shift: 0 if there is no such room.
    """
    blanks = 0
    for place in range(stop, len(cells)):
        blanks = blanks + 1 if cells[place][0] == " " else 0
        if blanks > missing or (blanks == missing and place == len(cells) - 1):
            own = [("", cells[stop - 1][1])] * missing
            cells[stop : place + 1] = [*own, *cells[stop : place + 1 - missing]]
            return missing
    return 0


@lru_cache(maxsize=1)
def in_tmux() -> bool:
    """Whether the output goes to tmux, which gives spacing marks a column of their own."""
    return "TMUX" in os.environ


GAP = 6
"""Maximum number of equal cells between two runs that are cheaper to send again than to skip."""
MIN_ERASED = 5
"""Minimum number of blanks at the end of a run that take no fewer bytes than the sequence that erases them."""

_MAYBE_NARROW = re.compile(
    "[\\u20d0-\\u20ff\\u2600-\\u27bf\\u2b00-\\u2bff\\ufe0f\\U0001f000-\\U0001f2ff\\U0001f6d5-\\U0001f6df"
    "\\U0001fa70-\\U0001faff]"
)
"""Some terminals draw these in one column instead of two, or draw nothing if they do not know them; the
previous content of the cells would remain."""

_UNSURE = re.compile("[\\u200d\\u20d0-\\u20ff\\u2600-\\u27bf\\u2b00-\\u2bff\\ufe0f\\U0001f000-\\U0001fbff]")
"""Emoji: their width differs between terminals."""

_BLANKS = re.compile(" {12,}")
"""Blanks that take more bytes than the sequence that erases them."""


NOWHERE = (-1, -1)
"""The cursor's position while it is unknown."""

Piece = tuple[int, int, str, int]
"""A text of one style: its row, its column, and the number of columns it takes."""


class Runs:
    """Collects cells that differ from what the terminal shows, until they are written."""

    def __init__(self, console: Console) -> None:
        self._colours = colours_of(console)
        self._before: list[str] = []
        self._rows: dict[int, tuple[list[Cell], list[int]]] = {}

    def first(self, text: str) -> None:
        """Writes ``text`` before all cells."""
        self._before.append(text)

    def add(self, y: int, row: list[Cell], columns: list[int]) -> None:
        """Adds the cells of row ``y`` at ``columns``, which have changed; ``row`` is the whole new row."""
        if y in self._rows:
            columns = sorted({*self._rows[y][1], *columns})
        self._rows[y] = row, columns

    def text(self) -> str:
        """Everything to write; '' if there is nothing."""
        out = list(self._before)
        of_styles: dict[Style | None, list[Piece]] = {}
        blanks: list[tuple[Style | None, Piece]] = []
        for y, (row, columns) in self._rows.items():
            if self._colours < ColorSystem.EIGHT_BIT or _is_unsure(row, columns):
                out += [painted(y, row, self._colours, *span) for span in _spans(columns)]
                continue
            for style, start, end in _pieces(row, columns):
                text = "".join([character for character, _ in row[start:end]])
                piece = (y, start, text, end - start)
                if text.isspace():
                    blanks.append((style, piece))
                else:
                    of_styles.setdefault(style, []).append(piece)
        for style, piece in blanks:
            holder = next((other for other in of_styles if _may_hold(other, style)), style)
            of_styles.setdefault(holder, []).append(piece)
        cursor = NOWHERE
        for style, pieces in of_styles.items():
            text, cursor = _written(pieces, style, cursor)
            out.append(_in_style(style, text, self._colours))
        return "".join(out)


def colours_of(console: Console) -> ColorSystem:
    """The colour system of the terminal."""
    return COLOR_SYSTEMS.get(console.color_system or "", ColorSystem.TRUECOLOR)


def _is_unsure(row: list[Cell], columns: Sequence[int]) -> bool:
    """Whether the width of any of these cells differs between terminals."""
    start, end = _whole(row, columns[0], columns[-1] + 1)
    text = "".join([character for character, _ in row[start:end]])
    return not text.isascii() and (_UNSURE.search(text) or JOINING.search(text)) is not None


def _spans(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Runs of places that are close to each other: the first place, and the one after the last."""
    start = last = places[0]
    for place in places:
        if place - last > GAP:
            yield start, last + 1
            start = place
        last = place
    yield start, last + 1


def _pieces(cells: list[Cell], places: Sequence[int]) -> Iterator[tuple[Style | None, int, int]]:
    """Runs of whole characters that fit in one style: the style, the first place, and the one after the last."""
    start = last = places[0]
    style = held = cells[start][1]
    for place in places:
        character, own = cells[place]
        # Blanks of the style ``held`` can be written in ``style``: checked first, as most blanks are in long runs.
        fits = own is style or (own is held and character == " ")
        if not fits or place - last > 1:
            near = place - last <= GAP and _joined(
                style, cells[start : last + 1], cells[last + 1 : place + 1]
            )
            if not near:
                yield style, *_whole(cells, start, last + 1)
                start = place
            now = near[0] if near else own
            held = own if now is style and character == " " else now
            style = now
        last = place
    yield style, *_whole(cells, start, last + 1)


def _joined(style: Style | None, cells: list[Cell], more: list[Cell]) -> tuple[Style | None] | None:
    """The style in which ``cells``, which fit in ``style``, and ``more`` can be written together; None if none."""
    for number, (character, own) in enumerate(more):
        if own is style or (character == " " and _may_hold(style, own)):
            continue
        if not (_may_hold(own, style) and _are_blank(cells) and _are_blank(more[:number])):
            return None
        style = own
    return (style,)


def _are_blank(cells: list[Cell]) -> bool:
    return all(character == " " for character, _ in cells)


@lru_cache(maxsize=4096)
def _may_hold(style: Style | None, blanks: Style | None) -> bool:
    """Whether blanks of the style ``blanks`` look the same in ``style``."""
    return style is not None and blanks is not None and ground_of(style) == ground_of(blanks)


@lru_cache(maxsize=4096)
def ground_of(style: Style) -> Style:
    """The part of ``style`` that is visible on blanks."""
    return style if style.link or shows_on_blanks(style) else Style(bgcolor=style.bgcolor)


def _whole(cells: list[Cell], start: int, end: int) -> tuple[int, int]:
    """The range extended to whole wide characters."""
    while start > 0 and cells[start][0] == "":
        start -= 1
    while end < len(cells) and cells[end][0] == "":
        end += 1
    return start, end


def _written(
    pieces: list[Piece], style: Style | None, cursor: tuple[int, int]
) -> tuple[str, tuple[int, int]]:
    """Text that writes pieces of one style at their places, and the cursor's row and column afterwards."""
    out: list[str] = []
    erases = _may_erase(style)
    row, column = cursor
    for y, x, text, width in pieces:
        if y != row:
            out.append(_move_to(x, y))
        elif x != column:
            out.append(_move_to_column(x))
        row, column = y, x + width
        shown = text.rstrip(" ") if erases else text
        erased = len(text) - len(shown)
        if erased < MIN_ERASED:
            out.append(_BLANKS.sub(_erased, text) if erases else text)
        else:
            out += _BLANKS.sub(_erased, shown), f"\x1b[{erased}X"
            column -= erased
    return "".join(out), (row, column)


def _end_of_spill(cells: list[Cell], start: int, end: int) -> int:
    """The end of the range to write, so that nothing remains of characters that a terminal drew too wide."""
    place = start
    while place < end:
        character = cells[place][0]
        if len(character) > 1 and _UNSURE.search(character) is not None:
            end = max(end, min(place + 2 * len(character), len(cells)))
        elif len(character) > 1 and JOINING.search(character) is not None:
            end = max(end, min(place + most_columns(character), len(cells)))
        place += 1
    return end


def painted(y: int, cells: list[Cell], colours: ColorSystem, start: int = 0, end: int | None = None) -> str:
    """Row ``y`` from column ``start`` to ``end``, written from left to right.

    After a text whose width differs between terminals (emoji, Indic letters with marks), the cursor is moved
    to the right column: the row keeps its columns whatever width the terminal gives the text. If the text may
    take fewer columns than it has, they are blanked first.
    """
    end = len(cells) if end is None else end
    while start > 0 and cells[start][0] == "":
        start -= 1
    end = _end_of_spill(cells, start, end)
    while end < len(cells) and cells[end][0] == "":
        end += 1
    out: list[str] = [_move_to(start, y)]
    if "".join([character for character, _ in cells[start:end]]).isascii():
        out += _styled(cells[start:end], colours)
        return "".join(out)
    place = begin = start
    while place < end:
        stop = _end_of_unsure(cells, place, end)
        if stop == place:
            place += 1
            continue
        out += _styled(cells[begin:place], colours)
        text = "".join([character for character, _ in cells[place:stop]])
        if _MAYBE_NARROW.search(text) or JOINING.search(text):
            out += _styled([(" ", style) for _, style in cells[place:stop]], colours)
            out.append(_move_to_column(place))
        out += _styled(cells[place:stop], colours)
        if stop < end:
            out.append(_move_to_column(stop))
        place = begin = stop
    return "".join([*out, *_styled(cells[begin:end], colours)])


def _move_to(x: int, y: int) -> str:
    return f"\x1b[{y + 1};{x + 1}H"


def _move_to_column(x: int) -> str:
    return f"\x1b[{x + 1}G"


def _end_of_unsure(cells: list[Cell], place: int, end: int) -> int:
    """The end of the text of uncertain width that begins at ``place``; ``place`` itself if there is none."""
    character = cells[place][0]
    if character.isascii() or not (JOINING.search(character) or _UNSURE.search(character)):
        return place
    stop = place + 1
    while stop < end and cells[stop][0] == "":
        stop += 1
    return stop


def _styled(cells: list[Cell], colours: ColorSystem) -> list[str]:
    """The characters with their styles, without cursor moves before or after them."""
    out: list[str] = []
    for style, run in groupby(cells, key=_style_of):
        text = "".join([character for character, _ in run])
        if "            " in text and _may_erase(style):
            text = _BLANKS.sub(_erased, text)
        out.append(_in_style(style, text, colours))
    return out


def _in_style(style: Style | None, text: str, colours: ColorSystem) -> str:
    if style is None or not text:
        return text
    if style.link is None:
        return Strip.render_style(style, text, colours)
    return _linked(style.link, Strip.render_style(_unlinked(style), text, colours))


def _linked(address: str, text: str) -> str:
    """The text as a link of the terminal (OSC 8); rows with the same address are one link."""
    return f"\x1b]8;id={crc32(address.encode()):x};{address}\x1b\\{text}\x1b]8;;\x1b\\"


@lru_cache(maxsize=4096)
def _unlinked(style: Style) -> Style:
    return style.update_link(None)


def _may_erase(style: Style | None) -> bool:
    """Whether erased cells look like blanks in this style."""
    return style is not None and not shows_on_blanks(style) and erases_in_colour()


@lru_cache(maxsize=1)
def erases_in_colour() -> bool:
    """Whether the terminal erases cells with the current background. GNU screen uses its default background,
    unless its TERM says otherwise.
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
    """Erases that many cells with the current background, and moves the cursor behind them."""
    count = len(blanks[0])
    return f"\x1b[{count}X\x1b[{count}C"
