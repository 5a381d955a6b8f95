"""The rows of the items of a feed: laid out when they are asked for, and kept.

An item is laid out again only when it, its lead, the width, the theme or what the reader did with it changed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from narrowcast.content.bounds import MAX_ROWS
from narrowcast.content.inlines import Target
from narrowcast.panes.messages.feed import Feed, Key
from narrowcast.panes.messages.names import StateNames
from narrowcast.panes.messages.rows import Lead, RowMaker, Rows, Shape
from narrowcast_api.model.messages import Message

__all__ = ["ItemRows"]

KEPT_ITEMS = 150
"""Messages that stay laid out: some screens full."""

MOST_SPOILERS = 1_000

_PLAIN = Shape()


class _Kept(Struct):
    """Rows of an item, and what they were made from."""

    source: object
    lead: Lead
    shape: Shape
    rows: Rows


class ItemRows:
    """``new_maker`` gives a maker of rows in the present width and colours; ``wall`` the time in seconds."""

    def __init__(self, new_maker: Callable[[StateNames], RowMaker], wall: Callable[[], float]) -> None:
        self.feed: Feed | None = None
        self.made = 0
        """Items laid out so far; for tests of how much work is done."""
        self._new_maker = new_maker
        self._wall = wall
        self._maker: RowMaker | None = None
        self._shapes: dict[Key, Shape] = {}
        self._kept: OrderedDict[Key, _Kept] = OrderedDict()
        self._current: dict[int, Rows] = {}
        """Rows by index, found to be true since the feed was last read or anything moved."""

    # what is shown

    def show(self, feed: Feed | None) -> None:
        """Another feed: nothing of the one before is kept."""
        self.feed = feed
        self._shapes.clear()
        self.forget()

    def forget(self) -> None:
        """Everything is laid out again when it is asked for."""
        self._kept.clear()
        self._current.clear()

    def forget_looks(self) -> None:
        """The width or the colours are others."""
        self._maker = None
        self.forget()

    def forget_echoes(self) -> None:
        """Only messages on their way are laid out again."""
        for key in [key for key in self._kept if isinstance(key, str)]:
            del self._kept[key]
        self._current.clear()

    def recheck(self) -> None:
        """Items may have other indexes or other content: what is kept is compared with them before it is used."""
        self._current.clear()

    # rows

    def at(self, index: int) -> Rows:
        """The rows of the item at an index."""
        if self.feed is None:
            return Rows([], 0, [])
        if (rows := self._current.get(index)) is not None:
            return rows
        rows = self._current[index] = self._rows_now(self.feed, index)
        return rows

    def of(self, key: Key) -> Rows | None:
        """The rows of an item; None where the feed does not hold it."""
        feed = self.feed
        return self.at(feed.index(key)) if feed is not None and feed.holds(key) else None

    def height(self, index: int) -> int:
        return max(1, len(self.at(index).rows))

    def _rows_now(self, feed: Feed, index: int) -> Rows:
        key = feed.key(index)
        shape = self.shape_of(key)
        message = feed.message(index)
        echo = feed.echo(index) if message is None else None
        source: object = message if message is not None else echo
        lead = feed.lead(index) if message is not None else feed.echo_lead(index)
        kept = self._kept.get(key)
        if kept is not None and kept.source is source and kept.lead == lead and kept.shape == shape:
            self._kept.move_to_end(key)
            return kept.rows
        maker = self.maker(feed)
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

    def maker(self, feed: Feed) -> RowMaker:
        """Makes rows in the present width and colours."""
        if self._maker is None or self._maker.names is not feed.names:
            self._maker = self._new_maker(feed.names)
        return self._maker

    # one message

    def shape_of(self, key: Key) -> Shape:
        """What the reader did with a message."""
        return self._shapes.get(key, _PLAIN)

    def reshape(self, key: Key, **changes: object) -> None:
        """Opens, unfolds or pans a message."""
        self._shapes[key] = replace(self.shape_of(key), **changes)
        self._current.clear()

    def targets_of(self, key: Key) -> Sequence[Target]:
        """What can be followed in a message."""
        rows = self.of(key)
        return rows.targets if rows is not None else ()

    def text_of(self, message: Message) -> str:
        """The whole text of a message, spoilers opened and wrapped lines joined; without its reactions."""
        if self.feed is None:
            return ""
        alone = replace(message, reactions=(), flags=message.flags - {"collapsed"})
        shape = Shape(frozenset(range(MOST_SPOILERS)), MAX_ROWS, revealed=True)
        text = ""
        for row in self.maker(self.feed).message(alone, Lead(), shape).rows:
            if row.start:
                text += (row.glue if row.glue is not None else "\n" if text else "") + row.text
        return text
