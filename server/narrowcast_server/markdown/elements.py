"""Shared by all inline rules: the parser with its current rendering, elements, and the base classes of rules."""

from __future__ import annotations

from collections.abc import Callable
from re import Match, Pattern
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.inlinepatterns import InlineProcessor
from markdown.util import STX, AtomicString

from narrowcast_server.markdown.run import RenderingRun

Piece = Element | str
"""The replacement of matched text: an element, or text without further markup."""
Found = tuple[Piece, int, int]
"""A piece with the start and end of the text that it replaces."""


class Engine(Markdown):
    """A parser. `run` is the current rendering."""

    run: RenderingRun


class ElementRule(InlineProcessor):
    """An inline rule, applied to each match of a pattern."""

    def __init__(self, pattern: Pattern[str], md: Engine) -> None:
        # The library's constructor would compile the pattern's text.
        self.compiled_re = pattern
        self.md = md
        self._engine = md

    def find(self, run: RenderingRun, match: Match[str], data: str) -> Found | None:
        """The replacement for a match; None leaves the text as it is."""
        raise NotImplementedError

    def handleMatch(  # type: ignore[override]  # noqa: N802
        self, m: Match[str], data: str
    ) -> tuple[Piece | None, int | None, int | None]:
        # The library's types are those of its older kind of rule.
        return self.find(self._engine.run, m, data) or (None, None, None)


class Replacing(ElementRule):
    """A rule that replaces each match with the result of `make`; None leaves the text as it is.

    Skips matches in which another rule already replaced something.
    """

    def __init__(
        self, pattern: Pattern[str], md: Engine, make: Callable[[RenderingRun, Match[str]], Piece | None]
    ) -> None:
        super().__init__(pattern, md)
        self._make = make

    def find(self, run: RenderingRun, match: Match[str], data: str) -> Found | None:
        piece = None if is_partly_finished(match[0]) else self._make(run, match)
        return None if piece is None else (piece, match.start(), match.end())


def is_partly_finished(text: str) -> bool:
    """Whether another rule already replaced something in the text, so that it contains placeholders of the
    library.
    """
    return STX in text


def element(tag: str, text: str = "", **attributes: str) -> Element:
    """An element whose text is not parsed further.

    Attributes use Python identifiers: `class_`, `data_user_id`.
    """
    named = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    one = Element(tag, named)
    one.text = AtomicString(text)
    return one
