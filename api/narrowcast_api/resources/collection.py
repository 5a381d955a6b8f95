"""What a small resource is in the state: its records by key, and the handlers of its events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from narrowcast_api.model.reading import RawRecord, records
from narrowcast_api.wire.event import Event

Key = TypeVar("Key")
Record = TypeVar("Record")
Part = TypeVar("Part")
Kind = TypeVar("Kind", bound=Event)


class Collection(Generic[Key, Record]):
    """Records by key, in the order in which they were added. `name` is that of their rows in a snapshot."""

    def __init__(self, name: str, key: Callable[[Record], Key], read: Callable[[RawRecord], Record]) -> None:
        self.name = name
        self._key = key
        self._read = read
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

    def load(self, snapshot: RawRecord) -> None:
        """Adds the records of a snapshot; invalid rows are logged and left out."""
        self.put(records(snapshot.get(self.name), self._read, self.name))

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


class EventHandlers(Generic[Part]):
    """Functions that change a part of the state, by the class of the event that they apply."""

    def __init__(self) -> None:
        self.table: dict[type[Event], Callable[[Part, Any], None]] = {}

    def of(self, kind: type[Kind]) -> Callable[[Callable[[Part, Kind], None]], Callable[[Part, Kind], None]]:
        """Registers the decorated function for events of class `kind`."""

        def register(handler: Callable[[Part, Kind], None]) -> Callable[[Part, Kind], None]:
            self.table[kind] = handler
            return handler

        return register
