"""The upper or lower edge of a frame, with texts on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from narrowcast.text.columns import most_columns
from narrowcast.text.safe_text import crop_cells
from narrowcast.widgets.looks import Look
from narrowcast.widgets.one_line import OneLine
from narrowcast.widgets.strips import Part, lean_strip

__all__ = ["FrameEdge", "edge_row"]


class FrameEdge(OneLine):
    """A horizontal edge from one corner to the other, either of which may be missing; its parts are on the edge.

    The edge has the color of the widget, so that style sheets show the focus with it.
    """

    DEFAULT_CSS = """
    FrameEdge { background: $background; color: $line; }
    """
    LOOKS: ClassVar[Mapping[str, Look]] = {
        "title": Look("text-primary", letters=Style(bold=True)),
    }

    def __init__(self, first: str = "", last: str = "", *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._first, self._last = first, last

    def notify_style_update(self) -> None:
        """The focus changes the color."""
        super().notify_style_update()
        self.changed()

    def compose_row(self, y: int) -> Strip:
        return edge_row(
            self.room.width,
            (self._first, self._last),
            self._styled(self._left),
            self._styled(self._right),
            base=self.base_style,
        )


def edge_row(
    width: int, corners: tuple[str, str], left: Sequence[Part], right: Sequence[Part], *, base: Style
) -> Strip:
    """One edge. The right parts are left out if they do not fit; the left ones are then truncated."""
    line = Style.null()
    first, last = corners
    ends = len(first) + len(last)
    right = _trimmed(right)
    if right and ends + 2 + sum(most_columns(text) for text, _ in right) >= width:
        right = []
    closing: list[Part] = [(" ", line), *right, (" ─", line), (last, line)] if right else [(last, line)]
    room = width - sum(most_columns(text) for text, _ in closing) - len(first)
    opening: list[Part] = []
    for text, style in _trimmed(left):
        cut = crop_cells(text, max(0, room - 4 - sum(most_columns(shown) for shown, _ in opening)))
        opening.append((cut, style))
    if opening:
        opening = [("─ ", line), *opening, (" ", line)]
    rest = width - sum(cell_len(text) for text, _ in ((first, line), *opening, *closing))
    parts = [(first, line), *opening, ("─" * max(0, rest), line), *closing]
    return lean_strip([Segment(text, base + style) for text, style in parts if text], width)


def _trimmed(parts: Sequence[Part]) -> list[Part]:
    """The parts without blanks at their two ends."""
    shown = [(text, style) for text, style in parts if text]
    if shown:
        shown[0] = (shown[0][0].lstrip(), shown[0][1])
        shown[-1] = (shown[-1][0].rstrip(), shown[-1][1])
    return [(text, style) for text, style in shown if text]
