"""Temporary overlays on rows: hints with a key each, and highlighted matches."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Protocol

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

if TYPE_CHECKING:
    from narrowcast.panes.messages.feed import Key
    from narrowcast.panes.messages.row_values import Surface

__all__ = ["Found", "Hints", "Overlay", "hint_labels"]

_LETTERS = "asdfghjklqwertyuiopzxcvbnm"


class Overlay(Protocol):
    """Changes the look of a row, never its width. ``commands``: handlers for `Context.FOUND` meanwhile."""

    @property
    def commands(self) -> Mapping[str, Callable[[], None]]: ...

    def apply(self, view: Surface, y: int, key: Key, strip: Strip) -> Strip:
        """Row `y`, which belongs to the item `key`, with the overlay applied."""


def hint_labels(count: int) -> list[str]:
    """As many different labels as requested, all of one length, with the easiest keys first."""
    if count <= len(_LETTERS):
        return list(_LETTERS[:count])
    pairs = [first + second for first in _LETTERS for second in _LETTERS]
    return pairs[:count]


def _replace(strip: Strip, start: int, text: str, style: Style) -> Strip:
    end = start + len(text)
    return Strip([*strip.crop(0, start), Segment(text, style), *strip.crop(end)], strip.cell_length)


def _before_count(text: str) -> int:
    """Cells of a reaction before its count, so that a label leaves the emoji visible; 0 for other texts."""
    emoji, blank, count = text.partition("\u00a0")
    return cell_len(emoji) if blank and count.rstrip("]").isdecimal() else 0


class Hints:
    """A label on the beginning of each target. `typed` is what was typed so far: other labels are dimmed.

    `beginning` returns the targets that begin in a screen row at the moment: see `MessageList.targets_beginning`.
    """

    def __init__(
        self, labels: Mapping[tuple[Key, int], str], beginning: Callable[[int], Collection[tuple[Key, int]]]
    ) -> None:
        self.labels = labels
        self._beginning = beginning
        self.typed = ""
        self.commands: Mapping[str, Callable[[], None]] = {}

    def apply(self, view: Surface, y: int, key: Key, strip: Strip) -> Strip:
        """Puts the labels of row `y` over the first cells of their targets."""
        style = view.part_style("messages--hint")
        labels: dict[object, str | None] = {
            number: self.labels.get((item, number)) for item, number in self._beginning(y) if item == key
        }
        cell = 0
        for segment in list(strip):
            number = segment.style.meta.get("target") if segment.style and segment.style.meta else None
            label = labels.get(number)
            at = cell + _before_count(segment.text)
            if label is not None and label.startswith(self.typed) and at + len(label) <= strip.cell_length:
                strip = _replace(strip, at, label[len(self.typed) :], view.base_style + style)
            cell += segment.cell_length
        return strip


class Found:
    """Highlights every occurrence of a text in view."""

    def __init__(self, text: str, commands: Mapping[str, Callable[[], None]] | None = None) -> None:
        self.text = text.casefold()
        self.commands = commands or {}

    def apply(self, view: Surface, y: int, key: Key, strip: Strip) -> Strip:
        """Highlights the matches in one row; a match that wraps is not highlighted."""
        plain = strip.text
        folded = plain.casefold()
        if not self.text or len(folded) != len(plain):
            return strip
        style = view.part_style("messages--found")
        start = folded.find(self.text)
        while start >= 0:
            begin = cell_len(plain[:start])
            end = begin + cell_len(plain[start : start + len(self.text)])
            lit = [Segment(text, (look or Style()) + style) for text, look, _ in strip.crop(begin, end)]
            strip = Strip([*strip.crop(0, begin), *lit, *strip.crop(end)], strip.cell_length)
            start = folded.find(self.text, start + len(self.text))
        return strip
