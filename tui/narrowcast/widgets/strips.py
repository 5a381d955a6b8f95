"""Strips of cells for lines: composing them, laying them on a ground, joining their styles, and their text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from narrowcast.terminal.cell_runs import shows_on_blanks
from narrowcast.text.columns import most_columns
from narrowcast.text.safe_text import SafeText, crop_cells

__all__ = [
    "BAR",
    "THUMB",
    "Part",
    "bar_cell",
    "compose_line",
    "lean_strip",
    "marked_strip",
    "plain_text",
    "readable",
    "thumb_strip",
]

BAR = "▌"
"""Marks the rows of what is selected, and of messages that mention the user."""
THUMB = "line-view--thumb"
"""The part of a list that the scroll thumb is."""

Part = tuple[str, Style]
"""A piece of one line and its style; the text must be safe to show."""


def lean_strip(segments: Iterable[Segment], width: int) -> Strip:
    """A strip of `width` cells with as few style changes as possible: each costs about 40 bytes.

    Segments of one style are joined, and blanks join the text before or after them if only the foreground
    differs, which blanks do not show.
    """
    joined: list[tuple[str, Style]] = []
    for text, style, _ in segments:
        style = style or Style.null()
        if joined:
            before_text, before = joined[-1]
            same_ground = before.bgcolor == style.bgcolor
            if before == style:
                joined[-1] = (before_text + text, style)
                continue
            if same_ground and text.isspace() and not (shows_on_blanks(before) or shows_on_blanks(style)):
                joined[-1] = (before_text + text, before)
                continue
            if (
                same_ground
                and before_text.isspace()
                and not (shows_on_blanks(before) or shows_on_blanks(style))
            ):
                joined[-1] = (before_text + text, style)
                continue
        joined.append((text, style))
    return Strip([Segment(text, style) for text, style in joined], width)


def compose_line(width: int, left: Sequence[Part], right: Sequence[Part] = (), *, base: Style) -> Strip:
    """One line of exactly `width` cells: `left` truncated with an ellipsis, `right` flush right and not truncated.

    The styles of the parts are laid over `base`, which also fills the gap.
    """
    right_segments = [Segment(text, base + style) for text, style in right if text]
    right_cells = sum(segment.cell_length for segment in right_segments)
    if right_cells > width:
        right_segments, right_cells = [], 0
    room = width - right_cells - (1 if right_segments else 0)
    segments: list[Segment] = []
    for text, style in left:
        if not text:
            continue
        cut = crop_cells(text, room)
        segment = Segment(cut, base + style)
        segments.append(segment)
        room -= most_columns(cut)
        if len(cut) != len(text) or room <= 0:
            break
    used = sum(segment.cell_length for segment in segments)
    gap = width - right_cells - used
    if gap > 0:
        segments.append(Segment(" " * gap, base))
    return lean_strip([*segments, *right_segments], width)


def marked_strip(mark: Segment, row: Strip, width: int, base: Style) -> Strip:
    """A row of `width` cells behind a mark of one cell, laid on `base`."""
    cropped = row.crop(0, width - 1)
    segments = [Segment(text, readable(base, style) if style else base) for text, style, _ in cropped]
    gap = width - 1 - cropped.cell_length
    if gap > 0:
        segments.append(Segment(" " * gap, base))
    return lean_strip([mark, *segments], width)


def readable(base: Style, style: Style) -> Style:
    """`style` over `base`, with letters kept readable: without shades, their colour could equal that of the
    selection; a reversed row gets one text colour.
    """
    both = base + style
    if base.reverse:
        return both + Style(color=base.color or Color.default(), dim=False)
    if both.color is not None and both.color == both.bgcolor:
        both += Style(color=base.color or Color.default())
    return both


def bar_cell(style: Style, sign: str = BAR) -> Segment:
    """A cell of a bar that goes over several rows: a half block on a ground of its own color.

    Many fonts end half blocks a pixel before the edge of the cell, and terminals that draw them by the font, such as
    xterm, then show a bar with gaps. Grounds always meet. Where the terminal's own colors are used, none may be left
    (NO_COLOR): there it is a reversed blank.
    """
    if style.color is None or style.color.is_system_defined:
        return Segment(" ", Style(color=style.color, bgcolor=style.bgcolor, dim=style.dim, reverse=True))
    return Segment(sign, style + Style(bgcolor=style.color))


def thumb_strip(here: bool, style: Style) -> Strip:
    """A cell of the scroll bar, with or without a piece of the thumb."""
    return Strip([bar_cell(style, "▐") if here else Segment(" ", style)], 1)


def plain_text(strips: Iterable[Strip]) -> SafeText:
    """The text of strips as lines without trailing whitespace; for copying and for tests."""
    return SafeText("\n".join(strip.text.rstrip() for strip in strips))
