"""Preview of a message as it will look once sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.strip import Strip

from narrowcast.content.inlines import Inliner, MessageNames
from narrowcast.content.layout import Layout
from narrowcast.content.palette import Palette
from narrowcast.content.reader import parse
from narrowcast.content.wrapping import Line
from narrowcast.keys.registry import Context, bindings_for
from narrowcast.screens.dialogs.dialog import LARGE, Dialog
from narrowcast.widgets.empty import Empty
from narrowcast.widgets.strips import compose_line
from narrowcast.widgets.virtual_list import VirtualList

ROWS = 2_000
"""Maximum number of rows."""
MARGIN = 2
"""Columns of the list that are not text."""


class PreviewLines(VirtualList[Line]):
    """The rendered lines; they cannot be selected."""

    def __init__(self, html: str, names: MessageNames, palette: Palette, me: int) -> None:
        super().__init__(empty=Empty("Nothing to show", "The message is empty."))
        self._html = html
        self._names = names
        self._palette = palette
        self._me = me

    def looks_changed(self, resized: bool) -> None:
        """Lays out the message for the new width."""
        super().looks_changed(resized)
        if resized:
            self.set_items(self._lines(self.room.width))

    def rows_at(self, width: int) -> int:
        return len(self._lines(width))

    def _lines(self, width: int) -> Sequence[Line]:
        layout = Layout(Inliner(self._palette, self._names), self._me)
        width = max(1, width - MARGIN)
        return layout.render(parse(self._html, ROWS), None, width, ROWS).lines

    def render_item(self, item: Line, width: int, selected: bool) -> Sequence[Strip]:
        parts = [(run.text, Style.null() + run.style) for run in item.runs]
        return [compose_line(width, parts, base=Style.null())]

    def key_of(self, item: Line) -> int:
        return id(item)

    def selectable(self, item: Line) -> bool:
        return False


class PreviewScreen(Dialog[None]):
    """Shows the lines until the user closes it."""

    WIDTH = LARGE
    TITLE_TEXT = "Preview"
    KEYS = (("list.down", "scrolls"), ("dialog.close", "closes"))
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.TEXT)]

    def __init__(self, lines: PreviewLines) -> None:
        super().__init__()
        self.lines = lines

    def body(self) -> ComposeResult:
        yield self.lines
