"""The lines below a list or a question: what keys do, or a message."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.style import Style
from textual.app import ComposeResult
from textual.containers import Vertical

from narrowcast.content.wrapping import Run, wrap
from narrowcast.keys.hints import hint_lines
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.one_line import OneLine

__all__ = ["KeyLine"]

UNKNOWN_WIDTH = 72
"""Columns assumed before the first layout."""


MAX_LINES = 3
"""Maximum number of lines for keys."""


class KeyLine(Vertical):
    """One line, or more if the keys do not fit."""

    DEFAULT_CSS = """
    KeyLine { height: auto; }
    KeyLine > .more { display: none; }
    KeyLine > .more.-shown { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._first = OneLine()
        self._more = [OneLine(classes="more") for _ in range(MAX_LINES - 1)]

    def compose(self) -> ComposeResult:
        yield self._first
        yield from self._more

    @property
    def plain(self) -> str:
        return " ".join(filter(None, (line.plain.strip() for line in (self._first, *self._more))))

    @property
    def _room(self) -> int:
        return self._first.size.width or UNKNOWN_WIDTH

    def say(self, text: str, *, bad: bool = False) -> None:
        """Shows a text in place of the keys; ``bad``: it is a problem. It may come from the server."""
        self.show(text, "bad" if bad else "accent", keeps_place=True)

    def show(self, text: str, look: str, *, keeps_place: bool = False) -> None:
        """Shows a text on as many lines as it needs. ``look``: as in `OneLine`. ``keeps_place``: lines that
        become empty stay visible, so that what is above does not move.
        """
        rows = [
            "".join(run.text for run in row.runs)
            for row in wrap([Run(safe_line(text), Style.null())], self._room)
        ]
        first, *more = [*rows[: MAX_LINES - 1], " ".join(rows[MAX_LINES - 1 :])]
        self._first.show_pieces([(first, look)])
        self._show_more(more, look, keeps_place=keeps_place)

    def show_hints(self, words: Sequence[str]) -> None:
        """Shows what keys do, as many per line as fit."""
        first, *more = hint_lines(words, self._room, MAX_LINES)
        self._first.show_pieces([(first, "dim")])
        self._show_more(more, "dim")

    def show_refusal(self, refusal: str, hints: str) -> None:
        """Shows why nothing can be changed here, and the keys that still work, on a second line if necessary."""
        is_short = cell_len(refusal) + 3 + cell_len(hints) <= self._room
        self._first.show_pieces([(refusal, "warn")], [(hints, "dim")] if is_short else [])
        self._show_more([] if is_short else [hints], "dim")

    def _show_more(self, texts: Sequence[str], look: str, *, keeps_place: bool = False) -> None:
        for place, line in enumerate(self._more):
            text = texts[place] if place < len(texts) else ""
            line.show_pieces([(text, look)])
            line.set_class(bool(text) or (keeps_place and line.has_class("-shown")), "-shown")
