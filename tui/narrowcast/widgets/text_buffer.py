"""The text of an editor: cursor, cuts, undo, soft wrap; without a screen.

Positions are counted in code points from the start. The cursor moves over whole grapheme clusters as far as
marks and joiners show them, so that a backspace never leaves half a character.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from msgspec import Struct
from rich.cells import cell_len

from narrowcast.text.columns import most_columns

MAX_UNDO = 200
MAX_UNDO_LENGTH = 4_000_000
"""Characters of all texts that are kept for undo, of which at least the last one is kept."""
_JOINER = "\u200d"
_PICTURES: dict[int, int] = {
    **{code: 0x2400 + code for code in range(32)},
    0x7F: 0x2421,
    **dict.fromkeys((*range(128, 160), 1564, 8203, 8206, 8207), 65533),
    **dict.fromkeys((*range(8232, 8239), *range(8288, 8304), 65279), 65533),
}
"""Replaces each control and each invisible character by one of one cell, so that the cursor moves over it."""
_SELECTORS: dict[int, None] = dict.fromkeys(range(0xFE00, 0xFE10))
"""Leaves out emoji presentation selectors, about whose width terminals differ."""


def as_shown(text: str) -> str:
    """A part of a text as an editor shows it; places on the screen are counted in this."""
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_PICTURES).translate(_SELECTORS)


class TextRow(Struct, frozen=True):
    """One row on screen: ``start`` to ``end`` of the text, without the line break."""

    start: int
    end: int


class TextBuffer:
    """A text and a cursor. Every method leaves the cursor at a character boundary."""

    def __init__(self, text: str = "", *, multiline: bool = True) -> None:
        self.multiline = multiline
        self.text = ""
        self.cursor = 0
        self.anchor: int | None = None
        """The other end of the selection; None if nothing is selected."""
        self._killed = ""
        self._undo: list[tuple[str, int]] = []
        self._typing = False
        self.reset(text)

    def reset(self, text: str) -> None:
        """Replaces the whole text: cursor at its end, no undo history."""
        self.text = self._clean(text)
        self.cursor = len(self.text)
        self.anchor = None
        self._undo.clear()
        self._typing = False

    def _clean(self, text: str) -> str:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        return text if self.multiline else text.replace("\n", " ")

    def _remember(self, *, typing: bool = False) -> None:
        """Saves the state for undo; a run of typed characters is one step."""
        if not (typing and self._typing):
            self._undo.append((self.text, self.cursor))
            del self._undo[:-MAX_UNDO]
            while len(self._undo) > 1 and sum(len(text) for text, _ in self._undo) > MAX_UNDO_LENGTH:
                del self._undo[0]
        self._typing = typing

    @property
    def selection(self) -> tuple[int, int] | None:
        """Start and end of the selected part; None if nothing is selected."""
        if self.anchor is None or self.anchor == self.cursor:
            return None
        return min(self.anchor, self.cursor), max(self.anchor, self.cursor)

    @property
    def word(self) -> tuple[int, int]:
        """Start and end of the word around the cursor; both are the cursor if it is not in or at a word."""
        start = end = self.cursor
        while start > 0 and self.text[start - 1].isalnum():
            start -= 1
        while end < len(self.text) and self.text[end].isalnum():
            end += 1
        return start, end

    # editing

    def insert(self, text: str, *, typed: bool = False) -> None:
        """Inserts ``text`` at the cursor."""
        text = self._clean(text)
        self._remember(typing=typed and not text.isspace())
        self.text = self.text[: self.cursor] + text + self.text[self.cursor :]
        self.cursor += len(text)

    def replace(self, start: int, end: int, text: str) -> None:
        """Replaces the text from ``start`` to ``end`` by ``text``; the cursor goes behind it."""
        self._remember()
        text = self._clean(text)
        self.text = self.text[:start] + text + self.text[end:]
        self.cursor = start + len(text)

    def _delete(self, start: int, end: int, *, kill: bool = False) -> bool:
        if start >= end:
            return False
        self._remember()
        if kill:
            self._killed = self.text[start:end]
        self.text = self.text[:start] + self.text[end:]
        self.cursor = start
        return True

    def cut_selection(self, *, kill: bool = False) -> bool:
        """Deletes what is selected; False if nothing is. ``kill``: `yank` inserts it again."""
        selection, self.anchor = self.selection, None
        return selection is not None and self._delete(*selection, kill=kill)

    def backspace(self) -> bool:
        """Deletes the character before the cursor; False at the start."""
        return self._delete(self._before(self.cursor), self.cursor)

    def delete(self) -> bool:
        """Deletes the character under the cursor; False at the end."""
        return self._delete(self.cursor, self._after(self.cursor))

    def kill_word(self) -> bool:
        """Cuts back to the start of the word."""
        return self._delete(self._word_left(), self.cursor, kill=True)

    def kill_word_right(self) -> bool:
        """Cuts to the end of the word."""
        return self._delete(self.cursor, self._word_right(), kill=True)

    def kill_start(self) -> bool:
        """Cuts to the start of the line; at its start, the line break before it."""
        start = self.line_start()
        return self._delete(start if start < self.cursor else max(0, start - 1), self.cursor, kill=True)

    def kill_end(self) -> bool:
        """Cuts to the end of the line; at its end, the line break."""
        end = self.line_end()
        return self._delete(
            self.cursor, end if end > self.cursor else min(len(self.text), end + 1), kill=True
        )

    def yank(self) -> bool:
        """Inserts the last cut; False if there is none."""
        if not self._killed:
            return False
        self.insert(self._killed)
        return True

    def undo(self) -> bool:
        """Undoes the last change; False if there is none."""
        if not self._undo:
            return False
        self.text, self.cursor = self._undo.pop()
        self._typing = False
        return True

    # moving

    def _before(self, position: int) -> int:
        position = max(0, position - 1)
        while position > 0 and _extends(self.text, position):
            position -= 1
        return position

    def _after(self, position: int) -> int:
        position = min(len(self.text), position + 1)
        while position < len(self.text) and _extends(self.text, position):
            position += 1
        return position

    def left(self) -> None:
        self.cursor = self._before(self.cursor)
        self._typing = False

    def right(self) -> None:
        self.cursor = self._after(self.cursor)
        self._typing = False

    def _word_left(self) -> int:
        position = self.cursor
        while position > 0 and not self.text[position - 1].isalnum():
            position -= 1
        while position > 0 and self.text[position - 1].isalnum():
            position -= 1
        return position

    def _word_right(self) -> int:
        position = self.cursor
        while position < len(self.text) and not self.text[position].isalnum():
            position += 1
        while position < len(self.text) and self.text[position].isalnum():
            position += 1
        return position

    def word_left(self) -> None:
        self.cursor = self._word_left()
        self._typing = False

    def word_right(self) -> None:
        self.cursor = self._word_right()
        self._typing = False

    def line_start(self) -> int:
        """The start of the cursor's line."""
        return self.text.rfind("\n", 0, self.cursor) + 1

    def line_end(self) -> int:
        """The end of the cursor's line."""
        end = self.text.find("\n", self.cursor)
        return len(self.text) if end < 0 else end

    def home(self) -> None:
        self.cursor = self.line_start()
        self._typing = False

    def end(self) -> None:
        self.cursor = self.line_end()
        self._typing = False

    def text_start(self) -> None:
        self.cursor = 0
        self._typing = False

    def text_end(self) -> None:
        self.cursor = len(self.text)
        self._typing = False

    # on screen

    def rows(self, width: int) -> list[TextRow]:
        """The text wrapped to ``width`` cells; the last column is reserved for the cursor."""
        rows: list[TextRow] = []
        offset = 0
        for line in self.text.split("\n"):
            rows.extend(TextRow(offset + start, offset + end) for start, end in _wrap(line, max(2, width)))
            offset += len(line) + 1
        return rows

    def locate(self, rows: list[TextRow], position: int | None = None) -> tuple[int, int]:
        """(row, cell) of ``position``, by default of the cursor."""
        position = self.cursor if position is None else position
        for number in range(len(rows) - 1, -1, -1):
            if rows[number].start <= position:
                return number, cell_len(
                    as_shown(self.text[rows[number].start : min(position, rows[number].end)])
                )
        return 0, 0

    def position_at(self, rows: list[TextRow], row: int, cell: int) -> int:
        """The position nearest to (row, cell)."""
        row = min(max(row, 0), len(rows) - 1)
        position, used = rows[row].start, 0
        while position < rows[row].end:
            step = self._after(position)
            wide = cell_len(as_shown(self.text[position:step]))
            if used + wide > cell:
                break
            used += wide
            position = step
        last = row + 1 < len(rows) and rows[row + 1].start == rows[row].end
        return self._before(position) if last and position == rows[row].end > rows[row].start else position

    def vertical(self, rows: list[TextRow], by: int) -> bool:
        """Moves the cursor by ``by`` rows; False at the first or last row."""
        row, cell = self.locate(rows)
        if not 0 <= row + by < len(rows):
            return False
        self.cursor = self.position_at(rows, row + by, cell)
        self._typing = False
        return True


def _extends(text: str, position: int) -> bool:
    """Whether the code point at ``position`` belongs to the character before it."""
    character = text[position]
    return (
        unicodedata.combining(character) != 0
        or character in {_JOINER, "\ufe0f"}
        or text[position - 1] == _JOINER
        or "\U0001f3fb" <= character <= "\U0001f3ff"
    )


@lru_cache(maxsize=256)
def _wrap(line: str, width: int) -> tuple[tuple[int, int], ...]:
    """Wraps one line at spaces if possible, else anywhere; rows are at most ``width - 1`` cells wide."""
    limit, line = width - 1, line.translate(_PICTURES)
    if most_columns(line) <= limit:
        return ((0, len(line)),)
    rows: list[tuple[int, int]] = []
    start, used, space = 0, 0, -1
    for index, character in enumerate(line):
        wide = most_columns(character)
        if used + wide > limit and index > start:
            cut = space if space > start else index
            rows.append((start, cut))
            used = most_columns(line[cut:index])
            start = cut
        used += wide
        if character == " ":
            space = index + 1
    rows.append((start, len(line)))
    return tuple(rows)
