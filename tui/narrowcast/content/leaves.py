"""The small elements of a message: what one element says without looking at its surroundings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from selectolax.lexbor import LexborNode

from narrowcast.content.blocks import (
    CODE,
    Align,
    Break,
    Inline,
    Inlines,
    Mention,
    MentionKind,
    Text,
    Time,
)
from narrowcast.text.safe_text import SafeText, safe_line
from narrowcast_assets.emoji import character_of

_SPACES = re.compile(r"[ \t\r\n\f]+")


def children(node: LexborNode) -> Iterator[LexborNode]:
    """The direct children, texts included."""
    child = node.first_child
    while child is not None:
        yield child
        child = child.next


def attribute(node: LexborNode, name: str) -> str:
    """An attribute's value, '' where it has none."""
    return node.attributes.get(name) or ""


def classes_of(node: LexborNode) -> frozenset[str]:
    return frozenset(attribute(node, "class").split())


def number(text: str) -> int | None:
    """A plain non-negative number, else None."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


def all_text(node: LexborNode) -> str:
    """The text of a node and everything in it, as it is: not yet safe to show."""
    return node.text(deep=True) or ""


def inline_text(text: str) -> SafeText:
    """Text as a paragraph shows it: every run of blanks is one blank."""
    return safe_line(_SPACES.sub(" ", text))


def trimmed(inlines: list[Inline]) -> Inlines:
    """Blanks at the edges of lines dropped, empty texts dropped, breaks at the end dropped."""
    kept: list[Inline] = []
    at_start = True
    for inline in inlines:
        if isinstance(inline, Break):
            at_start = True
        elif isinstance(inline, Text):
            text = inline.text.lstrip(" ") if at_start and not inline.look & CODE else inline.text
            if not text:
                continue
            if text != inline.text:
                inline = Text(SafeText(text), inline.look, inline.href, inline.token)
            at_start = text.endswith(" ") and not inline.look & CODE
        else:
            at_start = False
        kept.append(inline)
    while kept and isinstance(kept[-1], Break):
        kept.pop()
    last = kept[-1] if kept else None
    if isinstance(last, Text) and last.text.endswith(" ") and not last.look & CODE:
        kept.pop()
        if text := last.text.rstrip(" "):
            kept.append(Text(SafeText(text), last.look, last.href, last.token))
    return tuple(kept)


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
    """A time, or its text if it is none."""
    text = safe_line(all_text(node), 60)
    try:
        when = datetime.fromisoformat(attribute(node, "datetime"))
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        return Time(when.timestamp(), text, look)
    except (ValueError, OverflowError):
        return Text(text, look)


def alignment(cell: LexborNode) -> Align:
    style = (attribute(cell, "style") + " " + attribute(cell, "align")).lower()
    if "right" in style:
        return Align.RIGHT
    return Align.CENTER if "center" in style else Align.LEFT
