"""The server's rendered HTML as blocks.

The HTML is not trusted: its length, its number of tags and its nesting are bounded (`bounds`) before it is
parsed, since building a tree of n nested elements takes n squared steps. Unknown elements are transparent, so
that their text stays readable. Every text passes `safe_text` here, after parsing, because parsing is what
turns `&#27;` into an escape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from narrowcast.content.blocks import (
    BOLD,
    CODE,
    FOUND,
    ITALIC,
    STRIKE,
    Align,
    Block,
    Blocks,
    Break,
    CardKind,
    ChannelLink,
    CodeBlock,
    Document,
    Heading,
    Inline,
    Inlines,
    ListBlock,
    Math,
    MathBlock,
    Mention,
    Paragraph,
    Quote,
    Rule,
    Spoiler,
    Table,
    TextRun,
)
from narrowcast.content.bounds import (
    MAX_CHARACTERS,
    MAX_ROWS,
    as_text,
    characters_for,
    is_too_deep,
    nodes_for,
)
from narrowcast.content.cards import PREVIEWS, in_line, loose, picture_card, preview, website
from narrowcast.content.leaves import (
    alignment,
    all_text,
    attribute,
    children,
    classes_of,
    code_pieces,
    emoji,
    mention,
    moment,
    number,
    table_rows,
)
from narrowcast.text.safe_text import SafeText, safe_block, safe_inline, safe_line, without_controls

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

__all__ = ["parse"]

MAX_DEPTH = 30
MAX_COLUMNS = 50

_LOOKS = {"strong": BOLD, "b": BOLD, "em": ITALIC, "i": ITALIC, "del": STRIKE, "s": STRIKE, "code": CODE}
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCK_TAGS = frozenset(
    {"p", "div", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "pre", "table", "caption", "hr", "section"}
    | {"article", "aside", "header", "footer", "main", "nav", "figure", "figcaption", "details", "summary"}
    | {"address", "center", "fieldset", "legend", "form"}
    | _HEADINGS.keys()
)
_OWN_ROWS = frozenset({"pre", "table", "ul", "ol", "blockquote", "hr"})
_OWN_ROW_CLASSES = frozenset({"codehilite", "spoiler-block", "message_embed"})


class Aside(Struct, frozen=True):
    """A block among inlines: the paragraph ends before it, and another one begins after it."""

    block: Block


Flow = list[Inline | Aside]


def parse(html: str, rows: int = MAX_ROWS) -> Document:
    """Reads as much of the content of one message as `rows` rows can need.

    Never raises for any input; the work is bounded by `rows`, and by the caps of `bounds`.
    """
    cut = len(html) > MAX_CHARACTERS
    if cut:
        html = html[:MAX_CHARACTERS]
    if not html.strip():
        return Document((), cut)
    if is_too_deep(html):
        return as_text(html, cut, rows)
    from selectolax.lexbor import LexborHTMLParser

    body: LexborNode | None = LexborHTMLParser("<body>" + html).body
    if body is None:
        return as_text(html, cut, rows)
    reader = _Reader(nodes_for(rows), characters_for(rows))
    blocks = reader.blocks_of(body)
    more = reader.exhausted and rows < MAX_ROWS
    return Document(blocks, cut or reader.clipped or (reader.exhausted and not more), more)


class _Reader:
    """Reads one message, up to that many nodes and characters.

    `exhausted`: there was more; `clipped`: it contained something that is never read.
    """

    def __init__(self, nodes: int, characters: int) -> None:
        self.exhausted = self.clipped = False
        self._nodes = nodes
        self._characters = characters
        self._spoilers = 0

    def blocks_of(self, node: LexborNode, depth: int = 0) -> Blocks:
        """The children of `node` as blocks; loose inlines become paragraphs."""
        blocks: list[Block] = []
        inlines: Flow = []
        self._read_blocks(node, depth, blocks, inlines)
        self._flush(blocks, inlines)
        return tuple(blocks)

    # Blocks.

    def _read_blocks(self, node: LexborNode, depth: int, blocks: list[Block], inlines: Flow) -> None:
        if depth > MAX_DEPTH:
            inlines.append(TextRun(safe_inline(self._taken(all_text(node)))))
            return
        for child in children(node):
            if self._is_spent():
                return
            tag = child.tag or ""
            if tag not in _BLOCK_TAGS:
                self._read_inline(child, depth, 0, "", inlines)
                continue
            self._flush(blocks, inlines)
            self._read_block(child, tag, depth, blocks, inlines)

    def _read_block(self, node: LexborNode, tag: str, depth: int, blocks: list[Block], inlines: Flow) -> None:
        if tag == "hr":
            blocks.append(Rule())
        elif tag in _HEADINGS:
            words, asides = self._inlines_of(node, depth)
            blocks += [Heading(_HEADINGS[tag], words), *asides]
        elif tag in ("ul", "ol"):
            blocks.append(self._list(node, tag, depth))
        elif tag == "blockquote":
            author, href = _quoted_author(blocks[-1]) if blocks else (None, "")
            if author is not None:
                blocks.pop()
            blocks.append(Quote(self.blocks_of(node, depth + 1), author, href))
        elif tag == "pre":
            blocks.append(self._code(node, ""))
        elif tag == "table":
            for child in children(node):
                if child.tag == "caption":
                    blocks.extend(self.blocks_of(child, depth + 1))
            blocks.append(self._table(node, depth))
        elif tag == "div":
            self._division(node, depth, blocks, inlines)
        else:
            self._read_blocks(node, depth + 1, blocks, inlines)
            self._flush(blocks, inlines)

    def _division(self, node: LexborNode, depth: int, blocks: list[Block], inlines: Flow) -> None:
        classes = classes_of(node)
        if "codehilite" in classes:
            blocks.append(self._code(node, attribute(node, "data-code-language")))
        elif "spoiler-block" in classes:
            blocks.append(self._spoiler(node, depth))
        elif "message_embed" in classes:
            blocks += website(node)
        elif classes & PREVIEWS and (shown := preview(node, classes)):
            blocks += shown
        else:
            self._read_blocks(node, depth + 1, blocks, inlines)
            self._flush(blocks, inlines)

    def _list(self, node: LexborNode, tag: str, depth: int) -> ListBlock:
        items: list[Blocks] = []
        for child in children(node):
            if self._is_spent():
                break
            if child.tag == "li":
                items.append(self.blocks_of(child, depth + 1))
            elif child.is_element_node or (child.text_content or "").strip():
                loose: list[Block] = []
                inlines: Flow = []
                self._read_blocks_single(child, depth, loose, inlines)
                items.append(tuple(loose))
        start = None if tag == "ul" else (number(attribute(node, "start") or "1") or 0)
        return ListBlock(start, tuple(items))

    def _read_blocks_single(self, node: LexborNode, depth: int, blocks: list[Block], inlines: Flow) -> None:
        """One node in a list that is not a list item."""
        tag = node.tag or ""
        if tag in _BLOCK_TAGS:
            self._read_block(node, tag, depth + 1, blocks, inlines)
        else:
            self._read_inline(node, depth + 1, 0, "", inlines)
        self._flush(blocks, inlines)

    def _code(self, node: LexborNode, language: str) -> CodeBlock:
        pieces: list[tuple[SafeText, str]] = []
        whole = all_text(node)
        self._code_pieces(node, "", 0, pieces)
        if pieces:
            text, token = pieces[-1]
            pieces[-1] = (SafeText(text.removesuffix("\n")), token)
        exact = without_controls(whole.removesuffix("\n")) if "\t" in whole else ""
        return CodeBlock(safe_line(language, 40), tuple(piece for piece in pieces if piece[0]), exact)

    def _code_pieces(
        self, node: LexborNode, token: str, depth: int, pieces: list[tuple[SafeText, str]]
    ) -> None:
        for child in children(node):
            if self._is_spent():
                return
            if child.is_text_node:
                pieces += code_pieces(self._taken(child.text_content or ""), token)
            elif depth > MAX_DEPTH:
                pieces += code_pieces(self._taken(all_text(child)), token)
            else:
                own = attribute(child, "class").split() if child.tag == "span" else []
                inner = next((name for name in own if name != "hll"), token)
                self._code_pieces(child, inner, depth + 1, pieces)

    def _spoiler(self, node: LexborNode, depth: int) -> Spoiler:
        index = self._spoilers
        self._spoilers += 1
        header: Blocks = ()
        blocks: Blocks = ()
        for child in children(node):
            classes = classes_of(child) if child.is_element_node else frozenset()
            if "spoiler-header" in classes:
                header += self.blocks_of(child, depth + 1)
            elif child.is_element_node:
                blocks += self.blocks_of(child, depth + 1)
            elif child.is_text_node:
                blocks += loose(child.text_content or "")
        return Spoiler(index, header, blocks)

    def _table(self, node: LexborNode, depth: int) -> Table:
        head: list[tuple[Inlines, ...]] = []
        rows: list[tuple[Inlines, ...]] = []
        aligns: list[Align] = []
        for row in table_rows(node):
            cells: list[Inlines] = []
            heads = 0
            for cell in children(row):
                if cell.tag not in ("td", "th") or self._is_spent():
                    continue
                if len(cells) >= MAX_COLUMNS:
                    self.clipped = True
                    break
                if len(cells) >= len(aligns):
                    aligns.append(alignment(cell))
                heads += cell.tag == "th"
                words, asides = self._inlines_of(cell, depth + 1)
                cells.append(words + tuple(in_line(block) for block in asides))
            if cells:
                (head if heads == len(cells) and not rows and not head else rows).append(tuple(cells))
        width = len(aligns)
        padded = tuple(row + ((),) * (width - len(row)) for row in rows)
        return Table(head[0] + ((),) * (width - len(head[0])) if head else (), padded, tuple(aligns))

    # Inlines.

    def _inlines_of(self, node: LexborNode, depth: int) -> tuple[Inlines, list[Block]]:
        """The children of `node` as inlines, and the blocks among them."""
        flow: Flow = []
        for child in children(node):
            if self._is_spent():
                break
            self._read_inline(child, depth + 1, 0, "", flow)
        words = [item for item in flow if not isinstance(item, Aside)]
        return _trimmed(words), [item.block for item in flow if isinstance(item, Aside)]

    def _read_inline(self, node: LexborNode, depth: int, look: int, href: str, into: Flow) -> None:
        if node.is_text_node:
            text = self._taken(node.text_content or "")
            into.append(TextRun(safe_line(text) if look & CODE else safe_inline(text), look, href))
            return
        if node.is_comment_node:
            return
        tag = node.tag or ""
        if depth > MAX_DEPTH:
            into.append(TextRun(safe_inline(self._taken(all_text(node))), look, href))
        elif tag == "br":
            into.append(Break())
        elif tag == "span":
            self._span(node, depth, look, href, into)
        elif tag == "a":
            self._link(node, depth, look, into)
        elif tag in ("img", "video", "audio"):
            self._media(node, tag, look, href, into)
        elif tag == "time":
            into.append(moment(node, look))
        elif tag in _BLOCK_TAGS:
            self._block_in_line(node, tag, depth, look, href, into)
        else:
            self._descend(node, depth, look | _LOOKS.get(tag, 0), href, into)

    def _block_in_line(
        self, node: LexborNode, tag: str, depth: int, look: int, href: str, into: Flow
    ) -> None:
        """A block among inlines: if it needs rows of its own it gets them, else it starts a new line."""
        if tag in _OWN_ROWS or classes_of(node) & _OWN_ROW_CLASSES:
            blocks: list[Block] = []
            self._read_block(node, tag, depth + 1, blocks, [])
            into.extend(Aside(block) for block in blocks)
            return
        if into and not isinstance(into[-1], Break | Aside):
            into.append(Break())
        self._descend(node, depth, look, href, into)
        if into and not isinstance(into[-1], Break | Aside):
            into.append(Break())

    def _descend(self, node: LexborNode, depth: int, look: int, href: str, into: Flow) -> None:
        for child in children(node):
            if self._is_spent():
                return
            self._read_inline(child, depth + 1, look, href, into)

    def _span(self, node: LexborNode, depth: int, look: int, href: str, into: Flow) -> None:
        classes = classes_of(node)
        if "emoji" in classes:
            into.append(TextRun(emoji(node, classes), look, href))
        elif "katex" in classes or "katex-display" in classes:
            self._math(node, "katex-display" in classes, look, into)
        elif classes & {"user-mention", "user-group-mention", "topic-mention"}:
            into.append(mention(node, classes, look))
        else:
            highlight = FOUND if "highlight" in classes else 0
            self._descend(node, depth, look | highlight, href, into)

    def _math(self, node: LexborNode, display: bool, look: int, into: Flow) -> None:
        source = node.css_first("annotation")
        tex = safe_block(self._taken(all_text(source or node)).strip())
        if display:
            into.append(Aside(MathBlock(tex)))
        else:
            into.append(Math(safe_line(tex), look))

    def _link(self, node: LexborNode, depth: int, look: int, into: Flow) -> None:
        href = attribute(node, "href")
        channel_id = number(attribute(node, "data-stream-id"))
        if channel_id is not None and "stream" in classes_of(node):
            into.append(ChannelLink(channel_id, safe_inline(self._taken(all_text(node))), href, look))
            return
        before = len(into)
        self._descend(node, depth, look, href, into)
        if len(into) == before and href:
            into.append(TextRun(safe_line(href, 200), look, href))

    def _media(self, node: LexborNode, tag: str, look: int, href: str, into: Flow) -> None:
        if tag == "img" and "emoji" in classes_of(node):
            name = attribute(node, "alt") or attribute(node, "title")
            into.append(TextRun(safe_line(name, 60), look, href))
            return
        kind = {"img": CardKind.IMAGE, "video": CardKind.VIDEO, "audio": CardKind.AUDIO}[tag]
        into.append(Aside(picture_card(node, kind, href, "")))

    # Bookkeeping.

    def _flush(self, blocks: list[Block], inlines: Flow) -> None:
        """Ends the current paragraph."""
        words: list[Inline] = []
        for item in (*inlines, None):
            if isinstance(item, Aside) or item is None:
                if kept := _trimmed(words):
                    blocks.append(Paragraph(kept))
                words.clear()
                if item is not None:
                    blocks.append(item.block)
            elif words or not isinstance(item, Break) or not blocks:
                words.append(item)
        inlines.clear()

    def _is_spent(self) -> bool:
        self._nodes -= 1
        if self._nodes < 0 or self._characters < 0:
            self.exhausted = True
            return True
        return False

    def _taken(self, text: str) -> str:
        """The part of a text that is within the limit."""
        room = max(0, self._characters)
        self._characters -= len(text)
        if len(text) > room:
            self.exhausted = True
        return text[:room]


def _quoted_author(block: Block) -> tuple[Mention | None, str]:
    """The author and the link of a quoted message, if the paragraph above the quote is what Zulip's apps write there:
    a silent mention, the word for "said" linked to the message, and a colon.
    """
    if not isinstance(block, Paragraph):
        return None, ""
    parts = [part for part in block.inlines if not (isinstance(part, TextRun) and not part.text.strip())]
    match parts:
        case [Mention(silent=True) as author, TextRun(href=href, look=0), TextRun(text=colon, href="")] if (
            href and colon.strip() == ":"
        ):
            return author, href
    return None, ""


def _trimmed(inlines: list[Inline]) -> Inlines:
    """The inlines without whitespace at the edges of lines, empty texts, and breaks at the end."""
    kept: list[Inline] = []
    at_start = True
    for inline in inlines:
        if isinstance(inline, Break):
            at_start = True
        elif isinstance(inline, TextRun):
            text = inline.text.lstrip(" ") if at_start and not inline.look & CODE else inline.text
            if not text:
                continue
            if text != inline.text:
                inline = TextRun(SafeText(text), inline.look, inline.href, inline.token)
            at_start = text.endswith(" ") and not inline.look & CODE
        else:
            at_start = False
        kept.append(inline)
    while kept and isinstance(kept[-1], Break):
        kept.pop()
    last = kept[-1] if kept else None
    if isinstance(last, TextRun) and last.text.endswith(" ") and not last.look & CODE:
        kept.pop()
        if text := last.text.rstrip(" "):
            kept.append(TextRun(SafeText(text), last.look, last.href, last.token))
    return tuple(kept)
