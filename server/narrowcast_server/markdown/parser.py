"""The library's parser with the rules of this package in place of its own."""

from __future__ import annotations

from functools import lru_cache
from typing import Self

from markdown.blockparser import BlockParser
from markdown.inlinepatterns import Pattern
from markdown.postprocessors import AndSubstitutePostprocessor, Postprocessor, RawHtmlPostprocessor
from markdown.preprocessors import NormalizeWhitespace, Preprocessor
from markdown.treeprocessors import (
    InlineProcessor,
    PrettifyTreeprocessor,
    Treeprocessor,
    UnescapeTreeprocessor,
)
from markdown.util import Registry

from narrowcast_server.markdown import inline, links, mentions
from narrowcast_server.markdown.blocks import CodeBlocks, HangingLists, parser_of_blocks
from narrowcast_server.markdown.context import LinkPattern, MarkdownContext
from narrowcast_server.markdown.elements import Engine
from narrowcast_server.markdown.fences import Fences
from narrowcast_server.markdown.previews import Previews
from narrowcast_server.markdown.run import RenderingRun


class MarkdownParser(Engine):
    """A parser for the linkifiers of an organization."""

    def __init__(self, linkifiers: tuple[LinkPattern, ...]) -> None:
        self._linkifiers = linkifiers
        super().__init__(output_format="html")

    def build_parser(self) -> Self:
        self.preprocessors = Registry[Preprocessor]()
        self.preprocessors.register(HangingLists(self), "hanging_lists", 35)
        self.preprocessors.register(NormalizeWhitespace(self), "white_space", 30)
        self.preprocessors.register(Fences(self), "fences", 25)
        self.parser: BlockParser = parser_of_blocks(self)
        self.inlinePatterns = Registry[Pattern]()
        inline.install(self)
        mentions.install(self)
        links.install(self, self._linkifiers)
        self.treeprocessors = Registry[Treeprocessor]()
        self.treeprocessors.register(CodeBlocks(self), "code", 30)
        self._inline = InlineProcessor(self)
        self.treeprocessors.register(self._inline, "inline", 25)
        self.treeprocessors.register(PrettifyTreeprocessor(self), "prettify", 20)
        self.treeprocessors.register(UnescapeTreeprocessor(self), "unescape", 18)
        self.treeprocessors.register(Previews(self), "previews", 15)
        self.postprocessors = Registry[Postprocessor]()
        self.postprocessors.register(RawHtmlPostprocessor(self), "raw_html", 20)
        self.postprocessors.register(AndSubstitutePostprocessor(self), "ampersands", 15)
        return self

    def html_of(self, source: str, context: MarkdownContext) -> tuple[str, RenderingRun]:
        """The unsanitised HTML of a text, and the record of the rendering."""
        self.reset()
        self.run = RenderingRun(context, self.htmlStash.store, self._is_in_quote)
        return self.convert(source), self.run

    def _is_in_quote(self) -> bool:
        return "blockquote" in self._inline.ancestors


@lru_cache(maxsize=16)
def parser_for(linkifiers: tuple[LinkPattern, ...]) -> MarkdownParser:
    """A cached parser for these linkifiers."""
    return MarkdownParser(linkifiers)
