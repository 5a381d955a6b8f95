"""The lower edge of a dialog: what its keys do, and above them what the dialog says."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip

from narrowcast.content.wrapping import Run, wrap
from narrowcast.keys.hints import GAP, KeyHint, ShownHint, keys_of, shown_hints
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.frame_edge import FrameEdge, edge_row
from narrowcast.widgets.one_line import running
from narrowcast.widgets.strips import Part, compose_line

__all__ = ["KeyLine"]

MAX_ROWS = 3
"""Maximum number of rows for a message; the last takes the rest."""
SIDES = 4
"""Columns of a row that are not text: the sides of the frame, and a blank beside each."""
LOW = 24
"""Height of the terminal below which dialogs have no blank rows."""

Hints = Sequence[ShownHint]


class KeyLine(FrameEdge):
    """Keys that do not fit on the edge take more rows above it; a click on one does the same. ``framed``: whether there
    is a frame; without one, there is one row of keys, of which those before the last are left out if they do not fit,
    and a message replaces them.
    """

    DEFAULT_CSS = """
    KeyLine { height: auto; background: $surface; color: $primary; }
    """

    def __init__(self, *, framed: bool = True) -> None:
        super().__init__("╰", "╯")
        self._framed = framed
        self._hints: Hints = ()
        self._said, self._look = "", ""
        self._refusal = ""
        self._kept = 0
        """Rows that a longer message took before: they stay, so that nothing moves."""
        self._rows = 0

    @property
    def said(self) -> str:
        """The message that is shown."""
        return self._said or self._refusal

    @property
    def keys(self) -> str:
        """The keys that are shown, as one line."""
        return _words(self._hints)

    @property
    def plain(self) -> str:
        return "  ".join(filter(None, (self.said, self.keys)))

    def say(self, text: str, *, bad: bool = False) -> None:
        """Shows a message above the keys; ``bad``: it is a problem. It may come from the server."""
        self.show(text, "bad" if bad else "accent")

    def show(self, text: str, look: str) -> None:
        """Shows a message. ``look``: as in `OneLine`."""
        self._said, self._look = safe_line(text), look
        self._changed()

    def show_keys(self, hints: Sequence[KeyHint], refusal: str = "", *, keep_said: bool = False) -> None:
        """Shows what keys do, and until there is a message, why nothing can be changed here. Removes a message, unless
        ``keep_said``.
        """
        self._hints, self._refusal = shown_hints(keys_of(self), hints), refusal
        if not keep_said:
            self._said = ""
        self._changed()

    def _changed(self) -> None:
        if self._rows and self.rows_at(self.size.width) != self._rows:
            self.refresh(layout=True)
        self.changed()

    def rows_at(self, width: int) -> int:
        """The number of rows at this width."""
        said = self._said_rows(width)
        if not self._framed:
            return len(said) or len(self._key_rows(width))
        self._kept = max(self._kept, len(said))
        return max(self._kept, int(self.app.size.height >= LOW)) + len(self._key_rows(width))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        self._rows = self.rows_at(width)
        return self._rows

    def looks_changed(self, resized: bool) -> None:
        super().looks_changed(resized)
        if resized:
            self._kept = 0

    def _said_rows(self, width: int) -> list[str]:
        room = max(1, width - SIDES)
        rows = ["".join(run.text for run in row.runs) for row in wrap([Run(self.said, Style.null())], room)]
        return [*rows[: MAX_ROWS - 1], *filter(None, [" ".join(rows[MAX_ROWS - 1 :])])] if self.said else []

    def _key_rows(self, width: int) -> list[Hints]:
        if not self._framed:
            return [self._fitting(width)]
        rows: list[list[ShownHint]] = [[]]
        room = width - SIDES - 2
        for hint in self._hints:
            if rows[-1] and cell_len(_words([*rows[-1], hint])) > room:
                rows.append([])
            rows[-1].append(hint)
        return [*rows]

    def _fitting(self, width: int) -> Hints:
        shown = [*self._hints]
        while len(shown) > 1 and cell_len(_words(shown)) > width:
            del shown[-2]
        return shown

    def compose_row(self, y: int) -> Strip:
        width = self.room.width
        said, keys = self._said_rows(width), self._key_rows(width)
        if not self._framed:
            parts = self._message(said[y : y + 1]) or self._keys(keys[y] if y < len(keys) else ())
            return compose_line(width, parts, base=self.base_style)
        place = y - (self.room.height - len(keys))
        if place == len(keys) - 1:
            return edge_row(width, ("╰", "╯"), [], self._keys(keys[place]), base=self.base_style)
        left = [("│ ", Style.null())]
        if place < 0:
            return compose_line(
                width, [*left, *self._message(said[y : y + 1])], [("│", Style.null())], base=self.base_style
            )
        right = [*self._keys(keys[place]), ("  │", Style.null())]
        return compose_line(width, left, right, base=self.base_style)

    def _message(self, rows: Sequence[str]) -> list[Part]:
        look = self._look if self._said else "warn"
        return [(row, self.part_style(look) if look else Style.null()) for row in rows]

    def _keys(self, hints: Hints) -> list[Part]:
        parts: list[Part] = []
        for hint in hints:
            parts += [
                (GAP if parts else "", Style.null()),
                (hint.key, running(self.part_style("key"), hint.command_id)),
                (f" {hint.does}", running(self.part_style("dim"), hint.command_id)),
            ]
        return parts


def _words(hints: Hints) -> str:
    return GAP.join(hint.words for hint in hints)
