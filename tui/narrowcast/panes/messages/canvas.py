"""The drawing of the list of messages: any number of them, newest at the bottom, at the cost of what is on the screen.

The place of the viewport is an item and a row (see `viewport`), so older messages arrive above without moving
a line. Rows of the last few hundred messages are kept; a message is laid out again only when it, its lead, the
width, the theme or what the reader did with it changed.
"""

from __future__ import annotations

import logging
import textwrap
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from msgspec import Struct
from rich.segment import Segment
from rich.style import Style
from textual.message import Message as TextualMessage
from textual.strip import Strip

from narrowcast.content.inlines import Target
from narrowcast.content.palette import Palette
from narrowcast.panes.messages.feed import Feed, Key
from narrowcast.panes.messages.overlays import Overlay
from narrowcast.panes.messages.rows import Lead, Row, RowMaker, Rows, Shape, place_of_note
from narrowcast.panes.messages.viewport import Place, Viewport
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.line_view import LineView, compose_line, lean_strip
from narrowcast.widgets.looks import Look

log = logging.getLogger(__name__)

__all__ = ["GUTTER", "MessageCanvas", "target_of"]

GUTTER = 2
"""Columns of the list's own: the mark of the selected message, and the star."""

KEPT_ITEMS = 150
"""Messages that stay laid out: some screens full."""
KEPT_LINES = 300
NEAR_EDGE = 50
"""Items from the oldest (or newest) known one at which the next page is asked for."""

Wall = Callable[[], float]


class _Kept(Struct):
    """Rows of an item, and what they were made from."""

    source: object
    lead: Lead
    shape: Shape
    rows: Rows


