"""Painting rows of the message list: the mark of the selected message, stars, sticky heading, overlay."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Protocol

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from narrowcast.panes.messages.items import ItemRows, MessageItems
from narrowcast.panes.messages.position import Position
from narrowcast.panes.messages.row_values import MessageRow, RowCanvas
from narrowcast.widgets.strips import BAR, bar_cell, compose_line, lean_strip

if TYPE_CHECKING:
    from narrowcast.panes.messages.items import Key


__all__ = ["GUTTER", "FoundText", "Hints", "Overlay", "RowPainter", "hint_labels"]

GUTTER = 2
"""Columns of the list's own: the mark of the selected message, and the star."""

KEPT_LINES = 300


class RowPainter:
    """Paints with the styles of ``view``."""

    def __init__(self, view: RowCanvas, rows: ItemRows, position: Position) -> None:
        self._view = view
        self._rows = rows
        self._position = position
        self._plain: dict[int, tuple[MessageRow, Strip]] = {}
        """Rows painted with an empty gutter, by the identity of the row."""

    def forget_looks(self) -> None:
        """Drops cached rows after a change of width or colours."""
        self._plain.clear()

    def row(self, y: int, feed: MessageItems, overlay: Overlay | None) -> Strip:
        """Row ``y`` of the screen."""
        view, position = self._view, self._position
        width = view.room.width
        if y == 0 and position.shows_heading:
            return self._header(feed)
        place = position.places[y] if y < len(position.places) else None
        if place is None or place.index >= len(feed):
            # The list got shorter; its rows are placed again right after this.
            return Strip.blank(width, view.base_style)
        key = feed.key(place.index)
        rows = self._rows.at(place.index)
        row = rows.rows[min(place.row, len(rows.rows) - 1)]
        owned = rows.owns(place.row)
        selected = owned and key == position.selected
        message = feed.message(place.index)
        star = message is not None and message.is_starred and place.row == rows.lead
        mentioned = owned and message is not None and message.is_mention
        sign = BAR
        if mentioned and not selected and self._rows.maker(feed).palette.plain:
            # A bar without a colour would be that of the selection.
            sign, mentioned = "@", place.row == rows.lead
        if not (selected or star or mentioned):
            strip = self._plain_row(row)
        else:
            content = row.strip
            if selected and rows.clock:
                content = self._rows.maker(feed).with_clock(content, rows, place.row)
            strip = self._marked_row(
                content,
                sign if selected or mentioned else " ",
                selected=selected,
                star=star,
                mentioned=mentioned,
            )
        return overlay.apply(view, y, key, strip) if overlay is not None else strip

    def _marked_row(self, content: Strip, sign: str, *, selected: bool, star: bool, mentioned: bool) -> Strip:
        """A row of the selected message, or of one that is starred or mentions the user.

        The ground of the selection, which it has with the focus, replaces that of the list, and no other: code and
        chips keep theirs.
        """
        view, base = self._view, self._view.base_style
        ground = view.part_style("messages--chosen") if selected and view.has_focus else Style.null()
        if selected:
            look = view.part_style("messages--focused" if view.has_focus else "messages--cursor")
        else:
            look = view.part_style("messages--mentioned" if mentioned else "messages--mark")
        mark = bar_cell(base + ground + look) if sign == BAR else Segment(sign, base + ground + look)
        beside = base + ground + view.part_style("messages--mark")
        segments = [mark, Segment("★" if star else " ", beside)]
        for text, style, control in content:
            on_base = style is None or style.bgcolor == base.bgcolor
            segments.append(Segment(text, (style or base) + ground if on_base else style, control))
        return lean_strip([*segments, Segment(" ", base + ground)], view.room.width)

    def _plain_row(self, row: MessageRow) -> Strip:
        """A row behind an empty gutter; returns the same strip for the same row, so that rows that only move
        on the screen are neither composed nor compared again.
        """
        kept_row, strip = self._plain.get(id(row), (None, None))
        if kept_row is not row or strip is None:
            if len(self._plain) > KEPT_LINES:
                self._plain.clear()
            view = self._view
            gutter, edge = Segment(" " * GUTTER, view.base_style), Segment(" ", view.base_style)
            strip = lean_strip([gutter, *row.strip, edge], view.room.width)
            self._plain[id(row)] = (row, strip)
        return strip

    def _header(self, feed: MessageItems) -> Strip:
        """The sticky heading: conversation and date of the first message in view."""
        view, width = self._view, self._view.room.width
        shown = self._position.shown
        message = feed.message(shown[0].index) if shown else None
        if message is None:
            return Strip.blank(width, view.base_style)
        maker = self._rows.maker(feed)
        date = f"{feed.names.date(message.timestamp)} "
        return compose_line(
            width,
            [("  ", Style()), *maker.conversation_parts(message)],
            [(date, maker.palette.dim)],
            base=view.base_style + Style(underline=True),
        )


_LETTERS = "asdfghjklqwertyuiopzxcvbnm"


class Overlay(Protocol):
    """Changes the look of a row, never its width. ``commands``: handlers for `Context.FOUND` meanwhile."""

    @property
    def commands(self) -> Mapping[str, Callable[[], None]]: ...

    def apply(self, view: RowCanvas, y: int, key: Key, strip: Strip) -> Strip:
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
    return cell_len(emoji) if blank and count.rstrip("])").isdecimal() else 0


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

    def apply(self, view: RowCanvas, y: int, key: Key, strip: Strip) -> Strip:
        """Puts the labels of row `y` over the first cells of their targets, or, where the label before needs these,
        a blank behind that.
        """
        style = view.part_style("messages--hint")
        labels: dict[object, str | None] = {
            number: self.labels.get((item, number)) for item, number in self._beginning(y) if item == key
        }
        cell, end = 0, -1
        for segment in list(strip):
            number = segment.style.meta.get("target") if segment.style and segment.style.meta else None
            label = labels.get(number)
            at = cell + _before_count(segment.text)
            crowded = at <= end
            at = end + 1 if crowded else at
            if label is not None and label.startswith(self.typed) and at + len(label) <= strip.cell_length:
                if crowded:
                    strip = _replace(strip, end, " ", view.base_style)
                strip = _replace(strip, at, label[len(self.typed) :], view.base_style + style)
                del labels[number]  # a target of several styles has one label
                end = at + len(label)
            cell += segment.cell_length
        return strip


def _folded(text: str) -> str:
    """The text without differences of case; each letter keeps its place, so that one such as ß stays as it is."""
    folded = text.casefold()
    if len(folded) == len(text):
        return folded
    return "".join(small if len(small := letter.casefold()) == 1 else letter for letter in text)


class FoundText:
    """Highlights every occurrence of a text in view."""

    def __init__(self, text: str, commands: Mapping[str, Callable[[], None]] | None = None) -> None:
        self.text = text.casefold()
        self._shown = _folded(text)
        self.commands = commands or {}

    def apply(self, view: RowCanvas, y: int, key: Key, strip: Strip) -> Strip:
        """Highlights the matches in one row; a match that wraps is not highlighted."""
        plain = strip.text
        folded = _folded(plain)
        if not self._shown:
            return strip
        style = view.part_style("messages--found")
        start = folded.find(self._shown)
        while start >= 0:
            begin = cell_len(plain[:start])
            end = begin + cell_len(plain[start : start + len(self._shown)])
            lit = [Segment(text, (look or Style()) + style) for text, look, _ in strip.crop(begin, end)]
            strip = Strip([*strip.crop(0, begin), *lit, *strip.crop(end)], strip.cell_length)
            start = folded.find(self._shown, start + len(self._shown))
        return strip
