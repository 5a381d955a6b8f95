"""Selecting the text of messages with the mouse, and copying it.

A row is known by the id of its message and its number in it, as one number that grows downwards: a selection
survives older messages arriving above, and scrolling.
"""

from __future__ import annotations

import logging

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset
from textual.message import Message as TextualMessage
from textual.selection import Selection
from textual.strip import Strip

from narrowcast.panes.messages.canvas import GUTTER, MessageCanvas
from narrowcast.panes.messages.feed import Key
from narrowcast.panes.messages.rows import Row

log = logging.getLogger(__name__)

__all__ = ["SelectingCanvas"]

_ROW_BITS = 16
_MOST_ROWS = 20_000


class SelectingCanvas(MessageCanvas):
    """The list with text that can be selected."""

    class TextSelected(TextualMessage, namespace="message_list"):
        """There is selected text now, or none any more."""

        def __init__(self, selected: bool) -> None:
            super().__init__()
            self.selected = selected

    _is_selected = False
    _rows_selected: tuple[tuple[int, int], tuple[int, int]] | None = None
    """Where a selection by keys began and where it ends: ids of messages, and rows of them."""

    def decorate_row(self, y: int, strip: Strip) -> Strip:
        """Marks the text of rows with where it is, so that the mouse can select it."""
        try:
            found = self._copy_row(y)
        except Exception:
            log.exception("row %s of the messages cannot be marked", y)
            return strip
        if found is None:
            return strip
        number, row = found
        start = GUTTER + row.start
        left, right = strip.crop(0, start), strip.crop(start)
        if self.text_selection is not None and (span := self.text_selection.get_span(number)) is not None:
            right = self._paint_selection(right, row, span)
        return Strip([*left, *right.apply_offsets(0, number)], strip.cell_length)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text between two places; lines that were wrapped are joined again."""
        feed = self.feed
        if feed is None or not len(feed):
            return None
        start = selection.start or Offset(0, 0)
        first, last = (
            start.y >> _ROW_BITS,
            (selection.end.y if selection.end is not None else 1 << 80) >> _ROW_BITS,
        )
        parts: list[str] = []
        ids = feed.ids
        for index in range(feed.index(first), min(len(ids), feed.index(last) + 1)):
            for number, row in enumerate(self._rows(index).rows):
                span = selection.get_span((ids[index] << _ROW_BITS) + number)
                if span is None or (not row.start and not row.text):
                    continue
                text = row.text[span[0] : None if span[1] < 0 else span[1]]
                parts.append(("\n" if row.glue is None else row.glue) + text if parts else text)
            if len(parts) > _MOST_ROWS:
                break
        return "".join(parts), "\n"

    def select_text_of(self, key: Key) -> None:
        """Selects the whole text of a message."""
        rows = self.rows_of(key)
        if rows is None or not isinstance(key, int):
            return
        last = len(rows.rows) - 1
        begin = next((number for number, row in enumerate(rows.rows) if row.start), rows.lead)
        first = Offset(0, (key << _ROW_BITS) + begin)
        end = Offset(len(rows.rows[last].text), (key << _ROW_BITS) + last)
        self.screen.selections = {self: Selection(first, end)}

    def extend_selection(self, delta: int) -> None:
        """Selects by whole rows from the selected message on: `delta` rows more, or fewer."""
        feed = self.feed
        if feed is None or not isinstance(self.selected, int) or not feed.holds(self.selected):
            return
        self._sync()
        known = self._rows_selected
        if (
            self not in self.screen.selections
            or known is None
            or not all(feed.holds(key) for key, _ in known)
        ):
            start = end = self._first_text(feed.index(self.selected))
        else:
            (start_key, start_row), (end_key, end_row) = known
            start = (feed.index(start_key), start_row)
            end = self._neighbour((feed.index(end_key), end_row), delta)
        self._rows_selected = ((feed.ids[start[0]], start[1]), (feed.ids[end[0]], end[1]))
        first, last = sorted((start, end))
        rows = self._rows(last[0]).rows
        text = rows[min(last[1], len(rows) - 1)].text
        begin_at, end_at = (Offset(x, self._number(place)) for x, place in ((0, first), (len(text), last)))
        self.screen.selections = {self: Selection(begin_at, end_at)}
        self._viewport.show(end[0])
        self._note_top()
        self.changed()

    def _number(self, place: tuple[int, int]) -> int:
        index, row = place
        key = self.feed.key(index) if self.feed is not None else 0
        return ((key if isinstance(key, int) else 0) << _ROW_BITS) + row

    def _first_text(self, index: int) -> tuple[int, int]:
        rows = self._rows(index)
        return index, next((number for number, row in enumerate(rows.rows) if row.start), rows.lead)

    def _neighbour(self, place: tuple[int, int], delta: int) -> tuple[int, int]:
        """The next row of content below or above, over the rows that lead to messages."""
        index, row = place
        count = len(self.feed.ids) if self.feed is not None else 0
        while True:
            row += delta
            if row >= len(self._rows(index).rows):
                if index + 1 >= count:
                    return place
                index, row = index + 1, 0
            elif row < 0:
                if index == 0:
                    return place
                index -= 1
                row = len(self._rows(index).rows) - 1
            if self._rows(index).rows[row].start:
                return index, row

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()
        if self._is_selected != (selection is not None):
            self._is_selected = selection is not None
            self.post_message(self.TextSelected(self._is_selected))

    def _copy_row(self, y: int) -> tuple[int, Row] | None:
        """The row at `y` with its number among all rows that ever were; None if it has no text of a message."""
        place = self._places[y] if y < len(self._places) else None
        feed = self.feed
        if place is None or feed is None or place.index >= len(feed) or (y == 0 and self._has_header()):
            return None
        key = feed.key(place.index)
        rows = self._rows(place.index)
        if not isinstance(key, int) or not rows.owns(place.row):
            return None
        return (key << _ROW_BITS) + place.row, rows.rows[place.row]

    def _paint_selection(self, strip: Strip, row: Row, span: tuple[int, int]) -> Strip:
        text = row.text
        begin = cell_len(text[: span[0]])
        end = cell_len(text) if span[1] < 0 else cell_len(text[: span[1]])
        style = Style(reverse=True) if self.app.no_color else self.part_style("messages--selection")
        middle = strip.crop(begin, end).apply_style(Style())
        painted = [Segment(piece, (look or Style()) + style) for piece, look, _ in middle]
        return Strip([*strip.crop(0, begin), *painted, *strip.crop(end)], strip.cell_length)
