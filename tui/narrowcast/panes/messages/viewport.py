"""Which rows of a long list of items with different heights are in view.

The position is stored as an item and a row in it, not as a number of rows from the top: nothing has to be
known about items out of view, so prepending, appending and 100,000 items cost nothing. Heights are requested
only for items that the viewport shows or passes.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

__all__ = ["Place", "Viewport"]

Height = Callable[[int], int]
"""The height of the item at an index, in rows, at least 1."""


class Place(Struct, frozen=True):
    """Row `row` of the item at `index`."""

    index: int
    row: int


class Viewport:
    """The rows in view. `top` is the first one; `height` is that of the screen; `count` is the number of items."""

    def __init__(self, height_of: Height) -> None:
        self._height_of = height_of
        self.top = Place(0, 0)
        self.height = 1
        self.count = 0

    def rows(self) -> list[Place | None]:
        """The item row in each row of the screen; None above the first item if there are too few to fill it."""
        self._settle()
        places: list[Place | None] = []
        index, row = self.top.index, self.top.row
        while len(places) < self.height and index < self.count:
            size = self._height_of(index)
            for inner in range(row, min(size, row + self.height - len(places))):
                places.append(Place(index, inner))
            index, row = index + 1, 0
        return [None] * (self.height - len(places)) + places

    def at_bottom(self) -> bool:
        """Whether the last row of the last item is in view."""
        return self._below(self.top, self.height) < self.height or self._is_last(self.top)

    def scroll(self, delta: int) -> None:
        """Scrolls down by `delta` rows (up if negative), within bounds."""
        self._settle()
        if delta < 0:
            self._up(delta)
            return
        index, row = self.top.index, self.top.row + delta
        while index < self.count and row >= self._height_of(index):
            row -= self._height_of(index)
            index += 1
        top = Place(index, row) if index < self.count else self._last_top()
        last = self._last_top()
        self.top = last if (top.index, top.row) > (last.index, last.row) else top

    def to_bottom(self) -> None:
        """Scrolls until the last row of the last item is the last row of the screen."""
        self.top = self._last_top()

    def show(self, index: int) -> None:
        """Scrolls as little as needed to show the whole item; only its beginning if it is too high."""
        if not 0 <= index < self.count:
            return
        self._settle()
        if (index, 0) < (self.top.index, self.top.row):
            self.top = Place(index, 0)
            return
        size = self._height_of(index)
        before = self._distance(index)
        if before is not None and before + size <= self.height:
            return
        self.top = Place(index, 0)
        if size < self.height:
            self._up(size - self.height)

    def center(self, index: int, above: int) -> None:
        """Scrolls until the item's first row is `above` rows below the top, if there is enough before it."""
        if not self.count:
            return
        self.top = Place(min(max(0, index), self.count - 1), 0)
        self._up(-above)
        self._settle()

    def _up(self, delta: int) -> None:
        index, row = self.top.index, self.top.row + delta
        while row < 0 and index > 0:
            index -= 1
            row += self._height_of(index)
        self.top = Place(index, max(0, row))

    def _distance(self, index: int) -> int | None:
        """Rows from the top of the screen to the item's first row; None if it begins below the screen."""
        rows = -self.top.row
        for before in range(self.top.index, index):
            rows += self._height_of(before)
            if rows >= self.height:
                return None
        return rows

    def _below(self, place: Place, enough: int) -> int:
        """How many rows there are from `place` to the end, counted up to `enough`."""
        rows = -place.row
        for index in range(place.index, self.count):
            rows += self._height_of(index)
            if rows >= enough:
                break
        return rows

    def _is_last(self, place: Place) -> bool:
        rows = -place.row
        for index in range(place.index, self.count):
            rows += self._height_of(index)
            if rows > self.height:
                return False
        return True

    def _last_top(self) -> Place:
        index, row = self.count, -self.height
        while row < 0 and index > 0:
            index -= 1
            row += self._height_of(index)
        return Place(index, max(0, row))

    def _settle(self) -> None:
        """Moves a place that no longer exists, or that leaves room below the end, back into bounds."""
        if not self.count:
            self.top = Place(0, 0)
            return
        index = min(self.top.index, self.count - 1)
        row = min(self.top.row, self._height_of(index) - 1) if index == self.top.index else 0
        self.top = Place(index, row)
        if self._below(self.top, self.height) < self.height:
            self.top = self._last_top()
