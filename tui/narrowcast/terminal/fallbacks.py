"""What terminals with fewer colours or characters get instead: the nearest of 256 colours, a similar character.

Rich rounds each component of a colour separately, which turns dark greys with a little blue, as themes use
for backgrounds, into navy. Here the nearest colour is the one at the smallest perceptual distance, including
greys. Of a character that is not in the terminal's character set, Python would write six characters, and shift
all following columns; here each cell stays one cell wide.
"""

from __future__ import annotations

import codecs
import unicodedata
from functools import lru_cache
from typing import IO

from rich.cells import cell_len
from rich.color import Color, ColorType
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as TextualColor
from textual.filter import LineFilter

__all__ = ["ERRORS", "NearestOf256", "nearest", "of_number", "tolerate_all_characters"]

_STEPS = (0, 95, 135, 175, 215, 255)
"""The component values of the colour cube, 16 to 231."""
_GREYS = tuple(8 + 10 * step for step in range(24))
"""The greys of the 256 colours: 232 to 255."""
_CUBE = tuple((red, green, blue) for red in _STEPS for green in _STEPS for blue in _STEPS)
_PALETTE = (*_CUBE, *((grey, grey, grey) for grey in _GREYS))
_FIRST = 16
"""The first 16 colours are configurable by the user, so they are not used."""


@lru_cache(maxsize=4096)
def nearest(red: int, green: int, blue: int, taken: frozenset[int] = frozenset()) -> int:
    """The number of the one of the 256 colours that looks most like the given one, ``taken`` ones left out."""

    def distance(place: int) -> float:
        other_red, other_green, other_blue = _PALETTE[place]
        mean = (red + other_red) / 2
        return (
            (2 + mean / 256) * (red - other_red) ** 2
            + 4 * (green - other_green) ** 2
            + (2 + (255 - mean) / 256) * (blue - other_blue) ** 2
        )

    free = (place for place in range(len(_PALETTE)) if _FIRST + place not in taken)
    return _FIRST + min(free, key=distance)


def of_number(number: int) -> tuple[int, int, int]:
    """One of the 256 colours that the user cannot configure, by its number from 16 on."""
    return _PALETTE[number - _FIRST]


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


ERRORS = "narrowcast.plain"
_LOOKS = {
    "|": "│┃║╎▏▎▍▌▋▊▉▐┆‖",
    "#": "█▣◈▪",
    "-": "─━╌╍┄—–▔▁",
    "=": "═≡",
    "_": "▂▃▄▅",
    "+": "┌┍┏┐┑┓└┕┗┘┙┛├┣┤┫┬┳┴┻┼╋╭╮╯╰╔╗╚╝",
    ".": "·…◦",
    "*": "•●★☆✔✓⁂✦◆",
    "o": "○◌◐◉",
    "<": "‹«◂◀←",
    ">": "›»▸▹▶▷→↗↳",
    "v": "▾▿▼▽↓√",
    "^": "▲△↑⌂",
    "x": "×✕✗✘",
    "'": "‘’",
    '"': "“”",
    "~": "✎♪",
}
_ALIKE = {ord(sign): plain for plain, signs in _LOOKS.items() for sign in signs}


def _replacement(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_alike(character) for character in error.object[error.start : error.end]), error.end


def _alike(character: str) -> str:
    """ASCII of the same width: a similar character, the letter without its accent, or question marks."""
    for candidate in (character.translate(_ALIKE), unicodedata.normalize("NFKD", character)[:1]):
        if candidate.isascii() and cell_len(candidate) == cell_len(character):
            return candidate
    return "?" * cell_len(character)


def tolerate_all_characters(file: IO[str]) -> None:
    """Lets ``file`` accept any text; characters missing in its encoding are replaced by others of the same width."""
    codecs.register_error(ERRORS, _replacement)
    reconfigure = getattr(file, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors=ERRORS)
