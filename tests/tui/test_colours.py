"""Colours on terminals with 256 colours: close to the original, and grey never becomes navy."""

from __future__ import annotations

from rich.color import Color, ColorType
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as TextualColor

from narrowcast.config.themes import THEMES
from narrowcast.terminal.fallbacks import NearestOf256, nearest


def test_a_dark_grey_with_a_little_blue_stays_a_grey() -> None:
    for theme in THEMES[:3]:
        for name in ("background", "surface", "panel"):
            number = nearest(*TextualColor.parse(getattr(theme, name)).rgb)
            assert number >= 232 or number in (16, 59, 188, 231), (theme.name, name, number)


def test_each_of_the_256_is_nearest_to_itself() -> None:
    assert [nearest(*Color.from_ansi(number).get_truecolor()) for number in (16, 67, 110, 196, 231, 244)] == [
        16,
        67,
        110,
        196,
        231,
        244,
    ]


def test_only_true_colours_are_replaced() -> None:
    own = Style(color="red", bold=True)
    segments = [Segment("a", own), Segment("b", Style(color="#7aa2c8", bgcolor="#222832")), Segment("c")]
    plain, coloured, bare = NearestOf256().apply(segments, TextualColor(0, 0, 0))
    assert plain.style is own
    assert bare.style is None
    assert coloured.style is not None
    assert coloured.style.color is not None
    assert coloured.style.color.type is ColorType.EIGHT_BIT
