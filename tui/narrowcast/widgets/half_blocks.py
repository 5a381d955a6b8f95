"""A picture drawn with half blocks: two pixels per cell, in the colours that the terminal has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["HalfBlocks"]


class HalfBlocks(Widget):
    """Shows `picture` within `cells` columns and rows; transparent parts are black."""

    DEFAULT_CSS = """
    HalfBlocks { width: auto; height: auto; }
    """

    def __init__(self, picture: Image, cells: tuple[int, int]) -> None:
        super().__init__()
        columns, rows = max(1, cells[0]), max(1, cells[1])
        width, height = picture.size
        scale = min(columns / width, rows * 2 / height)
        size = (max(1, round(width * scale)), max(2, round(height * scale / 2) * 2))
        self._strips = _strips(picture.resize(size).convert("RGBA"))
        self.styles.width, self.styles.height = size[0], len(self._strips)

    def render_line(self, y: int) -> Strip:
        return self._strips[y] if y < len(self._strips) else Strip.blank(self.size.width)


def _strips(picture: Image) -> list[Strip]:
    from PIL import Image as Pillow

    width, height = picture.size
    ground = Pillow.new("RGBA", picture.size, (0, 0, 0, 255))
    data = Pillow.alpha_composite(ground, picture).convert("RGB").tobytes()

    def colour(x: int, y: int) -> Color:
        start = (y * width + x) * 3
        return Color.from_rgb(data[start], data[start + 1], data[start + 2])

    return [
        Strip(
            [
                Segment("▀", Style(color=colour(x, y), bgcolor=colour(x, min(y + 1, height - 1))))
                for x in range(width)
            ],
            width,
        )
        for y in range(0, height, 2)
    ]
