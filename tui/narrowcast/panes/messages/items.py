"""The items of the message list, and their rows, which are laid out on demand and cached.

Items are the messages of a view, followed by the user's own messages that the server has not confirmed yet
(echoes).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from msgspec.structs import replace

from narrowcast.content.bounds import MAX_ROWS
from narrowcast.content.inlines import Target
from narrowcast.panes.messages.row_values import Expansion, RowContext, Rows
from narrowcast.panes.messages.rows import RowMaker
from narrowcast_api.errors import ApiError, NarrowcastError
from narrowcast_api.model.messages import Message
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.timeline import Gap

if TYPE_CHECKING:
    from narrowcast.panes.messages.row_values import StateNames
    from narrowcast_api.model.messages import Match
    from narrowcast_api.protocols.outbox_item import OutboxEntry

__all__ = ["ItemRows", "Key", "MessageItems", "View"]

Key = int | str
"""The id of a message, or the local id of an echo."""

RUN_SECONDS = 600
"""Messages of one sender within this time share one heading."""

KEPT_ITEMS = 150
"""Maximum number of messages whose layout is cached: some screens full."""

MAX_SPOILERS = 1_000

_PLAIN = Expansion()


class View(Protocol):
    """What the list needs of a session's message view."""

    @property
    def narrow(self) -> Narrow: ...
    @property
    def ids(self) -> Sequence[int]: ...
    @property
    def gaps(self) -> Sequence[Gap]: ...
    @property
    def found_oldest(self) -> bool: ...
    @property
    def found_newest(self) -> bool: ...
    @property
    def first_unread(self) -> int | None: ...
    @property
    def matches(self) -> Mapping[int, Match]: ...
    @property
    def error(self) -> NarrowcastError | None: ...


class MessageItems(Struct):
    """Items by index, and the header rows of each.

    `read` takes the current ids of the view; until the next read, indexes stay valid although events change the view
    at any time. The messages themselves are looked up in the state on demand.
    """

    view: View
    names: StateNames
    echoes: Sequence[OutboxEntry] = ()
    ids: Sequence[int] = ()
    mixed: bool = False
    """Whether messages of several conversations can follow each other."""

    def __post_init__(self) -> None:
        self.mixed = not self.view.narrow.is_conversation
        self.read()

    def read(self) -> None:
        self.ids = self.view.ids

    def __len__(self) -> int:
        return len(self.ids) + len(self.echoes)

    def key(self, index: int) -> Key:
        """The key of the item at `index`, which stays the same when items are added before it."""
        ids = self.ids
        return ids[index] if index < len(ids) else self.echoes[index - len(ids)].local_id

    def index(self, key: Key | None) -> int:
        """The index of the item with `key`, or where it would be inserted; the last index for an echo that is gone."""
        ids = self.ids
        if isinstance(key, int):
            return bisect_left(ids, key)
        for index, echo in enumerate(self.echoes):
            if echo.local_id == key:
                return len(ids) + index
        return max(0, len(self) - 1)

    def holds(self, key: Key | None) -> bool:
        """Whether the item with `key` is in the list."""
        index = self.index(key)
        return key is not None and index < len(self) and self.key(index) == key

    def message(self, index: int) -> Message | None:
        """The message at `index`; None for an echo, and for a message that is no longer in the state."""
        ids = self.ids
        return self.names.state.messages.get(ids[index]) if 0 <= index < len(ids) else None

    def has_unread(self, first: int, end: int) -> bool:
        """Whether one of these items is unread."""
        messages = (self.message(index) for index in range(first, end))
        return any(message is not None and not message.is_read for message in messages)

    def content(self, message: Message) -> str:
        """The HTML of a message; in a search, the version in which matches are highlighted."""
        match = self.view.matches.get(message.id)
        return match.content if match is not None and match.content else message.content

    def echo(self, index: int) -> OutboxEntry | None:
        """The unsent message at `index`; None if that is a message."""
        offset = index - len(self.ids)
        return self.echoes[offset] if 0 <= offset < len(self.echoes) else None

    def lead(self, index: int) -> RowContext:
        """What to show above and below the message at `index`."""
        message = self.message(index)
        if message is None:
            return RowContext()
        before = self.message(index - 1) if index > 0 else None
        gap, gap_below = self._gaps(message.id, before)
        unread = message.id == self.view.first_unread and index > 0
        editors = self.names.state.typing.editors(message.id)
        if before is None:
            return RowContext(gap, True, unread, self.mixed, gap_below=gap_below, editors=editors)
        date = self.names.local(before.timestamp).date() != self.names.local(message.timestamp).date()
        me = self.names.state.me
        moved_on = before.destination(me).key != message.destination(me).key
        continues = (
            before.sender_id == message.sender_id
            and not (gap or date or unread or moved_on)
            and message.timestamp - before.timestamp < RUN_SECONDS
            and message.edited_at is None
            and message.moved_at in (None, before.moved_at)  # messages moved together stay together
            and not before.is_me_message
        )
        conversation = self.mixed and (moved_on or gap or date)
        return RowContext(gap, date, unread, conversation, not continues, gap_below, editors)

    def _gaps(self, message_id: int, before: Message | None) -> tuple[bool, str]:
        """Whether messages may be missing right before a message, and why some may be missing right after it."""
        above, below = False, ""
        for gap in self.view.gaps:
            if gap.before is None and gap.after == message_id:
                below = self._why_missing()
            elif gap.before is not None and gap.before <= message_id:
                above = above or before is None or before.id < gap.before
        return above, below

    def _why_missing(self) -> str:
        """Why newer messages are missing: the server's error, else the lost connection."""
        error = self.view.error
        if isinstance(error, ApiError):
            return f": the server refused them ({error.user_message})"
        return " until the connection is back"

    def echo_lead(self, index: int) -> RowContext:
        """What to show above an echo: its destination unless that is clear, and its sender."""
        echo, before, me = (
            self.echo(index),
            self.message(index - 1) if index > 0 else None,
            self.names.state.me,
        )
        if echo is None:
            return RowContext()
        above = self.echo(index - 1)
        place = (
            above.destination if above is not None else before.destination(me) if before is not None else None
        )
        elsewhere = self.mixed and (place is None or place.key != echo.destination.key)
        own = above is not None or (before is not None and before.sender_id == me)
        return RowContext(conversation=elsewhere, sender=elsewhere or not own)


