"""What all rules share: the parser that knows which rendering goes on, elements, and the form of a rule."""

from __future__ import annotations

from collections.abc import Callable
from re import Match, Pattern
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.inlinepatterns import InlineProcessor
from markdown.util import STX, AtomicString

from narrowcast_server.markdown.run import Run

Piece = Element | str
"""What stands in the place of a piece of text: an element, or text that is finished."""
Found = tuple[Piece, int, int]
"""A piece, and from where to where it stands."""


class Engine(Markdown):
    """A parser. `run` is the rendering that goes on."""

    run: Run


class Rule(InlineProcessor):
    """Looks at each match of a pattern."""

    def __init__(self, pattern: Pattern[str], md: Engine) -> None:
        # The library would compile the text of a pattern.
        self.compiled_re = pattern
        self.md = md
        self._engine = md

    def find(self, run: Run, match: Match[str], data: str) -> Found | None:
        """What is found at a match; None leaves the text as it is."""
        raise NotImplementedError

    def handleMatch(  # type: ignore[override]  # noqa: N802
        self, m: Match[str], data: str
    ) -> tuple[Piece | None, int | None, int | None]:
        # The library's types are those of its older kind of rule.
        return self.find(self._engine.run, m, data) or (None, None, None)


class Replacing(Rule):
    """What `make` gives for a match stands in its place; None leaves the text as it is.

    A match in which something was found before is left alone.
    """

    def __init__(
        self, pattern: Pattern[str], md: Engine, make: Callable[[Run, Match[str]], Piece | None]
    ) -> None:
        super().__init__(pattern, md)
        self._make = make

    def find(self, run: Run, match: Match[str], data: str) -> Found | None:
        piece = None if is_partly_finished(match[0]) else self._make(run, match)
        return None if piece is None else (piece, match.start(), match.end())


def is_partly_finished(text: str) -> bool:
    """Whether other rules found something in a text, so that the library's placeholders stand in it."""
    return STX in text


def element(tag: str, text: str = "", **attributes: str) -> Element:
    """An element with text in which nothing more is looked for.

    Attributes are written as Python can: `class_`, `data_user_id`.
    """
    named = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    one = Element(tag, named)
    one.text = AtomicString(text)
    return one
