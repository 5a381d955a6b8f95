"""The links in a message's content, without its layout."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from narrowcast.content.blocks import (
    Blocks,
    CardBlock,
    Heading,
    Inlines,
    ListBlock,
    Paragraph,
    Table,
    TextRun,
)
from narrowcast.content.reader import parse

__all__ = ["WrittenLink", "links_in"]


class WrittenLink(Struct, frozen=True):
    """A link as it is written: its address and its text."""

    href: str
    text: str


@lru_cache(maxsize=512)
def links_in(content: str) -> tuple[WrittenLink, ...]:
    """The links in rendered HTML, each address once. Those in quotes and spoilers are left out: the first are in
    another message, the others are hidden.
    """
    if "href=" not in content:
        return ()
    found = {link.href: link for link in reversed([*_of_blocks(parse(content).blocks)])}
    return tuple(reversed(found.values()))


def _of_blocks(blocks: Blocks) -> Iterator[WrittenLink]:
    for block in blocks:
        match block:
            case Paragraph() | Heading():
                yield from _of_inlines(block.inlines)
            case ListBlock():
                for item in block.items:
                    yield from _of_blocks(item)
            case Table():
                for row in (block.head, *block.rows):
                    for cell in row:
                        yield from _of_inlines(cell)
            case CardBlock() if block.href:
                yield WrittenLink(block.href, block.title or block.href)
            case _:
                pass


def _of_inlines(inlines: Inlines) -> Iterator[WrittenLink]:
    href, text = "", ""
    for inline in inlines:
        here = inline.href if isinstance(inline, TextRun) else ""
        if here != href:
            if href:
                yield WrittenLink(href, text)
            href, text = here, ""
        text += inline.text if isinstance(inline, TextRun) else ""
    if href:
        yield WrittenLink(href, text)
