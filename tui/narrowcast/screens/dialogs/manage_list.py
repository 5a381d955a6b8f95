"""The rows of a list of things to manage (`manage.py`)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import ClassVar, Generic, TypeVar

from msgspec import Struct
from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip

from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.looks import Look
from narrowcast.widgets.strips import compose_line
from narrowcast.widgets.virtual_list import VirtualList

__all__ = ["ListRow", "ManageList"]

T = TypeVar("T")

MARK_CELLS = 6
"""Cells taken by the mark of a row and the gaps around its text."""


class ListRow(Struct, Generic[T], frozen=True):
    """One thing. ``text`` and, on the right, ``detail``; on the second line, if rows have two, ``note``; on the
    third, if they have three, ``last``. A ``heading`` has one line, with its ``note`` after the text.

    ``key``: identifies the thing across changes; ``warn``: the last line is a warning; ``also`` is searched but not
    shown. Texts may come from anywhere.
    """

    key: Hashable
    value: T
    text: str
    detail: str = ""
    note: str = ""
    mark: str = ""
    also: str = ""
    warn: bool = False
    dim: bool = False
    last: str = ""
    heading: bool = False


class ManageList(VirtualList[ListRow[T]]):
    """Rows of one to three lines; a heading has one and cannot be selected."""

    KEEPS_PLACES: ClassVar[bool] = True
    LOOKS: ClassVar[Mapping[str, Look]] = {
        "manage--text": Look("text-primary"),
        "manage--heading": Look("text-primary", letters=Style(bold=True)),
        "manage--warn": Look("text-warning", letters=Style(bold=True)),
    }

    def render_item(self, item: ListRow[T], width: int, selected: bool) -> Sequence[Strip]:
        """Renders the thing, its detail, and its note."""
        base, dim = Style.null(), self.part_style("virtual-list--dim")
        room = width - cell_len(item.text) - MARK_CELLS
        detail = safe_line(item.detail, max(0, width // 2, room))
        look = self._look(item)
        apart = " " if self.item_rows > 1 else ""  # a bar of several rows fills its cells
        left = [(apart + safe_line(item.mark, 3) + " ", dim)] if item.mark else [(apart, dim)]
        first = [*left, (safe_line(item.text, width), look)]
        if item.heading and item.note:
            first.append(("   " + safe_line(item.note.strip(), width), dim))
        strips = [compose_line(width, first, [(detail + " ", dim)] if detail else [], base=base)]
        last_look = self.part_style("manage--warn") if item.warn else dim
        below = [(item.note, last_look if self.item_rows == 2 else base), (item.last, last_look)]
        for text, text_look in below[: self.item_rows - 1]:
            strips.append(
                compose_line(width, [("   " + safe_line(text.strip(), width), text_look)], base=base)
            )
        return strips

    def _look(self, item: ListRow[T]) -> Style:
        if item.heading:
            return self.part_style("manage--heading")
        if item.dim:
            return self.part_style("virtual-list--dim")
        return self.part_style("manage--text") if self.item_rows > 2 else Style.null()

    def rows_of(self, item: ListRow[T]) -> int:
        return 1 if item.heading else self.item_rows

    def selectable(self, item: ListRow[T]) -> bool:
        return not item.heading

    def key_of(self, item: ListRow[T]) -> Hashable:
        """The key that identifies the thing across changes."""
        return item.key

    def text_of(self, item: ListRow[T]) -> str:
        return f"{item.text} {item.detail} {item.note} {item.last} {item.also}"
