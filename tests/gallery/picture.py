"""The screen of a terminal as an SVG picture, drawn cell by cell from what a program has sent.

The cells come from pyte, which knows colours of all three depths. It does not know faint text, which
`FaintScreen` adds: without colours, faint is how the app shows what matters less.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape

from pyte.screens import Char
from rich.cells import cell_len

from support.terminal import QuietScreen

__all__ = ["FaintScreen", "svg"]

CELL = (10, 20)
"""Width and height of a cell in pixels."""
FONT_SIZE = 16.66
"""The fonts are 0.6 wide: letters fill their cells also where a viewer does not stretch text to its length."""
FONTS = "'JetBrains Mono', 'DejaVu Sans Mono', 'Noto Sans Mono', monospace"

_NAMED = {
    "black": "#000000",
    "red": "#cd3131",
    "green": "#0dbc79",
    "brown": "#c8a000",
    "blue": "#3b78ff",
    "magenta": "#bc3fbc",
    "cyan": "#11a8cd",
    "white": "#d0d0d0",
    "brightblack": "#767676",
    "brightred": "#f14c4c",
    "brightgreen": "#23d18b",
    "brightbrown": "#f5f543",
    "brightblue": "#6a9fff",
    "brightmagenta": "#d670d6",
    "bfightmagenta": "#d670d6",  # pyte's own spelling
    "brightcyan": "#29b8db",
    "brightwhite": "#ffffff",
}


class FaintScreen(QuietScreen):
    """A screen that records faint text. pyte has no attribute for it, so it is kept as `blink`, which
    the app never uses.
    """

    def select_graphic_rendition(self, *attributes: int, private: bool = False) -> None:
        """Sets the attributes, faint among them."""
        super().select_graphic_rendition(*attributes, private=private)
        if private:
            return
        if _sets_faint(attributes):
            self.cursor.attrs = self.cursor.attrs._replace(blink=True)
        elif 22 in attributes:
            self.cursor.attrs = self.cursor.attrs._replace(blink=False)


def _sets_faint(attributes: tuple[int, ...]) -> bool:
    """Whether 2 is among the attributes and not part of a colour (38;2;r;g;b, 38;5;n)."""
    rest = list(attributes)
    while rest:
        first = rest.pop(0)
        if first in (38, 48) and rest:
            del rest[: 4 if rest[0] == 2 else 2]
        elif first == 2:
            return True
    return False


@dataclass(frozen=True)
class Run:
    """Characters beside each other that look the same. ``cells`` is their width."""

    column: int
    text: str
    cells: int
    look: Char


def svg(screen: FaintScreen, ink: str, ground: str) -> str:
    """The screen as SVG. ``ink`` and ``ground`` (#rrggbb) are the terminal's own colours."""
    width, height = screen.columns * CELL[0], screen.lines * CELL[1]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="{FONTS}" font-size="{FONT_SIZE}">',
        f'<rect width="{width}" height="{height}" fill="{ground}"/>',
    ]
    for row in range(screen.lines):
        for run in runs(screen.buffer[row], screen.columns):
            parts.extend(_drawn(run, row, ink, ground))
    parts.append("</svg>\n")
    return "\n".join(parts)


def runs(cells: Mapping[int, Char], columns: int) -> Iterator[Run]:
    """The runs of a row. A wide character is a run of its own, so that it stands in its own two cells."""
    column = 0
    while column < columns:
        first = cells[column]
        text, end = first.data or " ", column + 1
        if cell_len(text) == 2:
            yield Run(column, text, 2, first)
            column += 2
            continue
        while end < columns and _alike(cells[end], first) and cell_len(cells[end].data or " ") == 1:
            text += cells[end].data or " "
            end += 1
        yield Run(column, text, end - column, first)
        column = end


def _alike(one: Char, other: Char) -> bool:
    return one[1:] == other[1:]


def _drawn(run: Run, row: int, ink: str, ground: str) -> Iterator[str]:
    front, back = _colour(run.look.fg, ink), _colour(run.look.bg, ground)
    if run.look.reverse:
        front, back = back, front
    x, y, width = run.column * CELL[0], row * CELL[1], run.cells * CELL[0]
    if back != ground:
        yield f'<rect x="{x}" y="{y}" width="{width}" height="{CELL[1]}" fill="{back}"/>'
    if run.look.underscore:  # blanks too, such as those of an empty field
        yield f'<rect x="{x}" y="{y + 17}" width="{width}" height="1" fill="{front}"/>'
    if not run.text.strip():
        return
    looks = ""
    if run.look.bold:
        looks += ' font-weight="bold"'
    if run.look.italics:
        looks += ' font-style="italic"'
    if run.look.strikethrough:
        looks += ' text-decoration="line-through"'
    if run.look.blink:
        looks += ' opacity="0.6"'
    yield (
        f'<text x="{x}" y="{y + 15}" fill="{front}" textLength="{width}" '
        f'lengthAdjust="spacingAndGlyphs"{looks}>{escape(run.text)}</text>'
    )


def _colour(name: str, default: str) -> str:
    if name == "default":
        return default
    return _NAMED.get(name, f"#{name}")
