"""The part of a text that an editor shows: rows of cells, scrolled so that the cursor is among them."""

from __future__ import annotations

from rich.cells import cell_len
from textual.geometry import Offset, Region, Size

from narrowcast.widgets.text_buffer import TextBuffer, TextRow

_CONTROL_PICTURES = {code: 0x2400 + code for code in range(32)} | {0x7F: 0x2421}
_CONTROL_PICTURES |= dict.fromkeys((*range(128, 160), 1564, 8203, 8206, 8207), 65533)
_CONTROL_PICTURES |= dict.fromkeys((*range(8232, 8239), *range(8288, 8304), 65279), 65533)
"""Replaces each code point by one of one cell, so that the cursor stays on the same character."""

ShownRow = tuple[str, int | None]
"""The text of a row, and the cell of the cursor if it is in the row."""


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
        if self._buffer.multiline or not is_focused:
            self._left = 0
        elif cell < self._left or cell >= self._left + width:
            self._left = max(0, cell - width * 2 // 3)
        shown: list[ShownRow] = []
        for number in range(self._top, min(self._top + height, len(rows))):
            text = self._display(rows[number].start, rows[number].end)
            cursor = cell - self._left if number == row and is_focused else None
            shown.append((from_cell(text, self._left), cursor))
        return shown

    def position_at(self, offset: Offset, width: int) -> int:
        """The position in the text of a place in the window."""
        return self._buffer.position_at(self.rows(width), offset.y + self._top, offset.x + self._left)

    def _display(self, start: int, end: int) -> str:
        if self._password:
            return "•" * (end - start)
        return self._buffer.text[start:end].translate(_CONTROL_PICTURES)


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


def difference(old: ShownRow, new: ShownRow, y: int, width: int) -> Region | None:
    """The cells of row ``y`` that have to be repainted."""
    cells: set[int] = {cursor for cursor in (old[1], new[1]) if cursor is not None and old[1] != new[1]}
    if old[0] != new[0]:
        same = 0
        for one, other in zip(old[0], new[0], strict=False):
            if one != other:
                break
            same += 1
        first = cell_len(new[0][:same])
        cells.add(first)
        cells.add(max(first, cell_len(old[0]) - 1, cell_len(new[0]) - 1))
    inside = [min(cell, width - 1) for cell in cells]
    if not inside:
        return None
    # one more cell on the right: the cursor may be on a wide character
    return Region(min(inside), y, min(width, max(inside) + 2) - min(inside), 1)
