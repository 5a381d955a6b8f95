"""The lines below a list: what its keys do, or what was just said."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical

from narrowcast.widgets.one_line import OneLine

__all__ = ["KeyLine"]

UNKNOWN_WIDTH = 72
"""Columns for the keys before the line has been laid out."""


class KeyLine(Vertical):
    """One line, and a second one where the keys do not fit into the first."""

    DEFAULT_CSS = """
    KeyLine { height: auto; }
    KeyLine > #more { display: none; }
    KeyLine > #more.-shown { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._first = OneLine()
        self._more = OneLine(id="more")

    def compose(self) -> ComposeResult:
        yield self._first
        yield self._more

    @property
    def plain(self) -> str:
        """What the first line says."""
        return self._first.plain

    def say(self, text: str, *, bad: bool = False) -> None:
        """Show a text in place of the keys; ``bad``: it is a problem. It may come from the server."""
        self._first.show_pieces([(text, "bad" if bad else "accent")])

    def show_hints(self, words: Sequence[str]) -> None:
        """Show what keys do, as many to a line as there is room for."""
        rest = list(words)
        first, room = "", self._first.size.width or UNKNOWN_WIDTH
        while rest and len(first) + 3 + len(rest[0]) <= room:
            first = f"{first} · {rest.pop(0)}" if first else rest.pop(0)
        self._first.show_pieces([(first, "dim")])
        self._more.show_pieces([(" · ".join(rest), "dim")])
        self._more.set_class(bool(rest), "-shown")

    def show_refusal(self, refusal: str, hints: str) -> None:
        """Show why nothing can be changed here, and what can be done all the same."""
        self._first.show_pieces([(refusal, "warn")], [(hints, "dim")])
