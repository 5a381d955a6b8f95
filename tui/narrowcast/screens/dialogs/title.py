"""The first line of a dialog: its title, and the keys that close it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.geometry import Size
from textual.strip import Strip

from narrowcast.keys.hints import SEPARATOR, hint_lines
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.one_line import OneLine, Piece
from narrowcast.widgets.strips import compose_line

__all__ = ["DialogTitle"]


class DialogTitle(OneLine):
    """The keys, which are the right part, move below the title if one line is too short for both: on as many lines
    as they need.
    """

    DEFAULT_CSS = """
    DialogTitle { height: auto; }
    """

    def lines_in(self, width: int) -> int:
        """The number of lines at this width."""
        pieces = [*self._left, *self._right]
        if sum(cell_len(safe_line(text)) for text, _ in pieces) + 1 <= width:
            return 1
        return 1 + len(self._lines_below(width))

    def _lines_below(self, width: int) -> Sequence[Piece]:
        return [
            (line, look)
            for text, look in self._right
            for line in hint_lines(safe_line(text).split(SEPARATOR), width)
        ]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self.lines_in(width)

    def compose_row(self, y: int) -> Strip:
        width = self.room.width
        lines = self.lines_in(width)
        if lines == 1 or y >= lines:
            return super().compose_row(y)
        if y == 0:
            return compose_line(width, self._styled(self._left), [], base=self.base_style)
        return compose_line(width, [], self._styled([self._lines_below(width)[y - 1]]), base=self.base_style)
