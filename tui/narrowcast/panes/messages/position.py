"""The position in the message list: what is in view, which message is selected, what has been seen.

The position of the viewport is an item and a row in it (see `viewport`), so older messages arrive above
without moving a line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from narrowcast.panes.messages.items import ItemRows, Key, MessageItems
from narrowcast.panes.messages.viewport import Place, Viewport

if TYPE_CHECKING:
    from narrowcast_api.sync.message_view import MessageView

__all__ = ["Position", "set_position"]

ROOM_FOR_HEADER = 5
"""Minimum rows of a list in which the heading of the first message in view is always visible."""


class Position:
    """``height`` returns the number of rows of the list on the screen; ``changed`` is called after any move."""

    def __init__(self, rows: ItemRows, height: Callable[[], int], changed: Callable[[], None]) -> None:
        self._rows = rows
        self._height = height
        self._changed = changed
        self._viewport = Viewport(rows.height)
        self.selected: Key | None = None
        self.following = True
        """Whether new messages at the bottom move the viewport."""
        self.engaged = False
        """Whether the user chose the selected message; if not, the selection follows new messages."""
        self.places: list[Place | None] = []
        """The item row in each row of the list; None in the sticky heading, and above the first item."""
        self.shows_heading = False
        """Whether the first row shows the sticky heading."""
        self.thumb: tuple[int, int] | None = None
        """First row and length of the scroll thumb, measured in messages, not rows."""
        self._top_key: Key | None = None
        self._seen_until: int | None = None
        self._hurries = False
        """Whether the user asked for the newest message, even if that skips unread ones."""
        self._outdated = False

    @property
    def has_header(self) -> bool:
        """Whether the first row is reserved for the sticky heading."""
        feed = self._rows.feed
        return feed is not None and feed.mixed and self._height() >= ROOM_FOR_HEADER

    @property
    def shown(self) -> list[Place]:
        """The item rows in view, from top to bottom."""
        return [place for place in self.places if place is not None]

    @property
    def is_selected_in_view(self) -> bool:
        """Whether a row of the selected item is in view."""
        feed = self._rows.feed
        return feed is not None and any(
            place.index < len(feed) and feed.key(place.index) == self.selected for place in self.shown
        )

    def keep_selected_in_view(self) -> None:
        """Scrolls to the selected item if it is not in view any more."""
        feed = self._rows.feed
        if feed is not None and feed.holds(self.selected) and not self.is_selected_in_view:
            self.bring_into_view(feed.index(self.selected))

    def _items(self) -> MessageItems | None:
        """The feed, brought up to date; None if it has no items."""
        feed = self._rows.feed
        if feed is None or not len(feed):
            return None
        self.sync()
        return feed if len(feed) else None

    # changes

    def reset(self) -> None:
        """Resets the position for another feed; `jump` then sets it."""
        self.selected = self._top_key = self._seen_until = None
        self.following, self.engaged = True, False
        self._viewport.top = Place(0, 0)
        self._outdated = True

    def feed_changed(self) -> None:
        """Items were added, removed or changed."""
        self._outdated = True
        self._changed()

    def arrange(self) -> None:
        """Positions the viewport after any change."""
        feed = self._rows.feed
        self._take_items()
        if feed is None:
            self.places = []
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

    def sync(self) -> None:
        """Reads the current items. Places are indexes, so they are computed again at once, before the next painting."""
        if self._take_items():
            self._place_rows()

    def _take_items(self) -> bool:
        """Reads the items if they changed, and returns whether they did; the first row in view stays."""
        feed = self._rows.feed
        outdated, self._outdated = self._outdated, False
        self._rows.recheck()
        if feed is not None and outdated:
            feed.read()
        self._viewport.height = max(1, self._height() - self.has_header)
        self._viewport.count = len(feed) if feed is not None else 0
        if feed is not None and self._top_key is not None:
            index = feed.index(self._top_key)
            if index != self._viewport.top.index:
                self._viewport.top = Place(index, self._viewport.top.row if feed.holds(self._top_key) else 0)
        return outdated

    def _stays_at_unseen(self, feed: MessageItems) -> bool:
        """If more messages arrived than fit, stays at the first unseen one: what was never on screen is unread."""
        top = self._viewport.top
        if self._hurries or self._seen_until is None:
            return False
        unseen = feed.index(self._seen_until) + 1
        if (unseen, 0) >= (top.index, top.row) or not feed.has_unread(unseen, top.index + 1):
            return False
        self._viewport.center(unseen, min(2, self._viewport.height // 4))
        self._note_top()
        return True

    def _follow_selection(self, feed: MessageItems) -> None:
        """Moves the selection to the newest message; not if a reply would then go to another conversation."""
        if not len(feed):
            return
        visible = any(place and feed.key(place.index) == self.selected for place in self._viewport.rows())
        if self.selected is None or (not self.engaged and not (feed.mixed and visible)):
            self.selected = feed.key(len(feed) - 1)

    def _place_rows(self) -> None:
        self.places = self._viewport.rows() if self._rows.feed is not None else []
        self.shows_heading = False
        if self.has_header and self.shown:
            first = self.shown[0]
            self.shows_heading = not self._begins_with_heading(first)
            self.places = [None if self.shows_heading else self._row_before(first), *self.places]
        self.thumb = self._find_thumb()

    def _begins_with_heading(self, first: Place) -> bool:
        """Whether the conversation heading of the item lies at or below this row, before its message."""
        feed = self._rows.feed
        if feed is None or first.row >= self._rows.at(first.index).lead:
            return False
        is_echo = feed.message(first.index) is None
        return (feed.echo_lead(first.index) if is_echo else feed.lead(first.index)).conversation

    def _row_before(self, first: Place) -> Place | None:
        if first.row:
            return Place(first.index, first.row - 1)
        return Place(first.index - 1, self._rows.height(first.index - 1) - 1) if first.index else None

    def _find_thumb(self) -> tuple[int, int] | None:
        shown, count, height = self.shown, self._viewport.count, self._height()
        if not shown or height < 2:
            return None
        first, last = shown[0].index, shown[-1].index
        if last - first + 1 >= count:
            return None
        length = max(1, height * (last - first + 1) // count)
        share = first / max(1, count - (last - first + 1))
        return round(share * (height - length)), length

    def _note_top(self, keep_following: bool = False) -> None:
        feed = self._rows.feed
        if feed is None or not len(feed):
            return
        top = self._viewport.top
        self._top_key = feed.key(min(top.index, len(feed) - 1))
        if not keep_following:
            self.following = self._viewport.at_bottom() and feed.view.found_newest

    def _moved(self) -> None:
        self._note_top()
        self._changed()

    # what has been seen

    def take_ends(self, feed: MessageItems) -> Sequence[int]:
        """The ids of messages whose ends are in view; they have been on the screen from now on."""
        shown = self.shown
        first, last = shown[0].index, shown[-1]
        bottom = last.index if last.row == self._rows.height(last.index) - 1 else last.index - 1
        bottom = min(bottom, len(feed.ids) - 1)
        if bottom >= 0 and (self._seen_until is None or feed.ids[bottom] > self._seen_until):
            self._seen_until = feed.ids[bottom]
        return feed.ids[first : bottom + 1]

    def has_unread_below(self) -> bool:
        """Whether there are unread messages below everything that has been on the screen."""
        feed = self._rows.feed
        if feed is None or self._seen_until is None:
            return False
        return feed.has_unread(feed.index(self._seen_until) + 1, len(feed.ids))

    # moving

    def jump(self, key: Key | None) -> None:
        """Selects the item with `key` and places it in the upper third of the screen; None goes to the newest."""
        feed = self._rows.feed
        if feed is None:
            return
        self._seen_until = None
        self._outdated = True
        if key is None:
            self.to_newest()
            return
        self._take_items()
        index = min(feed.index(key), max(0, len(feed) - 1))
        self.following = False
        self.engaged = True
        if len(feed):
            self.selected = feed.key(index)
            self._viewport.center(index, self._viewport.height // 3)
            self._note_top()
        self._place_rows()
        self._changed()

    def to_newest(self) -> None:
        """Selects the newest message and scrolls to the bottom."""
        self.following, self.engaged = True, False
        self._hurries = True
        feed, outdated = self._rows.feed, self._take_items()
        if feed is not None and len(feed):
            self.selected = feed.key(len(feed) - 1)
        if outdated:  # only now: rows at the previous position would be laid out in vain
            self._viewport.to_bottom()
            self._place_rows()
        self._changed()

    def to_oldest(self) -> None:
        """Goes to the oldest loaded message."""
        self._outdated = True  # the view may have been fetched again just now
        if (feed := self._items()) is not None:
            self.following, self._seen_until = False, None
            self.selected, self.engaged = feed.key(0), True
            self._viewport.center(0, 0)
            self._moved()

    def select(self, key: Key) -> None:
        """Selects an item and brings it into view."""
        feed = self._rows.feed
        if feed is None or not feed.holds(key):
            return
        self.sync()
        self.selected, self.engaged = key, True
        self.bring_into_view(feed.index(key))

    def choose(self, key: Key) -> None:
        """Selects an item that is in view."""
        self.selected, self.engaged = key, True
        self._changed()

    def bring_into_view(self, index: int) -> None:
        """Scrolls as little as needed to show an item."""
        self._viewport.show(index)
        self._moved()

    def step(self, delta: int) -> None:
        """Moves the selection by one item; a message higher than the screen is scrolled through first."""
        feed = self._items()
        if feed is None:
            return
        index = min(feed.index(self.selected), len(feed) - 1)
        if self._scroll_within(index, delta):
            return
        target = min(max(0, index + delta), len(feed) - 1)
        if target == index and delta > 0:
            self.to_newest()
            return
        self.selected, self.engaged = feed.key(target), True
        self.bring_into_view(target)

    def _scroll_within(self, index: int, delta: int) -> bool:
        height, size = self._viewport.height, self._rows.height(index)
        if size <= height:
            return False
        mine = [place.row for place in self._viewport.rows() if place is not None and place.index == index]
        if not mine:
            return False
        room = size - 1 - mine[-1] if delta > 0 else mine[0]
        if room <= 0:
            return False
        self._viewport.scroll(min(room, height // 2) * (1 if delta > 0 else -1))
        self._moved()
        return True

    def page(self, direction: int) -> None:
        """Scrolls a screen up or down and selects the first (up) or last (down) message that begins in view."""
        feed = self._items()
        if feed is None:
            return
        self._viewport.scroll(direction * max(1, self._viewport.height - 2))
        places = [place for place in self._viewport.rows() if place is not None]
        whole = [place.index for place in places if place.row == self._rows.at(place.index).lead] or [
            places[0].index
        ]
        self.selected = feed.key(whole[-1] if direction > 0 else whole[0])
        self.engaged = True
        self._moved()

    def scroll(self, delta: int) -> None:
        """Scrolls by rows; the selection stays."""
        self.sync()
        self._viewport.scroll(delta)
        self._moved()

    def scroll_to_share(self, share: float) -> None:
        """Scrolls to a share (0 to 1) of the loaded messages."""
        feed = self._rows.feed
        if feed is not None and len(feed):
            self._viewport.center(round(share * (len(feed) - 1)), 0)
            self._moved()


def set_position(position: Position, view: MessageView, anchor: int | str | None) -> None:
    """Sets the position that ``view`` has after opening at ``anchor``: see `MessagesPane.show`."""
    if isinstance(anchor, int) and anchor in view.ids:
        position.jump(anchor)
    elif anchor == "newest":
        position.jump(None)
    elif anchor == "oldest":
        position.to_oldest()
    elif view.position is not None and anchor is None and view.position in view.ids:
        position.jump(view.position)
    elif anchor == "first_unread" and view.first_unread in view.ids:
        position.jump(view.first_unread)
    else:
        position.jump(view.anchor if view.anchor in view.ids else None)
