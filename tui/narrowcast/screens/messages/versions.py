"""The edit history of a message, newest version first: who changed what, and when."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import islice
from typing import ClassVar

from msgspec import Struct
from rich.segment import Segment
from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.strip import Strip

from narrowcast.content.wrapping import Run, wrap
from narrowcast.screens.dialogs.dialog import LARGE, Dialog
from narrowcast.text.safe_text import safe_block, safe_line
from narrowcast.widgets.looks import Look
from narrowcast.widgets.strips import lean_strip
from narrowcast.widgets.virtual_list import MEASURED, VirtualList

__all__ = ["ComparisonScreen", "Version", "VersionsScreen", "changed_words"]

MAX_WORDS = 3_000
"""Maximum number of words compared; longer versions are shown whole, without marks."""
MAX_CHARACTERS = 40_000
"""Maximum number of characters shown of a version."""

_PLAIN_MARKS = {"gone": ("[-", "-]"), "added": ("{+", "+}")}
"""Marks around changes if there are no colors."""
_WORD = re.compile(r"\n|[^\S\n]+|\w+|[^\w\s]")


class Version(Struct, frozen=True):
    """One version of a message. `about`: who wrote it, when, and where it was then, if it was moved."""

    about: str
    content: str


class _Row(Struct, frozen=True):
    """One row. `pieces`: texts, each with the name of its style."""

    version: int
    pieces: tuple[tuple[str, str], ...]


def changed_words(old: str, new: str) -> Iterator[tuple[str, str]]:
    """`new` in pieces, with the text that was replaced: ("", same), ("added", ...), ("gone", ...)."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    if len(before) + len(after) > MAX_WORDS:
        yield "", new
        return
    for kind, start, end, begin, stop in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            yield "", "".join(after[begin:stop])
            continue
        if gone := "".join(before[start:end]):
            yield "gone", gone
        if added := "".join(after[begin:stop]):
            yield "added", added


class _Rows(VirtualList[_Row]):
    """All versions, one below the other."""

    LOOKS: ClassVar[Mapping[str, Look]] = {
        "versions--about": Look("text-accent", letters=Style(bold=True)),
        "versions--added": Look("text-success", letters=Style(underline=True)),
        "versions--gone": Look("text-error", letters=Style(strike=True)),
    }

    def __init__(self, versions: Sequence[Version]) -> None:
        super().__init__()
        self.versions = versions

    def looks_changed(self, resized: bool) -> None:
        """Wraps the rows to the new width."""
        super().looks_changed(resized)
        if resized:
            self.set_items(list(self._rows(max(10, self.room.width - 2))))

    def rows_at(self, width: int) -> int:
        return sum(1 for _ in islice(self._rows(max(10, width - 2)), MEASURED))

    def _rows(self, width: int) -> Iterator[_Row]:
        for number in reversed(range(len(self.versions))):
            version = self.versions[number]
            yield _Row(number, ((safe_line(version.about, width), "about"),))
            before = self.versions[number - 1].content if number else None
            for line in _lines(before, version.content, plain=self.app.no_color):
                for folded in wrap([Run(text, Style(meta={"look": look})) for look, text in line], width):
                    yield _Row(
                        number, tuple((run.text, run.style.meta.get("look", "")) for run in folded.runs)
                    )
            yield _Row(number, ())

    def render_item(self, item: _Row, width: int, selected: bool) -> Sequence[Strip]:
        segments = [
            Segment(text, self.part_style(f"versions--{look}") if look else Style.null())
            for text, look in item.pieces
            if text
        ]
        return [lean_strip(segments, sum(segment.cell_length for segment in segments))]

    def key_of(self, item: _Row) -> Hashable:
        return id(item)


def _lines(before: str | None, after: str, *, plain: bool) -> list[list[tuple[str, str]]]:
    """A version as lines of (style, text); `plain` also marks changes by characters."""
    old, new = safe_block((before or "")[:MAX_CHARACTERS]), safe_block(after[:MAX_CHARACTERS])
    lines: list[list[tuple[str, str]]] = [[]]
    for look, text in changed_words(old, new) if before is not None else [("", new)]:
        left, right = _PLAIN_MARKS.get(look, ("", "")) if plain else ("", "")
        first, *others = f"{left}{text}{right}".split("\n")
        lines[-1].append((look, first))
        lines += [[(look, other)] for other in others]
    return lines


class VersionsScreen(Dialog[int | None]):
    """Shows `versions`, given oldest first. Dismissed with the number of the one to copy."""

    WIDTH = LARGE
    TITLE_TEXT = "Edit history, newest first"
    KEYS = (("list.select", "copies"), ("dialog.close", "closes"))

    def __init__(self, versions: Sequence[Version]) -> None:
        super().__init__()
        self.rows = _Rows(versions)

    def body(self) -> ComposeResult:
        yield self.rows

    def on_mount(self) -> None:
        self.rows.focus()

    @on(VirtualList.Selected)
    def _copy(self, event: VirtualList.Selected) -> None:
        if isinstance(event.item, _Row):
            self.dismiss(event.item.version)


class ComparisonScreen(Dialog[None]):
    """Shows what the version `mine` changes in `theirs`, above the whole of `theirs`."""

    WIDTH = LARGE
    TITLE_TEXT = "Your edit and the change elsewhere"
    KEYS = (("dialog.close", "closes"),)

    def __init__(self, theirs: Version, mine: Version) -> None:
        super().__init__()
        self.rows = _Rows([theirs, mine])

    def body(self) -> ComposeResult:
        yield self.rows

    def on_mount(self) -> None:
        self.rows.focus()
