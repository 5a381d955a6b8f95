"""A list of any length: the cost depends on the screen, not on the number of items.

Subclass it for navigation, people, pickers: implement `render_item`, and `key_of`, `text_of`, `selectable`,
`rows_of` if the defaults do not fit. The list keeps the selection by key when the items change, filters by
typed letters (see `matching`), and repaints only the cells that changed.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import ClassVar, Generic, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from narrowcast.keys.hints import keys_of
from narrowcast.keys.registry import Context, bindings_for
from narrowcast.text.matching import SearchedNames
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.empty import EMPTY_LOOKS, Empty, empty_height, empty_row
from narrowcast.widgets.line_view import LineView
from narrowcast.widgets.looks import Look
from narrowcast.widgets.strips import BAR, bar_cell, marked_strip, readable

__all__ = ["MEASURED", "VirtualList"]

T = TypeVar("T")

_CACHED_ITEMS = 512
MEASURED = 200
"""Number of items whose rows are counted for that: more than any terminal shows."""

Searched = tuple[Sequence[T], SearchedNames]
"""Items that can be selected, and their texts."""


class _OfItem(Message):
    """A message of a list about one of its items."""

    def __init__(self, source: LineView, item: object) -> None:
        super().__init__()
        self.source = source
        self.item = item

    @property
    def control(self) -> LineView:
        """The list, for `@on` selectors."""
        return self.source


class VirtualList(LineView, Generic[T]):
    """Items of type `T` as rows of strips. See the module's description.

    The first column belongs to the list: it shows the bar of the selected item, so that the selection does
    not depend on colour alone. Only with the focus has that item a ground too. `render_item` gets the width
    without that column and without the scroll thumb.
    """

    LOOKS: ClassVar[Mapping[str, Look]] = {
        **EMPTY_LOOKS,
        "virtual-list--focused": Look(ground="selection", letters=Style(bold=True), ansi=Style(reverse=True)),
        "virtual-list--bar": Look("text-primary"),
        "virtual-list--idle-bar": Look("text-muted", ansi=Style(dim=True)),
        "virtual-list--dim": Look("text-muted", ansi=Style(dim=True)),
    }
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.LIST)]
    KEEPS_PLACES: ClassVar[bool] = False
    """Whether filtered items keep their order when the items change, until the filter changes."""

    MOST: ClassVar[int | None] = None
    """How many items that match the filter are shown at most; None for all."""

    class Highlighted(_OfItem):
        """The selection moved to `item` (None: nothing is left to select)."""

    class Selected(_OfItem):
        """`item` was chosen with Enter or a click."""

    def __init__(
        self,
        items: Sequence[T] = (),
        *,
        item_rows: int = 1,
        empty: Empty | None = None,
        name: str | None = None,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self.item_rows = item_rows
        self._is_even = type(self).rows_of is VirtualList.rows_of
        """Whether all items have the same height: positions are then computed directly."""
        self.empty = empty or Empty()
        """What is shown if there are no items."""
        self.unmatched_hint = ""
        """What to do when nothing matches the filter."""
        self._items: Sequence[T] = items
        self._shown: Sequence[T] = items
        self._query = ""
        self._searched: Searched[T] | None = None
        """None until they are searched."""
        self._is_led = False
        self._measured = 0
        """The rows for which there was room, in a list as tall as its items."""
        self._cursor = -1
        self._top = 0
        self._strips: dict[tuple[int, bool, bool, int], list[Strip]] = {}
        self._cursor = self._nearest_selectable(0, 1)

    # Implemented by subclasses.

    def render_item(self, item: T, width: int, selected: bool) -> Sequence[Strip]:
        """At most `rows_of(item)` strips, each at most `width` cells; `base_style` is laid below."""
        raise NotImplementedError

    def rows_of(self, item: T) -> int:
        """The number of rows of `item`, at least 1; `item_rows` unless overridden."""
        return self.item_rows

    def key_of(self, item: T) -> Hashable:
        """The identity of `item` across updates; the item itself unless overridden."""
        return item

    def text_of(self, item: T) -> str:
        """The visible text that the filter searches."""
        return str(item)

    def written_of(self, item: T) -> str:
        """Another form of that text, such as `#general`; empty if there is none."""
        return ""

    def hidden_of(self, item: T) -> str:
        """The text with what is searched, but not shown; empty if there is no more."""
        return ""

    def rank_of(self, item: T) -> int:
        """Of the items in which words match the filter, those of a lower rank come first."""
        return 0

    def selectable(self, item: T) -> bool:
        """Whether `item` can be selected; False for headings."""
        return True

    # Used by the owner.

    def lead(self, is_led: bool) -> None:
        """Shows the selection as with the focus, while a field that has it passes keys on."""
        self._is_led = is_led
        self.changed()

    @property
    def items(self) -> Sequence[T]:
        """All items, including those filtered out."""
        return self._items

    @property
    def shown(self) -> Sequence[T]:
        """The items that pass the filter, in display order."""
        return self._shown

    @property
    def counted(self) -> str:
        """The number of items, and while a filter hides some, how many it shows; empty without items."""
        shown, count = len(self._shown), len(self._items)
        return f"{shown} of {count}" if shown < count else str(count) if count else ""

    @property
    def selected_item(self) -> T | None:
        """The selected item; None if there is none."""
        return self._shown[self._cursor] if 0 <= self._cursor < len(self._shown) else None

    def set_items(
        self, items: Sequence[T], *, select: Hashable | None = None, searched: Searched[T] | None = None
    ) -> None:
        """Replaces the items. The selection stays on its key, or moves to the key `select`. `searched`: what
        `searched_of` returned for them.
        """
        key = select
        if key is None and (current := self.selected_item) is not None:
            key = self.key_of(current)
        offset = self._cursor - self._top
        self._items = items
        self._searched = searched
        if self._measured and self.rows_at(self.size.width) != self._measured:
            self.refresh(layout=True)
        self._apply_filter(self._shown if self.KEEPS_PLACES else ())
        index = None if key is None else self._index_of(key)
        if index is None:
            self._cursor = self._nearest_selectable(max(0, self._cursor), 1)
            self._show_cursor()
        else:
            self._cursor = index
            self._top = index - offset if select is None else self._top
            self._show_cursor()
        self.changed()

    def set_filter(self, query: str) -> None:
        """Shows only items that match `query`, best first, and selects the first; '' shows all in order."""
        if query == self._query:
            return
        current = self.selected_item
        self._query = query
        self._apply_filter()
        self._top = 0
        self._cursor = self._nearest_selectable(0, 1)
        if not query and current is not None and (index := self._index_of(self.key_of(current))) is not None:
            self._cursor = index
        self._show_cursor()
        self.changed()
        self._post_highlight()

    @property
    def filtered_by(self) -> str:
        """The text that the shown items match; empty if all are shown."""
        return self._query

    def prepare(self) -> None:
        """Prepares the items for the filter, so that the first letter does not wait for it."""
        self._prepared()

    def _prepared(self) -> Searched[T]:
        if self._searched is None:
            self._searched = self.searched_of(self._items)
        return self._searched

    def searched_of(self, items: Sequence[T]) -> Searched[T]:
        """Those of the items that can be selected, and their texts. Takes a while for very many; runs in any thread."""
        chosen = [item for item in items if self.selectable(item)]
        written = [(place, text) for place, item in enumerate(chosen) if (text := self.written_of(item))]
        hidden = [(place, text) for place, item in enumerate(chosen) if (text := self.hidden_of(item))]
        ranks = [self.rank_of(item) for item in chosen]
        return chosen, SearchedNames(
            [*map(self.text_of, chosen)], written, hidden, ranks if any(ranks) else ()
        )

    def select_key(self, key: Hashable) -> bool:
        """Selects the item with `key`; False if it is not shown."""
        index = self._index_of(key)
        if index is None:
            return False
        self._move_to(index)
        return True

    def invalidate(self) -> None:
        """Composes visible items again, because they look different (other names, counts)."""
        self._strips.clear()
        self.changed()

    # Keys.

    def action_cursor_down(self) -> None:
        self._step(1)

    def action_cursor_up(self) -> None:
        self._step(-1)

    def action_page_down(self) -> None:
        self._move_to(self._nearest_selectable(self._cursor + self._page, 1))

    def action_page_up(self) -> None:
        self._move_to(self._nearest_selectable(self._cursor - self._page, -1))

    def action_first(self) -> None:
        self._move_to(self._nearest_selectable(0, 1))

    def action_last(self) -> None:
        self._move_to(self._nearest_selectable(len(self._shown) - 1, -1))

    def action_select(self) -> None:
        """Posts that the selected item was chosen."""
        if (item := self.selected_item) is not None:
            self.post_message(self.Selected(self, item))

    def on_click(self, event: events.Click) -> None:
        """Selects and chooses the clicked item."""
        if (offset := self.clicked(event)) is None:
            return
        index, _ = self._place(offset.y)
        if index < len(self._shown) and self.selectable(self._shown[index]):
            self._move_to(index)
            self.action_select()

    def _empty_now(self) -> Empty:
        """Says that there are no items, or that none match the filter."""
        if self._query and self._items:
            return Empty(f"Nothing matches {safe_line(self._query, 60)!r}", self.unmatched_hint)
        return self.empty

    # LineView.

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The height of a list that is as tall as its items."""
        self._measured = self.rows_at(width)
        return self._measured

    def rows_at(self, width: int) -> int:
        """The rows of the items at this width, also of those that the filter hides: nothing moves while one types."""
        if not self._items:
            return empty_height(keys_of(self), self.empty, width)
        return sum(self.rows_of(item) for item in self._items[:MEASURED])

    def compose_row(self, y: int) -> Strip:
        """Row `y`: a row of the item at that place, why there are none, or blank."""
        width = self.room.width
        index, row = self._place(y)
        if not self._shown:
            return empty_row(self, self._empty_now(), y)
        if index >= len(self._shown):
            return Strip.blank(width, self.base_style)
        return self._item_strips(index)[row]

    def scroll_rows(self, delta: int) -> None:
        """Scrolls the viewport; the selection stays."""
        step = delta if self.item_rows == 1 else (1 if delta > 0 else -1)
        self._set_top(self._top + step)

    def scroll_to_share(self, share: float) -> None:
        """Scrolls the viewport to a share of the list."""
        self._set_top(round(share * self._last_top()))

    def thumb(self) -> tuple[int, int] | None:
        """The position of the viewport in the list, as a thumb."""
        height, last_top = self.room.height, self._last_top()
        if last_top == 0 or height < 2:
            return None
        count = len(self._shown)
        length = max(1, height * (count - last_top) // count)
        return round(self._top / last_top * (height - length)), length

    def looks_changed(self, resized: bool) -> None:
        """Drops the strips composed before; keeps the selection in view."""
        self._strips.clear()
        if resized:
            self._show_cursor()

    # Inside.

    @property
    def _page(self) -> int:
        """Number of items that are completely in view; at least one."""
        index, _ = self._place(self.room.height)
        return max(1, index - self._top)

    def _place(self, y: int) -> tuple[int, int]:
        """The index of the item in row `y` of the viewport, and which of its rows that is."""
        if self._is_even:
            return self._top + y // self.item_rows, y % self.item_rows
        index, row = self._top, y
        while index < len(self._shown) and row >= (rows := self.rows_of(self._shown[index])):
            index, row = index + 1, row - rows
        return index, row

    def _top_for(self, last: int) -> int:
        """The first item of a viewport that ends with the item `last`."""
        if self._is_even:
            return min(max(0, last + 1 - self.room.height // self.item_rows), last)
        room, index = self.room.height, last
        while index >= 0 and (room := room - self.rows_of(self._shown[index])) >= 0:
            index -= 1
        return min(index + 1, last)

    def _last_top(self) -> int:
        return max(0, self._top_for(len(self._shown) - 1))

    def _item_strips(self, index: int) -> list[Strip]:
        selected = index == self._cursor
        width = self.room.width
        item_width = width - (1 if self.thumb() is None else 2)
        has_keys = self.has_focus or self._is_led
        key = (index, selected, selected and has_keys, item_width)
        cached = self._strips.get(key)
        if cached is not None:
            return cached
        if len(self._strips) > _CACHED_ITEMS:
            self._strips.clear()
        base = self.base_style
        if selected and has_keys:
            base += self.part_style("virtual-list--focused")
        height = self.rows_of(self._shown[index])
        rows = list(self.render_item(self._shown[index], item_width, selected))[:height]
        rows += [Strip([], 0)] * (height - len(rows))
        look = self.part_style("virtual-list--bar" if has_keys else "virtual-list--idle-bar")
        mark = Segment(BAR, readable(base, look)) if selected else Segment(" ", base)
        if selected and height > 1:  # one row has no gaps, and beside a half block a text needs no blank
            mark = bar_cell(readable(base, look))
        strips = [marked_strip(mark, row, width, base) for row in rows]
        self._strips[key] = strips
        return strips

    def _apply_filter(self, before: Sequence[T] = ()) -> None:
        """Applies the filter, best matches first. `before`: items shown before, which keep their order if
        they match.
        """
        self._strips.clear()
        if not self._query.strip():
            self._shown = self._items
            return
        candidates, names = self._prepared()
        best = [candidates[index] for index in names.best(self._query, self.MOST)]
        there = {self.key_of(item): item for item in candidates} if before else {}
        stays = [there[key] for item in before if (key := self.key_of(item)) in there]
        kept = {self.key_of(item) for item in stays}
        self._shown = stays + [item for item in best if self.key_of(item) not in kept] if kept else best

    def _index_of(self, key: Hashable) -> int | None:
        key_of = self.key_of
        return next((index for index, item in enumerate(self._shown) if key_of(item) == key), None)

    def _nearest_selectable(self, index: int, direction: int) -> int:
        count = len(self._shown)
        index = min(max(index, 0), count - 1)
        for step in (direction, -direction):
            place = index
            while 0 <= place < count:
                if self.selectable(self._shown[place]):
                    return place
                place += step
        return -1

    def _step(self, direction: int) -> None:
        place = self._cursor + direction
        while 0 <= place < len(self._shown):
            if self.selectable(self._shown[place]):
                self._move_to(place)
                return
            place += direction
        self._set_top(self._top + direction)

    def _move_to(self, index: int) -> None:
        if index < 0 or index == self._cursor:
            self._show_cursor()
            self.changed()
            return
        self._cursor = index
        self._show_cursor()
        self.changed()
        self._post_highlight()

    def _post_highlight(self) -> None:
        self.post_message(self.Highlighted(self, self.selected_item))

    def _show_cursor(self) -> None:
        top = self._top
        if self._cursor >= 0:
            first = self._top_for(self._cursor)
            top = min(max(top, first), self._cursor)
            if first == 0 and self._cursor == self._nearest_selectable(0, 1):
                top = 0  # show the headings above the first item
        self._top = min(max(0, top), self._last_top())

    def _set_top(self, top: int) -> None:
        top = min(max(0, top), self._last_top())
        if top != self._top:
            self._top = top
            self.changed()
