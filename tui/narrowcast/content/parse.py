"""The server's rendered HTML as blocks.

The HTML is not trusted: its length, its number of tags and its nesting are bounded before the parser sees it
(building a tree of n nested elements takes n squared steps), and what is too much is shown as plain text.
Elements that are not known are transparent, so that their text stays readable. Every text passes `safe_text`
here, after parsing, because parsing is what turns `&#27;` into an escape.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from narrowcast.content.blocks import Document, Paragraph, Text
from narrowcast.text.safe_text import SafeText, safe_block

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

__all__ = ["MAX_ROWS", "parse"]

MAX_CHARACTERS = 300_000
MAX_TAGS = 20_000
MAX_NESTING = 100
MAX_NODES = 40_000
MAX_ROWS = 6_000
"""Rows that a message can be asked for; all that is ever read is read for them."""

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_ANY_TAG = re.compile(r"</?[a-zA-Z!?][^<>]*>")
_VOID = frozenset(
    {"br", "hr", "img", "input", "meta", "link", "source", "wbr", "col", "area", "base", "embed"}
)
_DRAWN = frozenset({"path", "line"})
"""Shapes of drawings, as formulas have them for roots and arrows."""


def parse(html: str, rows: int = MAX_ROWS) -> Document:
    """Reads as much of the content of one message as `rows` rows can need.

    Never raises for any input; the work is bounded by `rows`, and by the caps of this module.
    """
    cut = len(html) > MAX_CHARACTERS
    if cut:
        html = html[:MAX_CHARACTERS]
    if not html.strip():
        return Document((), cut)
    if _too_deep(html):
        return _as_text(html, cut, rows)
    from selectolax.lexbor import LexborHTMLParser

    from narrowcast.content.reader import Reader

    body: LexborNode | None = LexborHTMLParser("<body>" + html).body
    if body is None:
        return _as_text(html, cut, rows)
    reader = Reader(_nodes(rows), _characters(rows))
    blocks = reader.blocks_of(body)
    more = reader.exhausted and rows < MAX_ROWS
    return Document(blocks, cut or reader.clipped or (reader.exhausted and not more), more)


def _nodes(rows: int) -> int:
    """Elements and texts that are read for so many rows."""
    return min(MAX_NODES, 2_000 + 15 * rows)


def _characters(rows: int) -> int:
    return min(MAX_CHARACTERS, 20_000 + 200 * rows)


def _too_deep(html: str) -> bool:
    """Whether there are so many tags, or so many open at once, that the parser must not see them."""
    tags = html.count("<")
    if tags <= MAX_NESTING:
        return False
    if tags > MAX_TAGS:
        return True
    open_now: dict[str, int] = {}
    depth = 0
    drawing = -1
    for closing, raw_name in _TAG.findall(html):
        name = raw_name.lower()
        if name in _VOID:
            continue
        if name != "svg" and name not in _DRAWN:
            drawing = -1
        if not closing:
            if name == "svg":
                drawing = depth
            open_now[name] = open_now.get(name, 0) + 1
            depth += 1
            if depth > MAX_NESTING:
                return True
        elif open_now.get(name, 0) > 0:
            open_now[name] -= 1
            depth -= 1
            if name == "svg" and 0 <= drawing < depth:
                # Shapes end themselves; the end of a drawing that holds nothing else ends them all.
                open_now.update(dict.fromkeys(_DRAWN, 0))
                depth = drawing
    return False


def _as_text(html: str, cut: bool, rows: int) -> Document:
    """The text of HTML that is not worth a parser: tags dropped, lines kept."""
    from html import unescape

    text = unescape(_ANY_TAG.sub("", html))
    more = len(text) > _characters(rows)
    lines = safe_block(text[: _characters(rows)]).split("\n")
    blocks = tuple(Paragraph((Text(SafeText(line)),)) for line in lines[:MAX_ROWS] if line.strip())
    return Document(blocks, cut, more and rows < MAX_ROWS)
