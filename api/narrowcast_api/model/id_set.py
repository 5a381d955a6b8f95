"""A set of many ids that takes little memory."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Set

from narrowcast_api.model.reading import MAX_INT64


class IdSet(Set[int]):
    """An immutable set of ids, ascending. 20,000 ids take 80 KB; a frozenset with its integers takes 1.7 MB."""

    __slots__ = ("_ids",)

    def __init__(self, ids: Iterable[int] = ()) -> None:
        """Integers beyond 64 bits are not ids and left out."""
        ordered = sorted(set(ids))
        try:
            self._ids = array("i", ordered)
        except OverflowError:
            self._ids = array("q", (number for number in ordered if abs(number) <= MAX_INT64))

    def __contains__(self, item: object) -> bool:
        if not isinstance(item, int):
            return False
        place = bisect_left(self._ids, item)
        return place < len(self._ids) and self._ids[place] == item

    def __iter__(self) -> Iterator[int]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def __eq__(self, other: object) -> bool:
        return self._ids == other._ids if isinstance(other, IdSet) else super().__eq__(other)

    def __hash__(self) -> int:
        return hash(frozenset(self._ids))  # equal sets must have equal hashes

    def __repr__(self) -> str:
        return f"IdSet({self._ids.tolist()})"
