"""Text that is safe to show.

Textual and the terminal pass on whatever they are given: an escape sequence in a topic would be obeyed, a
direction override would reverse a file name, forty combining marks would cover the lines above. So every
string from outside goes through `safe_line` or `safe_block` on its way to the screen, after any parsing (an
HTML parser turns `&#27;` into a real ESC).

What both do: C0 controls and DEL become their control pictures, C1 controls and lone surrogates become
U+FFFD, direction controls and invisible characters are dropped, ZWJ stays only inside emoji and at most three
times in a row, emoji presentation selectors are dropped (terminals disagree on their width), and a base
character keeps at most three marks. Nothing here interprets markup: pass the result to `Content` or a
`Segment`, never to a widget that parses markup.
"""

from __future__ import annotations

import re
import unicodedata

from narrowcast.text.columns import most_columns
from narrowcast_api import characters

__all__ = ["SafeText", "crop_cells", "safe_block", "safe_inline", "safe_line", "without_controls"]

MAX_MARKS = 3
"""Maximum combining marks on one base character."""

TAB_CELLS = 4
"""Cells of a tab in a block; in a line, a tab is one space."""


class SafeText(str):
    """A string that may be written to the screen.

    Calling the class bypasses the filter: do so only with the program's own text, or with parts of text that
    is already safe. Everything else comes from `safe_line` and `safe_block`.
    """

    __slots__ = ()


_EMOJI = "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001fbff"
_MODIFIER = "[\U0001f3fb-\U0001f3ff]?"

_SUSPECT = re.compile(f"[{characters.UNSAFE}]")
_MARK_RUN = re.compile(r"[^\w\s\x00-\u02ff]{4,}")
# Not compiled here: that takes longer than everything else in this module, and few texts contain joiners.
_STRAY_JOINER = f"(?<![{_EMOJI}\ufe0f])\u200d|\u200d(?![{_EMOJI}])"
_LONG_JOIN = f"((?:[{_EMOJI}]{_MODIFIER}\ufe0f?\u200d){{3}}[{_EMOJI}]{_MODIFIER}\ufe0f?)\u200d"
_NOT_PASTED = re.compile(f"(?![\t\n])[{characters.CONTROLS}{characters.SURROGATES}]")
_SELECTORS = re.compile(f"[{characters.SELECTORS}]")
_BREAKS = re.compile("\r\n|[\n\u0085\u2028\u2029]")
_BLANK_RUN = re.compile(r"[ \t\r\n\f]+")
_BREAK_RUN = re.compile("[ \t]*(?:[\r\n\u0085\u2028\u2029]+[ \t]*)+")


def _limit_marks(match: re.Match[str]) -> str:
    kept: list[str] = []
    marks = 0
    for character in match[0]:
        marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        if marks <= MAX_MARKS:
            kept.append(character)
    return "".join(kept)


def _clean(text: str) -> str:
    """`text` without anything that a terminal could obey; line breaks are treated like other controls."""
    if _SUSPECT.search(text):
        if "\u200d" in text:
            text = re.sub(_STRAY_JOINER, "", text)
            text = re.sub(_LONG_JOIN, r"\1", text)
        text = characters.replaced(_SELECTORS.sub("", text))
    if not text.isascii():
        text = _MARK_RUN.sub(_limit_marks, text)
    return text


def crop_cells(text: str, max_cells: int) -> str:
    """`text`, truncated with an ellipsis so that it fills at most `max_cells` cells in every terminal."""
    if len(text) <= max_cells and text.isascii():
        return text
    if max_cells <= 0:
        return ""
    if len(text) > 16 * max_cells + 16:
        text = text[: 16 * max_cells + 16] + "…"
    if most_columns(text) <= max_cells:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if most_columns(text[:middle]) <= max_cells - 1:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip("\u200d") + "…"


def safe_line(text: str, max_cells: int | None = None) -> SafeText:
    """One line that is safe to show: names, topics, file names, link targets.

    Line breaks and the blanks around them become one space. With `max_cells` the line is truncated with an
    ellipsis to that many cells; the work is bounded by `max_cells`, not by the length of `text`.
    """
    if max_cells is not None and len(text) > 32 * max_cells + 32:
        text = text[: 32 * max_cells + 32]
    if not (text.isascii() and text.isprintable()):
        text = _clean(_BREAK_RUN.sub(" ", text).replace("\t", " "))
    if max_cells is not None:
        text = crop_cells(text, max_cells)
    return SafeText(text)


def safe_inline(text: str) -> SafeText:
    """Text from HTML that is safe to show in a paragraph: every run of whitespace becomes one space."""
    return safe_line(_BLANK_RUN.sub(" ", text))


def without_controls(text: str) -> str:
    """Text for the clipboard: unchanged except for controls, which a terminal would obey when it is pasted."""
    return _NOT_PASTED.sub("", _BREAKS.sub("\n", text))


def safe_block(text: str) -> SafeText:
    """Text of several lines that is safe to show: breaks become line feeds, tabs become spaces.

    The caller limits the length; the work is linear in it.
    """
    if text.isascii() and text.isprintable():
        return SafeText(text)
    if _SUSPECT.search(text) is None:
        return SafeText(_clean(text))
    lines = _BREAKS.split(text)
    return SafeText("\n".join(_clean(line.expandtabs(TAB_CELLS) if "\t" in line else line) for line in lines))
