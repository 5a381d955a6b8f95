"""The screen behind a dialog: dimmed, so that only the dialog is looked at. A second dialog dims the first one too."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from rich.color import Color, ColorType
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from narrowcast.terminal.fallbacks import nearest, of_number

__all__ = ["dimmed"]

SHADE = 0.62
"""Share of the shade in each color behind a dialog."""
ON_DARK, ON_LIGHT = ColorTriplet(10, 13, 16), ColorTriplet(220, 217, 209)
FAINT = Style(dim=True, bold=False)
"""The same where the terminal's own colors are used, which cannot be mixed."""


def dimmed(strips: Sequence[Strip], *, dark: bool, has_shades: bool) -> list[Strip]:
    """Rows of the screen below, each color mixed with a shade; faint if there are no shades. One of the 256 colors
    becomes another of them.
    """
    return [_row(strip, dark, has_shades) for strip in strips]


def _row(strip: Strip, dark: bool, has_shades: bool) -> Strip:
    segments = [
        Segment(text, _style(style, dark) if has_shades else style + FAINT) if style else Segment(text)
        for text, style, _ in strip
    ]
    return Strip(segments, strip.cell_length)


@lru_cache(maxsize=1024)
def _style(style: Style, dark: bool) -> Style:
    return style + Style(color=_mixed(style.color, dark), bgcolor=_mixed(style.bgcolor, dark))


def _mixed(color: Color | None, dark: bool) -> Color | None:
    if color is None:
        return None
    shade = ON_DARK if dark else ON_LIGHT
    if color.type is ColorType.EIGHT_BIT and color.number is not None:
        # The rows have passed the filter to 256 colors, and will not pass it again.
        return Color.from_ansi(nearest(*_between(of_number(color.number), shade)))
    return color if color.triplet is None else Color.from_rgb(*_between(color.triplet, shade))


def _between(color: tuple[int, int, int], shade: tuple[int, int, int]) -> tuple[int, int, int]:
    red, green, blue = (
        round(part + (towards - part) * SHADE) for part, towards in zip(color, shade, strict=True)
    )
    return red, green, blue
