"""Selecting the text of messages with the mouse or keys, and copying it.

A row is identified by its message's id and its index in the message, combined in one number that increases
downwards: a selection survives scrolling, and older messages arriving above.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset
from textual.selection import Selection
from textual.strip import Strip

from narrowcast.panes.messages.items import ItemRows, Key, MessageItems
from narrowcast.panes.messages.painting import GUTTER
from narrowcast.panes.messages.position import Position
from narrowcast.panes.messages.row_values import MessageRow, Rows

if TYPE_CHECKING:
    from narrowcast.widgets.line_view import LineView

__all__ = ["TextSelection"]

_ROW_BITS = 16
_MAX_ROWS = 20_000


class TextSelection:
    """The selection itself is stored in the screen of ``view``, as in Textual."""

    def __init__(self, view: LineView, rows: ItemRows, position: Position) -> None:
        self._view = view
        self._rows = rows
        self._position = position
        self._ends: tuple[tuple[int, int], tuple[int, int]] | None = None
        """Start and end of a selection made by keys: ids of messages, and rows in them."""

    # painting

    def mark(self, y: int, strip: Strip) -> Strip:
        """Marks the text of row ``y`` with its position, for the mouse, and highlights the selected part."""
        marked = self._row_at(y)
        if marked is None:
            return strip
        number, row = marked
        start = GUTTER + row.start
        left, right = strip.crop(0, start), strip.crop(start)
        selection = self._view.text_selection
        if selection is not None and (span := selection.get_span(number)) is not None:
            right = self._paint(right, row, span)
        return Strip([*left, *right.apply_offsets(0, number)], strip.cell_length)

    def _row_at(self, y: int) -> tuple[int, MessageRow] | None:
        """The row at ``y`` and its number (see the module's description); None if it contains no text of a message."""
        position, feed = self._position, self._rows.feed
        place = position.places[y] if y < len(position.places) else None
        if place is None or feed is None or place.index >= len(feed):
            return None
        key = feed.key(place.index)
        rows = self._rows.at(place.index)
        if not isinstance(key, int) or not rows.owns(place.row):
            return None
        return _number(key, place.row), rows.rows[place.row]

    def _paint(self, strip: Strip, row: MessageRow, span: tuple[int, int]) -> Strip:
        text, view = row.text, self._view
        begin = cell_len(text[: span[0]])
        end = cell_len(text) if span[1] < 0 else cell_len(text[: span[1]])
        style = Style(reverse=True) if view.app.no_color else view.part_style("messages--selection")
        middle = strip.crop(begin, end).apply_style(Style())
        painted = [Segment(piece, (look or Style()) + style) for piece, look, _ in middle]
        return Strip([*strip.crop(0, begin), *painted, *strip.crop(end)], strip.cell_length)

    # text

    def text(self, selection: Selection) -> str:
        """The selected text; wrapped lines are joined again."""
        feed = self._rows.feed
        if feed is None or not len(feed):
            return ""
        start = selection.start or Offset(0, 0)
        first, last = (
            start.y >> _ROW_BITS,
            (selection.end.y if selection.end is not None else 1 << 80) >> _ROW_BITS,
        )
        parts: list[str] = []
        ids = feed.ids
        for index in range(feed.index(first), min(len(ids), feed.index(last) + 1)):
            for number, row in enumerate(self._rows.at(index).rows):
                span = selection.get_span(_number(ids[index], number))
                if span is None or not (row.is_text or row.text):
                    continue
                text = row.copied(span[0], None if span[1] < 0 else span[1])
                parts.append(("\n" if row.glue is None else row.glue) + text if parts else text)
            if len(parts) > _MAX_ROWS:
                break
        return "".join(parts)

    # selecting

    def select_text_of(self, key: Key) -> None:
        """Selects the whole text of a message."""
        rows = self._rows.of(key)
        if rows is None or not isinstance(key, int):
            return
        last = len(rows.rows) - 1
        end = Offset(len(rows.rows[last].text), _number(key, last))
        self._select(Offset(0, _number(key, _first_text(rows))), end)

    def extend(self, delta: int) -> None:
        """Selects whole rows from the selected message on: extends the selection by ``delta`` rows, or shrinks it."""
        feed, selected = self._rows.feed, self._position.selected
        if feed is None or not isinstance(selected, int) or not feed.holds(selected):
            return
        self._position.sync()
        ends = self._ends
        if (
            self._view not in self._view.screen.selections
            or ends is None
            or not all(feed.holds(key) for key, _ in ends)
        ):
            index = feed.index(selected)
            start = end = (index, _first_text(self._rows.at(index)))
        else:
            (start_key, start_row), (end_key, end_row) = ends
            start = (feed.index(start_key), start_row)
            end = self._neighbour(feed, (feed.index(end_key), end_row), delta)
        self._ends = ((feed.ids[start[0]], start[1]), (feed.ids[end[0]], end[1]))
        first, last = sorted((start, end))
        rows = self._rows.at(last[0]).rows
        text = rows[min(last[1], len(rows) - 1)].text
        self._select(
            Offset(0, _number(feed.ids[first[0]], first[1])),
            Offset(len(text), _number(feed.ids[last[0]], last[1])),
        )
        self._position.bring_into_view(end[0])

    def _select(self, start: Offset, end: Offset) -> None:
        self._view.screen.selections = {self._view: Selection(start, end)}

    def _neighbour(self, feed: MessageItems, place: tuple[int, int], delta: int) -> tuple[int, int]:
        """The next row of content below or above, skipping rows without message text."""
        index, row = place
        while True:
            row += delta
            if row >= len(self._rows.at(index).rows):
                if index + 1 >= len(feed.ids):
                    return place
                index, row = index + 1, 0
            elif row < 0:
                if index == 0:
                    return place
                index -= 1
                row = len(self._rows.at(index).rows) - 1
            if self._rows.at(index).rows[row].is_text:
                return index, row


def _number(message_id: int, row: int) -> int:
    """A row of a message as one number (see the module's description)."""
    return (message_id << _ROW_BITS) + row


def _first_text(rows: Rows) -> int:
    """The first row that contains text of the message."""
    return next((number for number, row in enumerate(rows.rows) if row.is_text), rows.lead)
