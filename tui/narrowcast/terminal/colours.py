"""Colours for terminals with 256 colours: the nearest fixed colour for each colour of the theme.

Rich rounds each component of a colour separately, which turns dark greys with a little blue, as themes use
for backgrounds, into navy. Here the nearest colour is the one at the smallest perceptual distance, including
greys.
"""

from __future__ import annotations

from functools import lru_cache

from rich.color import Color, ColorType
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as TextualColor
from textual.filter import LineFilter

__all__ = ["NearestOf256", "nearest"]

_STEPS = (0, 95, 135, 175, 215, 255)
"""The component values of the colour cube, 16 to 231."""
_GREYS = tuple(8 + 10 * step for step in range(24))
"""The greys of the 256 colours: 232 to 255."""
_CUBE = tuple((red, green, blue) for red in _STEPS for green in _STEPS for blue in _STEPS)
_PALETTE = (*_CUBE, *((grey, grey, grey) for grey in _GREYS))
_FIRST = 16
"""The first 16 colours are configurable by the user, so they are not used."""


@lru_cache(maxsize=4096)
def nearest(red: int, green: int, blue: int) -> int:
    """The number of the one of the 256 colours that looks most like the given one."""

    def distance(place: int) -> float:
        other_red, other_green, other_blue = _PALETTE[place]
        mean = (red + other_red) / 2
        return (
            (2 + mean / 256) * (red - other_red) ** 2
            + 4 * (green - other_green) ** 2
            + (2 + (255 - mean) / 256) * (blue - other_blue) ** 2
        )

    return _FIRST + min(range(len(_PALETTE)), key=distance)


@lru_cache(maxsize=4096)
def _of_256(style: Style) -> Style:
    color, ground = _fixed(style.color), _fixed(style.bgcolor)
    if color is style.color and ground is style.bgcolor:
        return style
    return style + Style(color=color, bgcolor=ground)


def _fixed(color: Color | None) -> Color | None:
    if color is None or color.type is not ColorType.TRUECOLOR or color.triplet is None:
        return color
    return Color.from_ansi(nearest(*color.triplet))


class NearestOf256(LineFilter):
    """Replaces the colours of each cell by the nearest of the 256 colours."""

    def apply(self, segments: list[Segment], background: TextualColor) -> list[Segment]:
        """The same text in other colours."""
        return [
            segment
            if segment.style is None
            else Segment(segment.text, _of_256(segment.style), segment.control)
            for segment in segments
        ]
