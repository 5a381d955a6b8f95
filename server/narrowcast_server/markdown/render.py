"""The renderer: the library's parser with the rules of this package in place of its own, and the entry points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Self

import re2
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
from narrowcast_server.markdown.context import LinkPattern, MarkdownContext, RenderedMarkdown
from narrowcast_server.markdown.elements import Engine
from narrowcast_server.markdown.fences import Fences
from narrowcast_server.markdown.previews import Previews
from narrowcast_server.markdown.run import RenderingRun
from narrowcast_server.markdown.sanitize import sanitized

ME_COMMAND: Final = "/me "


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


def render(source: str, context: MarkdownContext) -> RenderedMarkdown:
    """Renders a message to HTML and collects what the server needs to know about it. Never raises, whatever
    the source.
    """
    # Lone surrogates could neither be stored nor sent.
    source = source.encode("utf-8", "replace").decode()
    html, run = parser_for(tuple(context.linkifiers)).html_of(source, context)
    html = sanitized(html).strip("\n")
    is_me_message = source.startswith(ME_COMMAND) and html.startswith("<p>") and html.count("<p>") == 1
    return run.rendered(html, alerted(source, context.alert_words), is_me_message)


def alerted(source: str, alert_words: Mapping[int, Sequence[str]]) -> frozenset[int]:
    """Ids of the users with an alert word in the text, as a whole word, ignoring case."""
    text = source.casefold()
    return frozenset(user for user, words in alert_words.items() if has_word(text, tuple(words)))


def has_word(text: str, words: tuple[str, ...]) -> bool:
    """Whether case-folded text contains one of the words as a whole word.

    The running time is linear in the length of the text, whatever the words are.
    """
    pattern = _words_pattern(words)
    return pattern is not None and pattern.search(text) is not None


@lru_cache(maxsize=2048)
def _words_pattern(words: tuple[str, ...]) -> Any:
    needles = {needle for word in words if (needle := word.casefold().strip())}
    if not needles:
        return None
    either = "|".join(re2.escape(needle) for needle in sorted(needles))
    try:
        return re2.compile(rf"(?:^|[^\pL\pN_])(?:{either})(?:[^\pL\pN_]|$)")
    except re2.error:
        # The words need too much memory.
        return None


def topic_links(topic: str, context: MarkdownContext) -> list[dict[str, str]]:
    """`topic_links` of a message: matches of linkifiers and addresses in its topic, in order."""
    return links.topic_links(topic, tuple(context.linkifiers))
