"""The messages of one view, in order, and what is known of its ends. Plain data without I/O."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Gap(NamedTuple):
    """Messages may be missing between two ids; `before` None means up to the newest."""

    after: int | None
    before: int | None


class Timeline:
    """Ids of one view, ascending and without holes between them, as far as `stale` does not say otherwise.

    `stale`: events were missed, or nothing has been asked of the server yet; then more may exist anywhere.
    """

    def __init__(self) -> None:
        self.ids: tuple[int, ...] = ()
        """A new tuple after each change, so that whoever draws from one is not surprised."""
        self.found_oldest = False
        self.found_newest = False
        self.stale = True

    @property
    def is_current(self) -> bool:
        """Whether new messages go to the end: there is nothing unknown before them."""
        return self.found_newest and not self.stale

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Where something may be missing that is no end of the list either."""
        return (Gap(self.ids[-1], None),) if self.ids and self.stale else ()

    def __contains__(self, message_id: int) -> bool:
        place = bisect_left(self.ids, message_id)
        return place < len(self.ids) and self.ids[place] == message_id

    def replace(self, ids: Iterable[int], *, found_oldest: bool, found_newest: bool) -> None:
        """Takes a page as the whole of what is known."""
        self.ids = tuple(sorted(set(ids)))
        self.found_oldest = found_oldest
        self.found_newest = found_newest
        self.stale = False

    def seed(self, ids: Sequence[int]) -> None:
        """Takes what a cache has, for want of anything better."""
        self.ids = tuple(sorted(set(ids)))

    def extend_older(self, ids: Iterable[int], *, found_oldest: bool) -> None:
        """Takes a page that ends where this begins."""
        self.ids = tuple(sorted({*ids, *self.ids}))
        self.found_oldest = found_oldest

    def extend_newer(self, ids: Iterable[int], *, found_newest: bool) -> None:
        """Takes a page that begins where this ends."""
        self.ids = tuple(sorted({*ids, *self.ids}))
        self.found_newest = found_newest

    def keep(self, start: int, end: int) -> None:
        """Forgets all but the ids from one place up to another, which can be fetched again."""
        self.found_oldest &= start <= 0
        self.found_newest &= end >= len(self.ids)
        self.ids = self.ids[max(start, 0) : end]

    def covers(self, message_id: int) -> bool:
        """Whether a message with this id would be here if it belonged: it lies within what is known."""
        if not self.ids:
            return self.found_oldest and self.found_newest
        return (self.found_oldest or self.ids[0] <= message_id) and (
            self.found_newest or message_id <= self.ids[-1]
        )

    def insert(self, message_id: int) -> bool:
        """Puts a message in its place; says whether it was not there."""
        place = bisect_left(self.ids, message_id)
        if self.ids[place : place + 1] == (message_id,):
            return False
        self.ids = (*self.ids[:place], message_id, *self.ids[place:])
        return True

    def remove(self, message_ids: Iterable[int]) -> bool:
        """Takes messages out; says whether any was there."""
        gone = {message_id for message_id in message_ids if message_id in self}
        if gone:
            self.ids = tuple(message_id for message_id in self.ids if message_id not in gone)
        return bool(gone)
