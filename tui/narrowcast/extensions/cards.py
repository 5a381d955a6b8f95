"""Cards of extensions in messages: below the paragraph of a link, or in place of a code block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from msgspec.structs import replace

from narrowcast.content.blocks import (
    Block,
    Blocks,
    CardBlock,
    CardKind,
    ChannelLink,
    CodeBlock,
    Document,
    Heading,
    Inlines,
    ListBlock,
    Paragraph,
    Quote,
    Spoiler,
    TextRun,
)
from narrowcast.extend.values import Card as GivenCard
from narrowcast.text.safe_text import safe_block, safe_line

__all__ = ["MAX_CARDS", "CardMaker", "as_card", "with_cards"]

MAX_CARDS = 10
"""Cards of extensions in one message."""
_DEEPEST = 6
_MAX_LENGTH = 4_000
"""Maximum length of an address or a description; the rest is cut off."""

ForLink = Callable[[str, str], CardBlock | None]
ForCode = Callable[[str, str], CardBlock | None]


class CardMaker:
    """Makes cards for one document. `for_link` receives address and text, `for_code` language and source."""

    def __init__(self, for_link: ForLink, for_code: ForCode) -> None:
        self._for_link = for_link
        self._for_code = for_code
        self._seen: set[str] = set()
        self._left = MAX_CARDS

    def blocks(self, blocks: Blocks, depth: int = 0) -> Blocks:
        """The blocks, with cards."""
        if depth > _DEEPEST:
            return blocks
        made: list[Block] = []
        for block in blocks:
            made += self._block(block, depth)
        return tuple(made)

    def _block(self, block: Block, depth: int) -> Iterator[Block]:
        match block:
            case Paragraph() | Heading():
                yield block
                yield from self._of_links(block.inlines)
            case CodeBlock():
                card = None
                if self._left > 0:
                    card = self._for_code(str(block.language).lower(), block.source)
                self._left -= card is not None
                yield card or block
            case Quote():
                yield replace(block, blocks=self.blocks(block.blocks, depth + 1))
            case Spoiler():
                yield replace(block, blocks=self.blocks(block.blocks, depth + 1))
            case ListBlock():
                yield replace(block, items=tuple(self.blocks(item, depth + 1) for item in block.items))
            case _:
                yield block

    def _of_links(self, inlines: Inlines) -> Iterator[CardBlock]:
        for url, text in _links(inlines):
            if url not in self._seen and self._left > 0:
                self._seen.add(url)
                if (card := self._for_link(url, text)) is not None:
                    self._left -= 1
                    yield card


def _links(inlines: Inlines) -> Iterator[tuple[str, str]]:
    """The address and text of each link."""
    for inline in inlines:
        if isinstance(inline, TextRun | ChannelLink) and inline.href:
            yield inline.href[:_MAX_LENGTH], str(inline.text)


def with_cards(document: Document, maker: CardMaker) -> Document:
    """A document with the cards of extensions."""
    blocks = maker.blocks(document.blocks)
    return document if blocks == document.blocks else replace(document, blocks=blocks)


def as_card(given: GivenCard, link: str, extension: str) -> CardBlock:
    """The returned card, safe to show. Raises TypeError or ValueError if it is not a valid card."""
    if not isinstance(given, GivenCard) or not all(
        isinstance(text, str) for text in (given.title, given.description, given.url)
    ):
        raise TypeError("a card function must return a Card of strings, or None")
    url = given.url or link
    if url and urlsplit(url).scheme not in ("http", "https", "mailto", ""):
        raise ValueError(f"a card cannot lead to {url[:60]!r}: use http or https")
    return CardBlock(
        CardKind.EXTENSION,
        safe_line(given.title, 200),
        url,
        origin=safe_line(extension, 40),
        description=safe_block(given.description[:_MAX_LENGTH]).replace("\n", " "),
    )
