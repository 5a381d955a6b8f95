"""The ordered messages of one view, and what is known of its ends. Plain data without I/O."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Gap(NamedTuple):
    """Messages may be missing between two ids; `before` None means up to the newest."""

    after: int | None
    before: int | None


class Timeline:
    """Ids of one view, ascending and without holes between them unless `stale`.

    `stale`: events were missed, or nothing has been fetched from the server yet; then further messages may
    exist anywhere.
    """

    def __init__(self) -> None:
        self.ids: tuple[int, ...] = ()
        """A new tuple after each change, so that it does not change while it is being read."""
        self.found_oldest = False
        self.found_newest = False
        self.stale = True

    @property
    def is_current(self) -> bool:
        """Whether new messages can be appended: nothing before them is unknown."""
        return self.found_newest and not self.stale

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Where messages may be missing, apart from the ends of the list."""
        return (Gap(self.ids[-1], None),) if self.ids and self.stale else ()

    def __contains__(self, message_id: int) -> bool:
        place = bisect_left(self.ids, message_id)
        return place < len(self.ids) and self.ids[place] == message_id

    def replace(self, ids: Iterable[int], *, found_oldest: bool, found_newest: bool) -> None:
        """Replaces everything by a page."""
        self.ids = tuple(sorted(set(ids)))
        self.found_oldest = found_oldest
        self.found_newest = found_newest
        self.stale = False

    def seed(self, ids: Sequence[int]) -> None:
        """Replaces the ids by cached ones, without changing `stale`."""
        self.ids = tuple(sorted(set(ids)))

    def extend_older(self, ids: Iterable[int], *, found_oldest: bool) -> None:
        """Adds a page that ends where this begins."""
        self.ids = tuple(sorted({*ids, *self.ids}))
        self.found_oldest = found_oldest

    def extend_newer(self, ids: Iterable[int], *, found_newest: bool) -> None:
        """Adds a page that begins where this ends."""
        self.ids = tuple(sorted({*ids, *self.ids}))
        self.found_newest = found_newest

    def trim(self, start: int, end: int) -> None:
        """Drops all ids outside the slice from `start` to `end`; they can be fetched again."""
        self.found_oldest &= start <= 0
        self.found_newest &= end >= len(self.ids)
        self.ids = self.ids[max(start, 0) : end]

    def covers(self, message_id: int) -> bool:
        """Whether a message with this id would be here if it matched: the id is in the known range."""
        if not self.ids:
            return self.found_oldest and self.found_newest
        return (self.found_oldest or self.ids[0] <= message_id) and (
            self.found_newest or message_id <= self.ids[-1]
        )

    def nearest(self, message_id: int) -> int | None:
        """The first id that is at least `message_id`, else the last; None if there are none."""
        place = bisect_left(self.ids, message_id)
        return self.ids[min(place, len(self.ids) - 1)] if self.ids else None

    def insert(self, message_id: int) -> bool:
        """Inserts a message in order; returns whether it was new."""
        place = bisect_left(self.ids, message_id)
        if self.ids[place : place + 1] == (message_id,):
            return False
        self.ids = (*self.ids[:place], message_id, *self.ids[place:])
        return True

    def remove(self, message_ids: Iterable[int]) -> bool:
        """Removes messages; returns whether any was there."""
        gone = {message_id for message_id in message_ids if message_id in self}
        if gone:
            self.ids = tuple(message_id for message_id in self.ids if message_id not in gone)
        return bool(gone)
