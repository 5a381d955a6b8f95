"""The lines below a list: what its keys do, or what was just said."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical

from narrowcast.widgets.one_line import OneLine

__all__ = ["KeyLine"]

UNKNOWN_WIDTH = 72
"""Columns for the keys before the line has been laid out."""


MOST = 3
"""Lines for keys."""


class KeyLine(Vertical):
    """One line, and more of them where the keys do not fit into the first."""

    DEFAULT_CSS = """
    KeyLine { height: auto; }
    KeyLine > .more { display: none; }
    KeyLine > .more.-shown { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._first = OneLine()
        self._more = [OneLine(classes="more") for _ in range(MOST - 1)]

    def compose(self) -> ComposeResult:
        yield self._first
        yield from self._more

    @property
    def plain(self) -> str:
        """What the first line says."""
        return self._first.plain

    def say(self, text: str, *, bad: bool = False) -> None:
        """Show a text in place of the keys; ``bad``: it is a problem. It may come from the server."""
        self._first.show_pieces([(text, "bad" if bad else "accent")])

    def show_hints(self, words: Sequence[str]) -> None:
        """Show what keys do, as many to a line as there is room for."""
        room = self._first.size.width or UNKNOWN_WIDTH
        lines = [""] * MOST
        place = 0
        for word in words:
            if lines[place] and len(lines[place]) + 3 + len(word) > room and place < MOST - 1:
                place += 1
            lines[place] += f" · {word}" if lines[place] else word
        self._first.show_pieces([(lines[0], "dim")])
        for line, text in zip(self._more, lines[1:], strict=True):
            line.show_pieces([(text, "dim")])
            line.set_class(bool(text), "-shown")

    def show_refusal(self, refusal: str, hints: str) -> None:
        """Show why nothing can be changed here, and what can be done all the same."""
        self._first.show_pieces([(refusal, "warn")], [(hints, "dim")])
