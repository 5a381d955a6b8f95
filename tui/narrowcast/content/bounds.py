"""Limits on the HTML that is parsed, and a fallback for HTML that is too much for the parser."""

from __future__ import annotations

import re
from html import unescape

from narrowcast.content.blocks import Document, Paragraph, TextRun
from narrowcast.text.safe_text import SafeText, safe_block

__all__ = ["MAX_CHARACTERS", "MAX_ROWS", "as_text", "characters_for", "is_too_deep", "nodes_for"]

MAX_CHARACTERS = 300_000
MAX_TAGS = 20_000
MAX_NESTING = 100
MAX_NODES = 40_000
MAX_ROWS = 6_000
"""Maximum rows that can be requested of a message; for these, everything within the limits is read."""

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_ANY_TAG = re.compile(r"</?[a-zA-Z!?][^<>]*>")
_VOID = frozenset(
    {"br", "hr", "img", "input", "meta", "link", "source", "wbr", "col", "area", "base", "embed"}
)
_DRAWN = frozenset({"path", "line"})
"""Shapes of drawings, which formulas use for roots and arrows."""


def nodes_for(rows: int) -> int:
    """Number of elements and texts that are read for that many rows."""
    return min(MAX_NODES, 2_000 + 15 * rows)


def characters_for(rows: int) -> int:
    return min(MAX_CHARACTERS, 20_000 + 200 * rows)


def is_too_deep(html: str) -> bool:
    """Whether the HTML has too many tags, or too many nested ones, for the parser."""
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
                # Shapes close themselves; the end of a drawing that contains only shapes closes them all.
                open_now.update(dict.fromkeys(_DRAWN, 0))
                depth = drawing
    return False


def as_text(html: str, cut: bool, rows: int) -> Document:
    """The text of HTML that must not be parsed: tags are dropped, lines kept."""
    text = unescape(_ANY_TAG.sub("", html))
    more = len(text) > characters_for(rows)
    lines = safe_block(text[: characters_for(rows)]).split("\n")
    blocks = tuple(Paragraph((TextRun(SafeText(line)),)) for line in lines[:MAX_ROWS] if line.strip())
    return Document(blocks, cut, more and rows < MAX_ROWS)
