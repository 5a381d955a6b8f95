"""What a list shows in place of its items: why there are none, and what to press. In the middle of its room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from textwrap import wrap
from typing import TYPE_CHECKING

from msgspec import Struct
from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip

from narrowcast.keys.hints import KeyHint, Keys, hint_pairs, keys_of
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.looks import Look
from narrowcast.widgets.strips import compose_line

if TYPE_CHECKING:
    from narrowcast.widgets.line_view import LineView

__all__ = ["EMPTY_LOOKS", "Empty", "empty_height", "empty_row"]

MOST_COLUMNS = 60
SIDES = 4
"""Columns that stay free beside the text."""
MOST_LETTERS = 1_000
GAP = "  "
"""Between two keys."""

EMPTY_LOOKS: Mapping[str, Look] = {
    "empty--heading": Look("foreground", letters=Style(bold=True)),
    "empty--text": Look("text-muted", ansi=Style(dim=True)),
    "empty--key": Look("text-primary", letters=Style(bold=True)),
}
"""The looks of its parts, for the list that shows it."""

Row = Sequence[tuple[str, str]]
"""Texts, each with the name of its look."""


class Empty(Struct, frozen=True):
    """``heading`` says in a few words what is missing, ``text`` in a sentence what belongs here or what went wrong;
    both may come from anywhere. ``hints`` are commands that work meanwhile.
    """

    heading: str = ""
    text: str = ""
    hints: tuple[KeyHint, ...] = ()


def empty_row(view: LineView, empty: Empty, y: int) -> Strip:
    """Row ``y`` of a list that is empty."""
    width, height = view.room.width, view.room.height
    rows = _rows(empty, tuple(hint_pairs(keys_of(view), empty.hints)), width)
    if len(rows) > height:
        rows = tuple(row for row in rows if row)
    number = y - max(0, (height - len(rows)) // 2)
    row = rows[number] if 0 <= number < len(rows) else ()
    left = (width - sum(cell_len(text) for text, _ in row)) // 2
    parts = [(text, view.part_style(look)) for text, look in row]
    return compose_line(width, [(" " * max(0, left), Style.null()), *parts], base=view.base_style)


def empty_height(keys: Keys, empty: Empty, width: int) -> int:
    """The rows that it takes in a list that is as tall as its content, with one free above and below."""
    return 2 + len(_rows(empty, tuple(hint_pairs(keys, empty.hints)), width))


@lru_cache(maxsize=16)
def _rows(empty: Empty, hints: tuple[tuple[str, str], ...], width: int) -> tuple[Row, ...]:
    """Cached, because each row of the list asks for all of them."""
    columns = max(8, min(MOST_COLUMNS, width - SIDES))
    blocks: list[list[Row]] = [
        [[(line, look)] for line in wrap(safe_line(text, MOST_LETTERS), columns)]
        for text, look in ((empty.heading, "empty--heading"), (empty.text, "empty--text"))
    ]
    blocks.append(_key_rows(hints, columns))
    rows: list[Row] = []
    for number, block in enumerate(blocks):
        if rows and block and number == len(blocks) - 1:
            rows.append(())
        rows += block
    return tuple(rows)


def _key_rows(hints: Sequence[tuple[str, str]], columns: int) -> list[Row]:
    rows: list[list[tuple[str, str]]] = []
    used = 0
    for key, does in hints:
        cells = cell_len(f"{GAP}{key} {does}")
        if not rows or used + cells > columns:
            rows.append([])
            used = 0
        before = [(GAP, "empty--text")] if rows[-1] else []
        rows[-1] += [*before, (key, "empty--key"), (f" {does}", "empty--text")]
        used += cells
    return [*rows]
