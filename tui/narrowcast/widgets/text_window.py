"""The part of a text that an editor shows: rows of cells, scrolled so that the cursor is among them."""

from __future__ import annotations

from itertools import takewhile
from typing import NamedTuple

from rich.cells import cell_len
from textual.geometry import Offset, Region, Size

from narrowcast.widgets.text_buffer import TextBuffer, TextRow, as_shown


class ShownRow(NamedTuple):
    """The text of a row, the cell of the cursor if it is in the row, and the cells that are selected."""

    text: str
    caret: int | None = None
    lit: tuple[int, int] | None = None


class TextWindow:
    """The visible rows of ``buffer``; each character of a password is shown as a dot."""

    def __init__(self, buffer: TextBuffer, *, password: bool = False) -> None:
        self._buffer = buffer
        self._password = password
        self._top = 0
        self._left = 0
        self.row_count = 0
        """Rows of the whole text when `shown` was last called."""

    def rows(self, width: int) -> list[TextRow]:
        """All rows of the text, wrapped at ``width`` cells; a single line is never wrapped."""
        if not self._buffer.multiline:
            return [TextRow(0, len(self._buffer.text))]
        return self._buffer.rows(width)

    def shown(self, size: Size, *, is_focused: bool) -> list[ShownRow]:
        """The visible rows; only an editor with the focus has a cursor."""
        width, height = size
        if not width or not height:
            return []
        rows = self.rows(width)
        self.row_count = len(rows)
        row, cell = self._buffer.locate(rows)
        if self._password:
            cell = self._buffer.cursor
        self._top = min(max(self._top, row - height + 1), row, max(0, len(rows) - height))
        if self._buffer.multiline or not is_focused or cell_len(self._display(0, rows[0].end)) < width:
            self._left = 0
        elif cell < self._left or cell >= self._left + width:
            self._left = max(0, cell - width * 2 // 3)
        shown: list[ShownRow] = []
        for number in range(self._top, min(self._top + height, len(rows))):
            text = self._display(rows[number].start, rows[number].end)
            cursor = cell - self._left if number == row and is_focused else None
            lit = self._lit(rows[number]) if is_focused else None
            shown.append(ShownRow(from_cell(text, self._left), cursor, lit))
        return shown

    def _lit(self, row: TextRow) -> tuple[int, int] | None:
        """The cells of a row that are selected."""
        selection = self._buffer.selection
        if selection is None or selection[0] >= row.end or selection[1] <= row.start:
            return None
        first, last = (
            cell_len(self._display(row.start, min(max(place, row.start), row.end))) - self._left
            for place in selection
        )
        return max(0, first), max(0, last)

    def position_at(self, offset: Offset, width: int) -> int:
        """The position in the text of a place in the window."""
        return self._buffer.position_at(self.rows(width), offset.y + self._top, offset.x + self._left)

    def _display(self, start: int, end: int) -> str:
        if self._password:
            return "•" * (end - start)
        return as_shown(self._buffer.text[start:end])


def from_cell(text: str, cell: int) -> str:
    """``text`` from ``cell`` on; a wide character cut in half becomes a space."""
    if cell <= 0:
        return text
    used = 0
    for index, character in enumerate(text):
        if used >= cell:
            return " " * (used - cell) + text[index:]
        used += cell_len(character)
    return ""


def difference(before: ShownRow, after: ShownRow, y: int, width: int) -> Region | None:
    """The cells of row ``y`` that have to be repainted."""
    if before.lit != after.lit:
        return Region(0, y, width, 1)
    old, new = before.text, after.text
    if old == new:
        return None
    same = cell_len(
        "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    )
    first = max(0, min(same - 2, width - 1))  # what follows may join the last character, which may be wide
    end = min(max(first + 1, cell_len(old), cell_len(new)), width)
    return Region(first, y, end - first, 1)
