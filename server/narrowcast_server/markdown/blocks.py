"""Block rules as on Zulip servers: lists indent by two, headings need a space, adjacent quotes do not merge."""

from __future__ import annotations

import re
from html import unescape
from typing import Final
from xml.etree.ElementTree import Element, SubElement

from markdown import blockprocessors as library
from markdown.blockparser import BlockParser
from markdown.blockprocessors import BlockProcessor
from markdown.extensions.sane_lists import SaneOListProcessor, SaneUListProcessor
from markdown.extensions.tables import TableProcessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

from narrowcast_server.markdown import fences
from narrowcast_server.markdown.elements import Engine

DEEPEST_NESTING: Final = 30
"""Nesting depth of quotes and lists; anything deeper stays text."""
_LIST_INDENT: Final = 2
_CODE_INDENT: Final = 4
_MARK: Final = re.compile(r" {0,3}> ?(.*)")
_ITEM: Final = re.compile(r" *([*+-]|\d\.) +")


def parser_of_blocks(md: Engine) -> BlockParser:
    """The block processors, the library's and those of this module, in the order in which they are tried."""
    parser = BlockParser(md)
    # Each processor copies the indent width when it is created.
    md.tab_length = _LIST_INDENT
    lists: list[tuple[BlockProcessor, str, int]] = [
        (library.ListIndentProcessor(parser), "indent", 90),
        (_OrderedLists(parser), "olist", 65),
        (_BulletLists(parser), "ulist", 60),
    ]
    md.tab_length = _CODE_INDENT
    others: list[tuple[BlockProcessor, str, int]] = [
        (library.EmptyBlockProcessor(parser), "empty", 95),
        (library.CodeBlockProcessor(parser), "code", 85),
        (_Headings(parser), "heading", 80),
        (_Tables(parser, md), "table", 75),
        (library.HRProcessor(parser), "rule", 70),
        (_Quotes(parser), "quote", 55),
        (library.ParagraphProcessor(parser), "paragraph", 50),
    ]
    for processor, name, priority in (*lists, *others):
        parser.blockprocessors.register(processor, name, priority)
    return parser


def _is_deep(parser: BlockParser) -> bool:
    return len(parser.state) >= DEEPEST_NESTING


class _OrderedLists(SaneOListProcessor):
    def test(self, parent: Element, block: str) -> bool:
        return super().test(parent, block) and not _is_deep(self.parser)


class _BulletLists(SaneUListProcessor):
    def test(self, parent: Element, block: str) -> bool:
        return super().test(parent, block) and not _is_deep(self.parser)


class _Headings(library.HashHeaderProcessor):
    """A heading needs a space between the marks and the text."""

    RE = re.compile(
        r"""
        (?: \A | \n )
        (?P<level> [#]{1,6} ) \s            # without a space it is a word such as a tag
        (?P<header> (?: [^\\] | \\. )*? )   # a mark that is escaped belongs to it
        [#]* (?: \n | \Z )
        """,
        re.VERBOSE,
    )


class _Tables(TableProcessor):
    """Every row gets as many cells as the first one, so their number is limited."""

    def __init__(self, parser: BlockParser, md: Engine) -> None:
        super().__init__(parser, {"use_align_attribute": False})
        self._engine = md

    def test(self, parent: Element, block: str) -> bool:
        # The library scans all lines of each block: with thousands of horizontal rules, as often.
        return (
            "|" in block.partition("\n")[0]
            and super().test(parent, block)
            and self._cells(block) <= self._engine.run.cell_budget
        )

    def run(self, parent: Element, blocks: list[str]) -> None:
        self._engine.run.cell_budget -= self._cells(blocks[0])
        super().run(parent, blocks)

    def _cells(self, block: str) -> int:
        return len(self.separator) * (block.count("\n") + 1)


class _Quotes(library.BlockQuoteProcessor):
    """A quote is not empty, and ends at a blank line."""

    def test(self, parent: Element, block: str) -> bool:
        return not _is_deep(self.parser) and _first_quoted(block.split("\n")) is not None

    def run(self, parent: Element, blocks: list[str]) -> None:
        lines = blocks.pop(0).split("\n")
        start = _first_quoted(lines) or 0
        self.parser.parseBlocks(parent, ["\n".join(lines[:start])])
        inside = "\n".join(self.clean(line) for line in lines[start:])
        self.parser.state.set("blockquote")
        self.parser.parseChunk(SubElement(parent, "blockquote"), inside)
        self.parser.state.reset()

    def clean(self, line: str) -> str:
        """A line without its quote mark."""
        if line.strip() == ">":
            return ""
        match = _MARK.fullmatch(line)
        return match[1] if match else line


def _first_quoted(lines: list[str]) -> int | None:
    """The first line of a quote: one with a mark, unless only empty marked lines follow."""
    last = len(lines)
    while last and lines[last - 1].strip() in ("", ">") and _MARK.match(lines[last - 1]):
        last -= 1
    return next((number for number in range(last) if _MARK.match(lines[number])), None)


class HangingLists(Preprocessor):
    """A list may directly follow text or a list of the other kind: inserts the blank line that the parser needs."""

    def run(self, lines: list[str]) -> list[str]:
        result: list[str] = []
        before: str | None = None
        in_code = fences.Tracker()
        for line in lines:
            if before and not in_code and _begins_list(before, line):
                result.append("")
            result.append(line)
            in_code.read(line)
            before = line
        return result


def _begins_list(before: str, line: str) -> bool:
    item, item_before = _ITEM.match(line), _ITEM.match(before)
    if item is None:
        return False
    return item_before is None or len(item[1]) != len(item_before[1])


class CodeBlocks(Treeprocessor):
    """Indented code, in the same form as fenced code."""

    def __init__(self, md: Engine) -> None:
        super().__init__(md)
        self._engine = md

    def run(self, root: Element) -> None:
        for block in root.iter("pre"):
            source = unescape(block[0].text or "")
            block.clear()
            block.tag = "p"
            block.text = AtomicString(
                self._engine.htmlStash.store(fences.code_html(self._engine.run, source, "") + "\n")
            )
