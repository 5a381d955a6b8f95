"""A message list that is saved with the last screen: enough to paint it again without the app.

`MessageList.saved` describes the list when the app ends; at the next start `painted` lays out the messages that
are there by then in the same place, with the same parts as the list itself.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from rich.style import Style
from textual.geometry import Region, Size
from textual.strip import Strip

from narrowcast.content.palette import Palette
from narrowcast.panes.messages.feed import Feed, ItemRows
from narrowcast.panes.messages.names import StateNames
from narrowcast.panes.messages.opening import set_position, waiting_messages
from narrowcast.panes.messages.position import Position
from narrowcast.panes.messages.row_painter import GUTTER, RowPainter
from narrowcast.panes.messages.row_values import Tints
from narrowcast.panes.messages.rows import RowMaker
from narrowcast.terminal.screen_memory import WidgetRows
from narrowcast.widgets.strips import THUMB, thumb_strip
from narrowcast.widgets.tints import Ground

if TYPE_CHECKING:
    from narrowcast.commands.hints import Keys
    from narrowcast_api.sync.message_view import MessageView
    from narrowcast_api.sync.session import Session

__all__ = ["SavedList"]


class SavedList(Struct, frozen=True):
    """``place``: its x, y, width and height on the screen; ``parts``: the styles of all parts by name, as text."""

    narrow: str
    place: tuple[int, int, int, int]
    base: str
    parts: dict[str, str]
    ground: Ground
    sender_colors: bool
    has_focus: bool

    @classmethod
    def load(cls, data: bytes) -> SavedList | None:
        """What `dump` returned; None for anything else."""
        try:
            return msgspec.msgpack.decode(data, type=cls)
        except ValueError:
            return None

    def dump(self) -> bytes:
        return msgspec.msgpack.encode(self)

    def painted(self, session: Session, view: MessageView, keys: Keys) -> WidgetRows | None:
        """The rows of ``view`` as the app shows them when it opens; None if they cannot be shown in this place."""
        if view.error is not None or not view.ids or view.narrow.dump() != self.narrow:
            return None
        surface = _Surface(self)
        rows = ItemRows(lambda names: self._row_maker(names, surface, keys), time.time)
        position = Position(rows, lambda: surface.room.height, lambda: None)
        feed = Feed(view, StateNames(session.state), waiting_messages(session, view))
        rows.show(feed)
        position.reset()
        set_position(position, view, None)
        position.arrange()
        painter = RowPainter(surface, rows, position)
        strips = {y: painter.row(y, feed, None) for y in range(surface.room.height)}
        return WidgetRows(Region(*self.place), strips, _edges(position, surface))

    def _row_maker(self, names: StateNames, surface: _Surface, keys: Keys) -> RowMaker:
        palette = Palette.read(lambda part: surface.part_style(f"messages--{part}"), plain=False)
        tints = Tints.on(self.ground, people=self.sender_colors)
        return RowMaker(
            names, palette, surface.base_style, surface.room.width - GUTTER - 1, None, keys, tints
        )


class _Surface:
    """The styles of the saved list, for painting."""

    def __init__(self, saved: SavedList) -> None:
        self.room = Size(*saved.place[2:])
        self.base_style = Style.parse(saved.base)
        self.has_focus = saved.has_focus
        self._parts = saved.parts
        self._styles: dict[str, Style] = {}

    def part_style(self, part: str) -> Style:
        style = self._styles.get(part)
        if style is None:
            style = self._styles[part] = Style.parse(self._parts[part])
        return style


def _edges(position: Position, surface: _Surface) -> Mapping[int, Strip]:
    """The scroll bar, by row."""
    if position.thumb is None:
        return {}
    start, length = position.thumb
    style = surface.base_style + surface.part_style(THUMB)
    return {y: thumb_strip(start <= y < start + length, style) for y in range(surface.room.height)}
