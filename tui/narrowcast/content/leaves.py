"""The small elements of a message: reading one element without its context."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from narrowcast.content.blocks import (
    REST_OF_TAB,
    TAB,
    Align,
    Inline,
    Mention,
    MentionKind,
    TextRun,
    Time,
)
from narrowcast.text import formats
from narrowcast.text.safe_text import TAB_CELLS, SafeText, safe_block, safe_line
from narrowcast_assets.emoji import character_of

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_TABLE_PARTS = frozenset({"thead", "tbody", "tfoot"})


def children(node: LexborNode) -> Iterator[LexborNode]:
    """The direct children, including texts."""
    child = node.first_child
    while child is not None:
        yield child
        child = child.next


def attribute(node: LexborNode, name: str) -> str:
    """An attribute's value, '' if it is missing."""
    return node.attributes.get(name) or ""


def code_pieces(text: str, token: str) -> Iterator[tuple[SafeText, str]]:
    """A text of code in pieces, as in `CodeBlock`; each tab is a piece for its first blank, and one for the others."""
    column = 0
    for number, part in enumerate(text.split("\t")):
        if number:
            blanks = TAB_CELLS - column % TAB_CELLS
            yield SafeText(" "), TAB
            yield SafeText(" " * (blanks - 1)), REST_OF_TAB
            column += blanks
        piece = safe_block(part)
        yield piece, token
        line_break = piece.rfind("\n")
        column = len(piece) - line_break - 1 + (column if line_break < 0 else 0)


def classes_of(node: LexborNode) -> frozenset[str]:
    return frozenset(attribute(node, "class").split())


def number(text: str) -> int | None:
    """A plain non-negative number, else None."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


def all_text(node: LexborNode) -> str:
    """The text of a node and its descendants, unfiltered: not safe to show."""
    return node.text(deep=True) or ""


def emoji(node: LexborNode, classes: frozenset[str]) -> SafeText:
    """The characters of a unicode emoji by its code, else its name."""
    for name in classes:
        if name.startswith("emoji-"):
            if (character := character_of(name.removeprefix("emoji-"))) is not None:
                return safe_line(character)
            break
    return safe_line(all_text(node) or attribute(node, "title"), 60)


def mention(node: LexborNode, classes: frozenset[str], look: int) -> Mention:
    text = safe_line(all_text(node), 200)
    silent = "silent" in classes
    if "topic-mention" in classes:
        return Mention(MentionKind.TOPIC, None, text, silent, look)
    if "user-group-mention" in classes:
        return Mention(MentionKind.GROUP, number(attribute(node, "data-user-group-id")), text, silent, look)
    raw_id = attribute(node, "data-user-id") or attribute(node, "data-user-email")
    if raw_id == "*" or "channel-wildcard-mention" in classes:
        return Mention(MentionKind.EVERYBODY, None, text, silent, look)
    return Mention(MentionKind.USER, number(raw_id), text, silent, look)


def moment(node: LexborNode, look: int) -> Inline:
    """A time, or its text if it is not valid."""
    text = safe_line(all_text(node), 60)
    at = formats.iso_time(attribute(node, "datetime"))
    return TextRun(text, look) if at is None else Time(at, text, look)


def alignment(cell: LexborNode) -> Align:
    style = (attribute(cell, "style") + " " + attribute(cell, "align")).lower()
    if "right" in style:
        return Align.RIGHT
    return Align.CENTER if "center" in style else Align.LEFT


def table_rows(table: LexborNode) -> Iterator[LexborNode]:
    """The rows of a table, including those of its sections."""
    for child in children(table):
        if child.tag in _TABLE_PARTS:
            yield from (row for row in children(child) if row.tag == "tr")
        elif child.tag == "tr":
            yield child
