"""Colours of people and channels, each as close to the wanted one as is readable on the theme's backgrounds.

A person's colour is derived from the id, so it is the same everywhere. A channel's is the one that the user
chose for it. Themes that use the terminal's own sixteen colours have no tints, as it is not known which are
readable.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct
from rich.style import Style
from textual.color import Color

if TYPE_CHECKING:
    from textual.widget import Widget

__all__ = [
    "HUES",
    "Ground",
    "channel_tint",
    "contrast",
    "ground_of",
    "person_color",
    "person_tile",
    "person_tint",
    "readable",
]

HUES = (210, 28, 130, 330, 180, 60, 260, 3, 290)
"""Hues in degrees; consecutive ids get colours that are far apart."""
ON_DARK, ON_LIGHT = (0.55, 0.68), (0.75, 0.35)
"""Saturation and lightness of people's colours, 0 to 1: calm on dark backgrounds, strong on light ones."""
ON_DARK_TILE, ON_LIGHT_TILE = 0.26, 0.16
"""Share of a person's colour in the ground of the tile."""
READABLE = 5.5
"""Minimum contrast with the background (WCAG 2 requires 4.5): rounding to 256 colours takes some of it."""

_HEX = re.compile(r"#?([0-9a-fA-F]{6}|[0-9a-fA-F]{3})")
STEPS = 24


class Ground(Struct, frozen=True):
    """What tints are drawn on: the theme's background nearest to the colour of text, and whether it is dark.
    ``panel`` is empty if the theme uses the terminal's own colours.
    """

    panel: str
    dark: bool
    background: str = ""
    """The ground of messages, on which tiles stand."""
    has_shades: bool = True
    """Whether there are enough shades for grounds in the hues of people."""


def ground_of(widget: Widget) -> Ground:
    """The ground of tints in the theme of ``widget``."""
    app = widget.app
    panel = "" if app.native_ansi_color else app.theme_variables["panel"]
    has_shades = app.console.color_system != "256"
    return Ground(panel, app.current_theme.dark, app.theme_variables["background"], has_shades)


def person_tint(ground: Ground, user_id: int) -> Style:
    """The colour of a person."""
    return _style(ground, person_color(user_id, dark=ground.dark))


@lru_cache(maxsize=64)
def _tile(ground: Ground, color: Color) -> Style:
    share = ON_DARK_TILE if ground.dark else ON_LIGHT_TILE
    back = (
        Color.parse(ground.background).blend(color, share) if ground.has_shades else Color.parse(ground.panel)
    )
    return Style(color=readable(color, back, dark=ground.dark).rich_color, bgcolor=back.rich_color, bold=True)


def person_tile(ground: Ground, user_id: int) -> Style:
    """The tile of a person: initials in the person's colour, on a ground tinted with it where that is possible."""
    if not ground.panel:
        return Style.null()
    return _tile(ground, person_color(user_id, dark=ground.dark))


def person_color(user_id: int, *, dark: bool) -> Color:
    """The colour of a person on dark or light backgrounds."""
    return Color.from_hsl(HUES[user_id % len(HUES)] / 360, *(ON_DARK if dark else ON_LIGHT))


def channel_tint(ground: Ground, color: str) -> Style:
    """The colour of a channel; an empty style if the server's ``color`` is invalid."""
    digits = _HEX.fullmatch(color.strip())
    return _style(ground, Color.parse("#" + digits[1])) if digits else Style.null()


@lru_cache(maxsize=512)
def _style(ground: Ground, color: Color) -> Style:
    """A colour made readable on the ground, and so on all others of the theme."""
    if not ground.panel:
        return Style.null()
    return Style(color=readable(color, Color.parse(ground.panel), dark=ground.dark).rich_color)


def readable(wanted: Color, ground: Color, *, dark: bool) -> Color:
    """``wanted``, lightened on a dark ground or darkened on a light one until it is readable there."""
    hue, saturation, lightness = wanted.hsl
    end = 1.0 if dark else 0.0
    for step in range(STEPS + 1):
        color = Color.from_hsl(hue, saturation, lightness + (end - lightness) * step / STEPS)
        if contrast(color, ground) >= READABLE:
            return color
    return Color.from_hsl(hue, saturation, end)


def contrast(one: Color, other: Color) -> float:
    """The contrast ratio: from 1, none, to 21, black on white."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: Color) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