class _Kept(Struct):
    """Cached rows of an item, and what they were made from."""

    source: object
    lead: RowContext
    shape: Expansion
    rows: Rows


class ItemRows:
    """The rows of a feed's items. An item is laid out again only when the item, its lead, its shape, the
    width or the theme changed. ``new_maker`` returns a row maker for the current width and colours; ``wall``
    the time in seconds.
    """

    def __init__(self, new_maker: Callable[[StateNames], RowMaker], wall: Callable[[], float]) -> None:
        self.feed: MessageItems | None = None
        self.made = 0
        """Number of items laid out so far; for tests of how much work is done."""
        self._new_maker = new_maker
        self._wall = wall
        self._maker: RowMaker | None = None
        self._shapes: dict[Key, Expansion] = {}
        self._kept: OrderedDict[Key, _Kept] = OrderedDict()
        self._current: dict[int, Rows] = {}
        """Rows by index, validated since the feed was last read or an item last moved."""

    # the feed

    def show(self, feed: MessageItems | None) -> None:
        """Shows another feed; nothing cached for the previous one is kept."""
        self.feed = feed
        self._shapes.clear()
        self.forget()

    def forget(self) -> None:
        """Drops all cached rows: they are laid out again on demand."""
        self._kept.clear()
        self._current.clear()

    def forget_looks(self) -> None:
        """Drops all cached rows and the row maker, after a change of width or colours."""
        self._maker = None
        self.forget()

    def forget_echoes(self) -> None:
        """Drops the cached rows of echoes only."""
        for key in [key for key in self._kept if isinstance(key, str)]:
            del self._kept[key]
        self._current.clear()

    def recheck(self) -> None:
        """Has cached rows compared with their items before the next use: indexes or content may have changed."""
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
        """The rows of an item; None if the feed does not contain it."""
        feed = self.feed
        return self.at(feed.index(key)) if feed is not None and feed.holds(key) else None

    def height(self, index: int) -> int:
        return max(1, len(self.at(index).rows))

    def _rows_now(self, feed: MessageItems, index: int) -> Rows:
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

    def maker(self, feed: MessageItems) -> RowMaker:
        """The row maker for the current width and colours."""
        if self._maker is None or self._maker.names is not feed.names:
            self._maker = self._new_maker(feed.names)
        return self._maker

    # one message

    def shape_of(self, key: Key) -> Expansion:
        """How the user has expanded or panned a message."""
        return self._shapes.get(key, _PLAIN)

    def reshape(self, key: Key, **changes: object) -> None:
        """Opens, unfolds or pans a message."""
        self._shapes[key] = replace(self.shape_of(key), **changes)
        self._current.clear()

    def targets_of(self, key: Key) -> Sequence[Target]:
        """The targets in a message: links, spoilers and other active parts."""
        rows = self.of(key)
        return rows.targets if rows is not None else ()

    def text_of(self, message: Message) -> str:
        """The whole text of a message, with spoilers opened and wrapped lines joined; without its reactions."""
        if self.feed is None:
            return ""
        alone = replace(message, reactions=(), flags=message.flags - {"collapsed"})
        shape = Expansion(frozenset(range(MAX_SPOILERS)), MAX_ROWS, revealed=True)
        text = ""
        for row in self.maker(self.feed).message(alone, RowContext(), shape).rows:
            if row.is_text:
                text += (row.glue if row.glue is not None else "\n" if text else "") + row.copied()
        return text
