"""The picture of the first screen, in half blocks: arcs that narrow to a dot, and the name below them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip

from narrowcast.widgets.line_view import LineView
from narrowcast.widgets.looks import Look
from narrowcast.widgets.strips import lean_strip

__all__ = ["Logo"]

NAME = (
    "                                            █  ",
    "███   ███ █ █ █ █  ██  █   █  ███  ███  ███ ███",
    "█  █ █  █ ██  ██  █  █ █ █ █ █    █  █ ██    █ ",
    "█  █ █  █ █   █   █  █ █ █ █ █    █  █   ██  █ ",
    "█  █  ███ █   █    ██   █ █   ███  ███ ███    ██",
)
"""Each sign is a pixel; two of them, one above the other, are a cell."""
WIDTH = max(map(len, NAME))
LARGE: Sequence[tuple[int, Sequence[int]]] = (
    (0, (0, 1, 1, 2, 2, 3, 3, 3, 3, 3, 3, 2, 2, 1, 1, 0)),
    (7, (0, 1, 2, 3, 3, 3, 3, 3, 3, 2, 1, 0)),
    (15, (0, 1, 2, 2, 2, 2, 1, 0)),
    (22, (0, 1, 1, 1, 1, 0)),
    (27, (0, 1, 1, 0)),
)
SMALL = LARGE[2:]
"""For each arc its first column, and how many columns each of its rows is to the right of that."""
THICK = 2
"""Pixels across an arc, and of the dot."""
GAP = 4
"""Columns between the last arc and the dot."""
LEAST_ROWS, ROWS_FOR_LARGE = 20, 30
"""Rows of the terminal from which the picture is shown, and from which it has all arcs."""

Pixels = dict[tuple[int, int], str]
"""The look of each pixel, by column and row."""


class Logo(LineView, can_focus=False):
    """As wide as the name; the arcs stand above its middle."""

    DEFAULT_CSS = f"""
    Logo {{ height: auto; width: {WIDTH}; background: $background; color: $foreground; }}
    """
    LOOKS: ClassVar[Mapping[str, Look]] = {
        **{
            f"logo--{number}": Look(f"primary {30 + 70 * number // (len(LARGE) - 1)}%")
            for number in range(len(LARGE))
        },
        "logo--dot": Look("text-error"),
        "logo--name": Look("foreground"),
    }

    _is_large = False

    def fit(self, terminal: Size) -> None:
        """Takes as many arcs as a terminal has room for; hidden where there is none."""
        self.display = terminal.width >= WIDTH + 2 and terminal.height >= LEAST_ROWS
        if self._is_large != (terminal.height >= ROWS_FOR_LARGE):
            self._is_large = not self._is_large
            self.refresh(layout=True)
            self.changed()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return (max(row for _, row in _picture(self._is_large)) + 2) // 2

    def compose_row(self, y: int) -> Strip:
        pixels = _picture(self._is_large)
        segments = []
        for x in range(self.room.width):
            upper, lower = pixels.get((x, 2 * y)), pixels.get((x, 2 * y + 1))
            sign = "█" if upper and lower else "▀" if upper else "▄" if lower else " "
            look = upper or lower
            style = self.base_style + (self.part_style(look) if look is not None else Style.null())
            segments.append(Segment(sign, style))
        return lean_strip(segments, self.room.width)

    def scroll_rows(self, delta: int) -> None:
        """It does not scroll."""

    def scroll_to_share(self, share: float) -> None:
        """It does not scroll."""


@cache
def _picture(is_large: bool) -> Pixels:
    arcs = LARGE if is_large else SMALL
    start, (last, last_bend) = arcs[0][0], arcs[-1]
    dot = last - start + max(last_bend) + THICK + GAP
    left, height = (WIDTH - dot - THICK) // 2, len(arcs[0][1])
    pixels: Pixels = {}
    for number, (column, bend) in enumerate(arcs, len(LARGE) - len(arcs)):
        for row, far in enumerate(bend, (height - len(bend)) // 2):
            for x in range(THICK):
                pixels[left + column - start + far + x, row] = f"logo--{number}"
    for x in range(THICK):
        for row in range(THICK):
            pixels[left + dot + x, height // 2 - 1 + row] = "logo--dot"
    for row, signs in enumerate(NAME, height + 1):
        pixels.update({(x, row): "logo--name" for x, sign in enumerate(signs) if sign != " "})
    return pixels
