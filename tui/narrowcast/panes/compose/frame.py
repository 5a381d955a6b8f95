"""The frame of compose: its upper and lower edge, between which the sides are borders of what is inside."""

from __future__ import annotations

from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip

from narrowcast.widgets.one_line import OneLine
from narrowcast.widgets.strips import Part, compose_line

__all__ = ["COMPOSE_CSS", "FrameEdge"]

COMPOSE_CSS = """
ComposePane { height: auto; background: $background; padding: 0 1; }
ComposePane #text, ComposePane #banner, ComposePane UploadRows {
    border-left: round $line; border-right: round $line; background: $background;
}
ComposePane #text { height: 1; padding: 0 1; }
ComposePane.-focused FrameEdge { color: $primary; }
ComposePane.-focused #text, ComposePane.-focused #banner, ComposePane:focus-within UploadRows {
    border-left: round $primary; border-right: round $primary;
}
ComposePane.-idle #text, ComposePane.-idle #banner, ComposePane.-idle UploadRows,
ComposePane.-idle #hint { display: none; }
ComposePane > #offers {
    display: none; overlay: screen; constrain: inside inside; width: 46; height: auto;
    background: $surface; border: round $line; offset: 1 0;
}
ComposePane.-offering > #offers { display: block; }
"""
"""The style sheet of compose: with the focus, its frame has the primary color."""


class FrameEdge(OneLine):
    """A horizontal edge from one corner to the other, either of which may be missing; its right part is on the edge.

    The edge has the color of the widget, so that style sheets show the focus with it.
    """

    DEFAULT_CSS = """
    FrameEdge { background: $background; color: $line; }
    """

    def __init__(self, first: str = "", last: str = "", *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._first, self._last = first, last

    def notify_style_update(self) -> None:
        """The focus changes the color."""
        super().notify_style_update()
        self.changed()

    def compose_row(self, y: int) -> Strip:
        width, line = self.room.width, Style.null()
        on_edge: list[Part] = [(text, style) for text, style in self._styled(self._right) if text.strip()]
        if on_edge:
            on_edge = [(" ", line), *((text.strip(), style) for text, style in on_edge), (" ─", line)]
        rest = width - sum(cell_len(text) for text, _ in on_edge) - len(self._first) - len(self._last)
        if rest < 1:
            on_edge, rest = [], width - len(self._first) - len(self._last)
        left = (self._first + "─" * max(0, rest), line)
        return compose_line(width, [left, *on_edge, (self._last, line)], base=self.base_style)
