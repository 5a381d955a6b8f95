"""The records of one resource in the state, by key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

Key = TypeVar("Key")
Record = TypeVar("Record")


class Collection(Generic[Key, Record]):
    """Records by key, in the order in which they were added."""

    def __init__(self, key: Callable[[Record], Key]) -> None:
        self._key = key
        self._records: dict[Key, Record] = {}

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records.values())

    def get(self, key: Key) -> Record | None:
        """The record with this key."""
        return self._records.get(key)

    def all(self) -> list[Record]:
        return list(self._records.values())

    def put(self, records: Iterable[Record]) -> None:
        """Adds records, replacing older ones with the same keys."""
        self._records.update((self._key(record), record) for record in records)

    def replace(self, records: Iterable[Record]) -> None:
        """Removes all records and adds these."""
        self._records.clear()
        self.put(records)

    def remove(self, key: Key) -> None:
        """Removes a record, if it is there."""
        self._records.pop(key, None)
