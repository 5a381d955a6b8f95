"""The list of messages as the pane uses it: where to stand, how to move, what can be followed."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from textual import events

from narrowcast.content.inlines import Target
from narrowcast.content.parse import MAX_ROWS
from narrowcast.panes.messages.canvas import target_of
from narrowcast.panes.messages.feed import Feed, Key
from narrowcast.panes.messages.rows import Lead, Shape
from narrowcast.panes.messages.selection import SelectingCanvas
from narrowcast.panes.messages.viewport import Place
from narrowcast_api.model.messages import Message

__all__ = ["MessageList"]

MOST_SPOILERS = 1_000


class MessageList(SelectingCanvas):
    """Shows a `Feed`. The pane that owns it knows the session; the list knows rows and places."""

    # What the pane uses.

    def show_feed(self, feed: Feed | None) -> None:
        """Shows another view from its beginning; `jump` then says where to stand."""
        self.feed = feed
        self.selected = self._top_key = self._seen_until = None
        self.following, self.engaged = True, False
        self.overlay = None
        self._kept.clear()
        self._frame.clear()
        self._shapes.clear()
        self._viewport.top = Place(0, 0)
        self._outdated = True
        if self.content_size.height:
            self._arrange()
        self.changed()

    def look_again(self) -> None:
        """What is in view is told of as seen once more, as if it had come into view just now."""
        self._seen_until = None
        self.changed()

    def forget_echoes(self) -> None:
        """What is said about messages on their way depends on how long they are: it is said anew."""
        for key in [key for key in self._kept if isinstance(key, str)]:
            del self._kept[key]
        self._frame.clear()

    def names_changed(self) -> None:
        """People, groups or channels have other names: everything in view is laid out again."""
        self._kept.clear()
        self._frame.clear()
        self.changed()

    def jump(self, key: Key | None) -> None:
        """Stands on the item of `key` in the middle of the screen; None is the newest."""
        feed = self.feed
        if feed is None:
            return
        self._seen_until = None
        self._outdated = True
        if key is None:
            self.to_newest()
            return
        self._sync()
        index = min(feed.index(key), max(0, len(feed) - 1))
        self.following = False
        self.engaged = True
        if len(feed):
            self.selected = feed.key(index)
            self._viewport.center(index, self._viewport.height // 3)
            self._note_top()
        self.changed()

    def to_newest(self) -> None:
        """The newest message at the bottom, and the selection on it."""
        self.following, self.engaged = True, False
        self._hurries = True
        if self.feed is not None and len(self.feed):
            self._sync()
            self.selected = self.feed.key(len(self.feed) - 1)
        self.changed()

    def has_unread_below(self) -> bool:
        """Whether something unread lies below everything that has been on the screen."""
        feed = self.feed
        if feed is None or not isinstance(self._seen_until, int):
            return False
        return feed.has_unread(feed.index(self._seen_until) + 1, len(feed.ids))

    def select(self, key: Key) -> None:
        """Selects an item and brings it into view."""
        feed = self.feed
        if feed is None or not feed.holds(key):
            return
        self._sync()
        self.selected, self.engaged = key, True
        self._viewport.show(feed.index(key))
        self._note_top()
        self.changed()

    def reshape(self, key: Key, **changes: object) -> None:
        """Opens, unfolds or pans a message."""
        self._shapes[key] = replace(self.shape_of(key), **changes)
        self._frame.clear()
        self.changed()

    def targets_of(self, key: Key) -> Sequence[Target]:
        """What can be followed in a message."""
        feed = self.feed
        if feed is None or not feed.holds(key):
            return ()
        return self._rows(feed.index(key)).targets

    def targets_in_view(self) -> list[tuple[int, Key, int]]:
        """Rows of the screen, items and target numbers of all targets that begin in view, from top to bottom."""
        found: list[tuple[int, Key, int]] = []
        feed = self.feed
        seen: set[tuple[Key, int]] = set()
        for y, place in enumerate(self._places):
            if place is None or feed is None:
                continue
            key = feed.key(place.index)
            for segment in self._rows(place.index).rows[place.row].strip:
                number = target_of(segment.style)
                if number is not None and (key, number) not in seen:
                    seen.add((key, number))
                    found.append((y, key, number))
        return found

    def ids_in_view(self) -> set[int]:
        """The messages of which a row is on the screen."""
        feed = self.feed
        if feed is None:
            return set()
        keys = {feed.key(place.index) for place in self._places if place is not None}
        return {key for key in keys if isinstance(key, int)}

    def text_of(self, message: Message) -> str:
        """The whole text of a message, spoilers opened and wrapped lines joined; without its reactions."""
        feed = self.feed
        if feed is None:
            return ""
        alone = replace(message, reactions=(), flags=message.flags - {"collapsed"})
        shape = Shape(frozenset(range(MOST_SPOILERS)), MAX_ROWS, revealed=True)
        rows = self._row_maker(feed).message(alone, Lead(), shape)
        text = ""
        for row in rows.rows:
            if row.start:
                text += (row.glue if row.glue is not None else "\n" if text else "") + row.text
        return text

    def shape_of(self, key: Key) -> Shape:
        """What the reader did with a message."""
        return self._shapes.get(key, Shape())

    # Moving.

    def step(self, delta: int) -> None:
        """The selection moves by an item; a message higher than the screen is scrolled through first."""
        feed = self.feed
        if feed is None or not len(feed):
            return
        self._sync()
        index = min(feed.index(self.selected), len(feed) - 1)
        if self._scroll_within(index, delta):
            return
        wanted = min(max(0, index + delta), len(feed) - 1)
        if wanted == index and delta > 0:
            self.to_newest()
            return
        self.selected, self.engaged = feed.key(wanted), True
        self._viewport.show(wanted)
        self._note_top()
        self.changed()

    def _scroll_within(self, index: int, delta: int) -> bool:
        height = self._viewport.height
        places = [place for place in self._viewport.rows() if place is not None]
        size = self._height_of(index)
        mine = [place.row for place in places if place.index == index]
        if size <= height or not mine:
            return False
        room = size - 1 - mine[-1] if delta > 0 else mine[0]
        if room <= 0:
            return False
        self._viewport.scroll(min(room, height // 2) * (1 if delta > 0 else -1))
        self._note_top()
        self.changed()
        return True

    def page(self, direction: int) -> None:
        """A screen up or down; the selection goes along to the first message that begins in view."""
        feed = self.feed
        if feed is None or not len(feed):
            return
        self._sync()
        self._viewport.scroll(direction * max(1, self._viewport.height - 2))
        self._note_top()
        places = [place for place in self._viewport.rows() if place is not None]
        whole = [place.index for place in places if place.row == self._rows(place.index).lead] or [
            places[0].index
        ]
        self.selected = feed.key(whole[-1] if direction > 0 else whole[0])
        self.engaged = True
        self.changed()

    def to_oldest(self) -> None:
        """The oldest message that is known."""
        feed = self.feed
        if feed is not None and len(feed):
            self.following = False
            self.selected, self.engaged = feed.key(0), True
            self._viewport.center(0, 0)
            self._note_top()
            self.changed()

    def scroll_rows(self, delta: int) -> None:
        self._sync()
        self._viewport.scroll(delta)
        self._note_top()
        self.changed()

    def scroll_to_share(self, share: float) -> None:
        """The thumb: a share of the known messages."""
        feed = self.feed
        if feed is not None and len(feed):
            self._viewport.center(round(share * (len(feed) - 1)), 0)
            self._note_top()
            self.changed()

    def on_click(self, event: events.Click) -> None:
        """Selects the message; follows what was clicked."""
        feed = self.feed
        offset = event.get_content_offset(self)
        place = self._places[offset.y] if offset is not None and offset.y < len(self._places) else None
        is_heading = bool(event.style.meta.get("conversation")) if event.style.meta else False
        if place is None and is_heading:  # the one that stays at the top, of the message below it
            place = next((below for below in self._places if below is not None), None)
        if feed is None or place is None:
            return
        event.prevent_default()
        key = feed.key(place.index)
        if is_heading:
            self.post_message(self.HeadingChosen(key))
            return
        self.selected, self.engaged = key, True
        if event.chain == 2:
            self.select_text_of(key)
        self.changed()
        number = event.style.meta.get("target") if event.style.meta else None
        targets = self._rows(place.index).targets
        if isinstance(number, int) and number < len(targets):
            self.post_message(self.TargetChosen(key, targets[number]))
