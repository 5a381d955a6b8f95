"""Cards: images, videos, audio and websites; and blocks reduced to one line."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import TYPE_CHECKING

from narrowcast.content.blocks import (
    CODE,
    Block,
    Blocks,
    CardBlock,
    CardKind,
    CodeBlock,
    Heading,
    Inline,
    ListBlock,
    Math,
    MathBlock,
    Paragraph,
    Quote,
    Spoiler,
    TextRun,
)
from narrowcast.content.leaves import all_text, attribute, children, classes_of
from narrowcast.text.safe_text import SafeText, safe_inline, safe_line

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

__all__ = ["PREVIEWS", "in_line", "loose", "picture_card", "preview", "website"]

_VIDEOS = frozenset({"youtube-video", "vimeo-video", "embed-video", "message_inline_video"})
PREVIEWS = _VIDEOS | {"message_inline_image", "message_inline_ref"}
"""Classes of elements that preview the target of a link."""

_DEEPEST = 30
_MAX_LENGTH = 10_000
"""Maximum characters of the text beside a card."""
_SIZE = re.compile(r"(\d{1,7})x(\d{1,7})")


def picture_card(node: LexborNode, kind: CardKind, href: str, title: str) -> CardBlock:
    """A card for an image, a video or audio; its name falls back to that of the file."""
    src = attribute(node, "src")
    size = _SIZE.fullmatch(attribute(node, "data-original-dimensions"))
    name = title or attribute(node, "title") or attribute(node, "alt")
    target = href or attribute(node, "data-original-src") or src
    if not name:
        path = target.partition("?")[0]
        last = path.rpartition("/")[2]
        name = last if "." in last else path.partition("://")[2] or path
    return CardBlock(
        kind,
        safe_line(name, 200),
        target,
        src,
        size=(int(size[1]), int(size[2])) if size else None,
        loading="image-loading-placeholder" in classes_of(node),
    )


def website(node: LexborNode) -> Blocks:
    """The preview of a website."""
    title = node.css_first(".message_embed_title")
    description = node.css_first(".message_embed_description")
    links = [attribute(link, "href") for link in node.css("a")]
    said = safe_line(" ".join(all_text(description).split()), 400) if description else SafeText("")
    href = next((href for href in links if href), "")
    name = safe_line(all_text(title) if title else href, 200)
    told = {part.mem_id for part in (title, description) if part is not None}
    return (CardBlock(CardKind.WEBSITE, name, href, description=said), *loose(_text_outside(node, told)))


def preview(node: LexborNode, classes: frozenset[str]) -> Blocks:
    """The image or video that a link leads to, and the text beside it; () if there is none."""
    picture = node.css_first("video") or node.css_first("img")
    if picture is None:
        return ()
    link = node.css_first("a")
    href = attribute(link, "href") if link else ""
    title = attribute(link, "title") if link else ""
    is_video = picture.tag == "video" or classes & _VIDEOS
    card = picture_card(picture, CardKind.VIDEO if is_video else CardKind.IMAGE, href, title)
    said = _text_outside(node, {picture.mem_id})
    return (card, *loose(said.removeprefix(card.title)))


def loose(text: str) -> Blocks:
    """Text outside of the expected elements, as a paragraph; () if it is only whitespace."""
    shown = safe_inline(text.strip()[:_MAX_LENGTH])
    return (Paragraph((TextRun(shown),)),) if shown else ()


def _text_outside(node: LexborNode, left_out: Container[int], depth: int = 0) -> str:
    """The text of a node, without that of the elements in `left_out` (their `mem_id`)."""
    if depth > _DEEPEST:
        return all_text(node)
    text = ""
    for child in children(node):
        if child.is_text_node:
            text += child.text_content or ""
        elif child.is_element_node and child.mem_id not in left_out:
            text += _text_outside(child, left_out, depth + 1) + " "
    return " ".join(text.split())


def in_line(block: Block) -> Inline:
    """A block as an inline for a table's cell, in which it cannot have rows of its own."""
    match block:
        case MathBlock():
            return Math(safe_line(block.tex))
        case CardBlock():
            return TextRun(SafeText(f"[{block.title or block.kind.value}]"), 0, block.href)
        case CodeBlock():
            return TextRun(safe_line(block.source), CODE)
        case Paragraph() | Heading():
            return TextRun(safe_line("".join(getattr(one, "text", " ") for one in block.inlines)))
        case Quote() | Spoiler():
            inner = block.blocks
        case ListBlock():
            inner = tuple(one for item in block.items for one in item)
        case _:
            inner = ()
    return TextRun(safe_line(" ".join(getattr(in_line(one), "text", "") for one in inner)))
