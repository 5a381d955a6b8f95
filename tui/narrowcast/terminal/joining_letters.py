"""Joining letters in a row of cells: nothing is lost in terminals that draw them wider than the app assumes.

A run of joining letters becomes one cell, followed by empty cells as for a wide character. It also takes as
many of the following blanks as a terminal may need. In tmux they are always needed, and the text up to the
blanks is shifted.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache

from rich.style import Style

from narrowcast.text.columns import JOINING, most_columns

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
