"""The server's rendered HTML as blocks.

The HTML is not trusted: its length, its number of tags and its nesting are bounded before the parser sees it
(building a tree of n nested elements takes n squared steps), and what is too much is shown as plain text.
Elements that are not known are transparent, so that their text stays readable. Every text passes `safe_text`
here, after parsing, because parsing is what turns `&#27;` into an escape.
"""

from __future__ import annotations

import html as html_text
import re
from typing import TYPE_CHECKING

from narrowcast.content.blocks import Block, Document, Paragraph, Text
from narrowcast.safe_text import safe_block

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

__all__ = ["parse"]

MAX_CHARACTERS = 300_000
MAX_TAGS = 20_000
MAX_NESTING = 100

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_ANY_TAG = re.compile(r"</?[a-zA-Z!?][^<>]*>")
_VOID = frozenset(
    {"br", "hr", "img", "input", "meta", "link", "source", "wbr", "col", "area", "base", "embed"}
)
_DRAWN = frozenset({"path", "line"})
"""Shapes of drawings, as formulas have them for roots and arrows."""


def parse(html: str) -> Document:
    """Reads the content of one message. Never raises for any input; the work is bounded."""
    cut = len(html) > MAX_CHARACTERS
    if cut:
        html = html[:MAX_CHARACTERS]
    if not html.strip():
        return Document((), cut)
    if _too_deep(html):
        return Document(_as_text(html), cut)
    from selectolax.lexbor import LexborHTMLParser

    from narrowcast.content.reader import Reader

    body: LexborNode | None = LexborHTMLParser("<body>" + html).body
    if body is None:
        return Document(_as_text(html), cut)
    reader = Reader()
    return Document(reader.blocks_of(body), cut or reader.exhausted)


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


def _as_text(html: str) -> tuple[Block, ...]:
    """The text of HTML that is not worth a parser: tags dropped, lines kept."""
    text = safe_block(html_text.unescape(_ANY_TAG.sub("", html)))
    lines = [line for line in text.split("\n") if line.strip()]
    return tuple(Paragraph((Text(safe_block(line)),)) for line in lines)