class MessageCanvas(LineView):
    """Shows a `Feed`. The pane that owns it knows the session; the list knows rows and places."""

    LOOKS: ClassVar[Mapping[str, Look]] = {
        **{f"messages--{part}": Look() for part in Palette.parts()},
        "messages--dim": Look("text-muted", ansi=Style(dim=True)),
        "messages--link": Look("primary", letters=Style(underline=True)),
        "messages--code": Look("secondary"),
        "messages--heading": Look(letters=Style(bold=True)),
        "messages--mention": Look("primary"),
        "messages--own": Look("accent", letters=Style(bold=True, reverse=True)),
        "messages--sender": Look("accent", letters=Style(bold=True)),
        "messages--place": Look("primary", letters=Style(bold=True)),
        "messages--mark": Look("accent"),
        "messages--bar": Look("foreground 40%"),
        "messages--error": Look("error"),
        "messages--found": Look(letters=Style(reverse=True)),
        "messages--keyword": Look("primary", letters=Style(bold=True)),
        "messages--string": Look("success"),
        "messages--number": Look("warning"),
        "messages--comment": Look("text-muted", letters=Style(italic=True), ansi=Style(dim=True)),
        "messages--name": Look("accent"),
        "messages--builtin": Look("secondary"),
        "messages--deleted": Look("error"),
        "messages--inserted": Look("success"),
        "messages--cursor": Look("foreground 40%"),
        "messages--focused": Look("accent"),
        "messages--hint": Look("background", ground="accent", letters=Style(bold=True)),
        "messages--selection": Look(
            "foreground", ground="screen-selection-background", ansi_color="screen-selection-foreground"
        ),
    }
    DEFAULT_CSS = """
    MessageCanvas { background: $background; }
    """

    class Moved(TextualMessage, namespace="message_list"):
        """The viewport or the selection moved. `seen`: ids whose end has come into view since the last time."""

        def __init__(self, seen: Sequence[int]) -> None:
            super().__init__()
            self.seen = seen

    class HeadingChosen(TextualMessage, namespace="message_list"):
        """The heading of the conversation of a message was clicked."""

        def __init__(self, key: Key) -> None:
            super().__init__()
            self.key = key

    class TargetChosen(TextualMessage, namespace="message_list"):
        """Something in a message was clicked or chosen by its hint."""

        def __init__(self, key: Key, target: Target) -> None:
            super().__init__()
            self.key = key
            self.target = target

    class PageWanted(TextualMessage, namespace="message_list"):
        """The viewport is near the end of what is known."""

        def __init__(self, older: bool) -> None:
            super().__init__()
            self.older = older

    def __init__(self, *, wall: Wall = time.time, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.feed: Feed | None = None
        self.selected: Key | None = None
        self.following = True
        """Whether new messages at the bottom move the viewport."""
        self.engaged = False
        """Whether the reader chose the selected message; only otherwise the selection follows new ones."""
        self.empty_text = ""
        self.overlay: Overlay | None = None
        self._wall = wall
        self._viewport = Viewport(self._height_of)
        self._top_key: Key | None = None
        self._kept: OrderedDict[Key, _Kept] = OrderedDict()
        self._shapes: dict[Key, Shape] = {}
        self._maker: RowMaker | None = None
        self._places: list[Place | None] = []
        self._seen_until: Key | None = None
        self._hurries = False
        """Whether the newest was asked for, whatever lies before it."""
        self._outdated = False
        self._thumb: tuple[int, int] | None = None
        self._frame: dict[int, Rows] = {}
        """Rows by index, found to be true since the feed was last read or anything moved."""
        self._lines: dict[int, tuple[Row, Strip]] = {}
        """Rows as they are painted when nothing is said in the gutter, by the identity of the row."""
        self.made = 0
        """Items laid out so far; for tests of how much work is done."""

    def feed_changed(self) -> None:
        """Items came, went or changed."""
        self._outdated = True
        self.changed()

    def rows_of(self, key: Key) -> Rows | None:
        feed = self.feed
        return self._rows(feed.index(key)) if feed is not None and feed.holds(key) else None

    # LineView.

    def thumb(self) -> tuple[int, int] | None:
        """Where the viewport lies among the known messages; by messages, not by rows."""
        return self._thumb

    def _find_thumb(self) -> tuple[int, int] | None:
        shown = [place for place in self._places if place is not None]
        count, height = self._viewport.count, self.content_size.height
        if not shown or height < 2:
            return None
        first, last = shown[0].index, shown[-1].index
        if last - first + 1 >= count:
            return None
        length = max(1, height * (last - first + 1) // count)
        share = first / max(1, count - (last - first + 1))
        return round(share * (height - length)), length

    def repaint_changes(self) -> None:
        """Places the viewport, tells what has been seen, and repaints what differs."""
        self._arrange()
        super().repaint_changes()

    def compose_row(self, y: int) -> Strip:
        """Row `y` of the screen; a defect costs a row, not the app."""
        try:
            return self._compose_row(y)
        except Exception:
            log.exception("row %s of the messages cannot be drawn", y)
            return Strip.blank(self.content_size.width, self.base_style)

    def _compose_row(self, y: int) -> Strip:
        width = self.content_size.width
        feed = self.feed
        place = self._places[y] if y < len(self._places) else None
        if feed is None or not len(feed):
            return self._empty_row(y, width)
        if y == 0 and self._has_header():
            return self._header_row(width)
        if place is None or place.index >= len(feed):
            # The list got shorter; its rows are placed anew at once.
            return Strip.blank(width, self.base_style)
        key = feed.key(place.index)
        rows = self._rows(place.index)
        row = rows.rows[min(place.row, len(rows.rows) - 1)]
        selected = rows.owns(place.row) and key == self.selected
        message = feed.message(place.index)
        star = message is not None and message.is_starred and place.row == rows.lead
        if not (selected or star):
            strip = self._plain_line(row, width)
        else:
            content = row.strip
            if selected and rows.clock and place.row == place_of_note(rows, rows.clock):
                content = self._row_maker(feed).with_note(content, rows.clock)
            gutter = ("▌" if selected else " ") + ("★" if star else " ")
            look = self.part_style("messages--focused" if self.has_focus else "messages--cursor")
            edge = Segment(" ", self.base_style)
            strip = lean_strip([Segment(gutter, self.base_style + look), *content, edge], width)
        return self.overlay.apply(self, y, key, strip) if self.overlay is not None else strip

    def _plain_line(self, row: Row, width: int) -> Strip:
        """A row behind an empty gutter: one strip as long as the row is the same, so that rows which only move on
        the screen are neither put together nor compared again.
        """
        kept_row, strip = self._lines.get(id(row), (None, None))
        if kept_row is not row or strip is None:
            if len(self._lines) > KEPT_LINES:
                self._lines.clear()
            gutter, edge = Segment(" " * GUTTER, self.base_style), Segment(" ", self.base_style)
            strip = lean_strip([gutter, *row.strip, edge], width)
            self._lines[id(row)] = (row, strip)
        return strip

    def styles_changed(self) -> None:
        """Everything is laid out again in the new colours."""
        self._maker = None
        self._kept.clear()
        self._frame.clear()
        self._lines.clear()

    def room_changed(self) -> None:
        """Another width: everything is laid out again, the first message in view stays."""
        self._maker = None
        self._kept.clear()
        self._frame.clear()
        self._lines.clear()
        self._arrange()

    # Inside.

    def _has_header(self) -> bool:
        return self.feed is not None and self.feed.mixed and self.content_size.height > 4

    def _arrange(self) -> None:
        """Puts the viewport where it belongs after any change, and says what that means for others."""
        feed = self.feed
        self._sync()
        if feed is None:
            self._places = []
            return
        if self.following:
            self._viewport.to_bottom()
            if not self._stays_at_unseen(feed):
                self._follow_selection(feed)
                self._note_top(keep_following=True)
        self._hurries = False
        if len(feed) and not feed.holds(self.selected):
            self.selected = feed.key(min(feed.index(self.selected), len(feed) - 1))
        self._place_rows()
        self._tell()

    def _stays_at_unseen(self, feed: Feed) -> bool:
        """More came at once than fits: stands where the unread begins. What was never on screen is not read."""
        top = self._viewport.top
        if self._hurries or not isinstance(self._seen_until, int):
            return False
        unseen = feed.index(self._seen_until) + 1
        if (unseen, 0) >= (top.index, top.row) or not feed.has_unread(unseen, top.index + 1):
            return False
        self._viewport.center(unseen, min(2, self._viewport.height // 4))
        self._note_top()
        return True

    def _follow_selection(self, feed: Feed) -> None:
        """The selection goes along with new messages; not where a reply would go to another conversation."""
        if not len(feed):
            return
        visible = any(place and feed.key(place.index) == self.selected for place in self._viewport.rows())
        if self.selected is None or (not self.engaged and not (feed.mixed and visible)):
            self.selected = feed.key(len(feed) - 1)

    def _place_rows(self) -> None:
        self._places = self._viewport.rows() if self.feed is not None else []
        if self._has_header():
            self._places = [None, *self._places]
        self._thumb = self._find_thumb()

    def _tell(self) -> None:
        """Posts what came into view, and asks for the pages next to it."""
        feed = self.feed
        shown = [place for place in self._places if place is not None]
        if feed is None or not shown:
            return
        view = feed.view
        if shown[0].index < NEAR_EDGE and not view.found_oldest:
            self.post_message(self.PageWanted(older=True))
        if len(feed.ids) - shown[-1].index < NEAR_EDGE and not view.found_newest:
            self.post_message(self.PageWanted(older=False))
        last = shown[-1]
        bottom = last.index if last.row == self._height_of(last.index) - 1 else last.index - 1
        bottom = min(bottom, len(feed.ids) - 1)
        first = shown[0].index
        if self._seen_until is not None:
            first = min(first, feed.index(self._seen_until) + 1)
        seen = list(feed.ids[first : bottom + 1]) if bottom >= first else []
        if bottom >= 0:
            until = feed.ids[bottom]
            if self._seen_until is None or not isinstance(self._seen_until, int) or until > self._seen_until:
                self._seen_until = until
        self.post_message(self.Moved(seen))

    def _sync(self) -> None:
        """Takes the present items: the first row in view stays where it is although indexes moved.

        Places are indexes, so whenever the feed is read they are made anew, before anything is painted.
        """
        feed = self.feed
        outdated, self._outdated = self._outdated, False
        self._frame.clear()
        if feed is not None and outdated:
            feed.read()
        height = self.content_size.height
        self._viewport.height = max(1, height - 1 if self._has_header() else height)
        self._viewport.count = len(feed) if feed is not None else 0
        if feed is not None and self._top_key is not None:
            index = feed.index(self._top_key)
            if index != self._viewport.top.index:
                self._viewport.top = Place(index, self._viewport.top.row if feed.holds(self._top_key) else 0)
        if outdated:
            self._place_rows()

    def _note_top(self, keep_following: bool = False) -> None:
        feed = self.feed
        if feed is None or not len(feed):
            return
        top = self._viewport.top
        self._top_key = feed.key(min(top.index, len(feed) - 1))
        if not keep_following:
            self.following = self._viewport.at_bottom() and feed.view.found_newest

    def _height_of(self, index: int) -> int:
        return max(1, len(self._rows(index).rows))

    def _rows(self, index: int) -> Rows:
        """The rows of an item, made where what they were made from is different now."""
        feed = self.feed
        if feed is None:
            return Rows([], 0, [])
        if (rows := self._frame.get(index)) is not None:
            return rows
        rows = self._frame[index] = self._rows_now(feed, index)
        return rows

    def _rows_now(self, feed: Feed, index: int) -> Rows:
        key = feed.key(index)
        shape = self._shapes.get(key, _PLAIN)
        message = feed.message(index)
        echo = feed.echo(index) if message is None else None
        source: object = message if message is not None else echo
        lead = feed.lead(index) if message is not None else feed.echo_lead(index)
        kept = self._kept.get(key)
        if kept is not None and kept.source is source and kept.lead == lead and kept.shape == shape:
            self._kept.move_to_end(key)
            return kept.rows
        maker = self._row_maker(feed)
        if message is not None:
            rows = maker.message(message, lead, shape, feed.content(message))
        elif echo is not None:
            rows = maker.echo(echo, self._wall(), lead)
        else:
            rows = Rows([maker.line([("(deleted)", maker.palette.dim)])], 0, [])
        self.made += 1
        self._kept[key] = _Kept(source, lead, shape, rows)
        if len(self._kept) > KEPT_ITEMS:
            self._kept.popitem(last=False)
        return rows

    def _row_maker(self, feed: Feed) -> RowMaker:
        if self._maker is None or self._maker.names is not feed.names:
            palette = Palette.read(lambda part: self.part_style(f"messages--{part}"), self.app.no_color)
            width = self.content_size.width - GUTTER - 1
            self._maker = RowMaker(feed.names, palette, self.base_style, width)
        return self._maker

    def _header_row(self, width: int) -> Strip:
        """The conversation and the date of the first message in view, always in sight."""
        feed = self.feed
        place = next((place for place in self._places if place is not None), None)
        message = feed.message(place.index) if feed is not None and place is not None else None
        if feed is None or message is None:
            return Strip.blank(width, self.base_style)
        maker = self._row_maker(feed)
        date = f"{feed.names.date(message.timestamp)} "
        return compose_line(
            width,
            [("  ", Style()), *maker.conversation_parts(message)],
            [(date, maker.palette.dim)],
            base=self.base_style + Style(underline=True),
        )

    def _empty_row(self, y: int, width: int) -> Strip:
        lines = [""]
        for line in self.empty_text.split("\n"):
            lines += textwrap.wrap(safe_line(line, 1_000), max(8, width - 4))
        text = "  " + lines[y] if y < len(lines) else ""
        return compose_line(width, [(text, self.part_style("messages--dim"))], base=self.base_style)


_PLAIN = Shape()


def target_of(style: Style | None) -> int | None:
    """The number of the target that a style marks."""
    number = style.meta.get("target") if style is not None and style.meta else None
    return number if isinstance(number, int) else None
