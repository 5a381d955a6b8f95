"""The first line of a dialog: its title, and the keys that close it."""

from __future__ import annotations

from rich.cells import cell_len
from textual.geometry import Size
from textual.strip import Strip

from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.line_view import compose_line
from narrowcast.widgets.one_line import OneLine

__all__ = ["DialogTitle"]


class DialogTitle(OneLine):
    """The right part moves below the title if one line is too short for both."""

    DEFAULT_CSS = """
    DialogTitle { height: auto; }
    """

    def lines_in(self, width: int) -> int:
        """The number of lines at this width."""
        pieces = [*self._left, *self._right]
        return 1 if sum(cell_len(safe_line(text)) for text, _ in pieces) + 1 <= width else 2

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self.lines_in(width)

    def compose_row(self, y: int) -> Strip:
        width = self.room.width
        if self.lines_in(width) == 1 or y > 1:
            return super().compose_row(y)
        left, right = ([], self._styled(self._right)) if y else (self._styled(self._left), [])
        return compose_line(width, left, right, base=self.base_style)
