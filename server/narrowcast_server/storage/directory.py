"""In-memory copies of small tables that are read all the time: users, channels, groups.

The store is authoritative: every change is written first, then the row is read back. After a transaction was
rolled back the copies are discarded, and loaded again on the next access.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import Generic, TypeVar

from narrowcast_server.storage.store import Row, Store, Value

T = TypeVar("T")


class Directory(Generic[T]):
    """All rows of one table by id."""

    def __init__(self, store: Store, table: str, of: Callable[[Row], T]) -> None:
        self._store = store
        self._table = table
        self._of = of
        self._rows: dict[int, T] | None = None
        self.version = 0
        """Changes with each change of the rows; for caches derived from them."""

    def _loaded(self) -> dict[int, T]:
        if self._rows is None:
            rows = self._store.all(f"SELECT * FROM {self._table} ORDER BY id")
            self._rows = {int(row["id"]): self._of(row) for row in rows}
        return self._rows

    def get(self, identity: int) -> T | None:
        """The row with this id, or None."""
        return self._loaded().get(identity)

    def __getitem__(self, identity: int) -> T:
        return self._loaded()[identity]

    def all(self) -> Collection[T]:
        """Every row, in ascending order of id."""
        return self._loaded().values()

    def insert(self, **values: object) -> int:
        """Inserts a row; returns its id. Lists and dicts are stored as JSON."""
        columns = ", ".join(values)
        places = ", ".join("?" * len(values))
        identity = self._store.insert(
            f"INSERT INTO {self._table} ({columns}) VALUES ({places})", *(column(v) for v in values.values())
        )
        self._read(identity)
        return identity

    def update(self, identity: int, **values: object) -> T:
        """Changes columns of a row; returns the row as it is now. Equal values are not written: whether anything
        was is what decides about the audit log.
        """
        assignments = ", ".join(f"{name} = ?" for name in values)
        differs = " OR ".join(f"{name} IS NOT ?" for name in values)
        stored = [column(value) for value in values.values()]
        self._store.execute(
            f"UPDATE {self._table} SET {assignments} WHERE id = ? AND ({differs})", *stored, identity, *stored
        )
        return self._read(identity)

    def _read(self, identity: int) -> T:
        row = self._store.one(f"SELECT * FROM {self._table} WHERE id = ?", identity)
        assert row is not None
        value = self._of(row)
        self._loaded()[identity] = value
        self.version += 1
        return value

    def forget(self) -> None:
        """Discards the in-memory copy."""
        self._rows = None
        self.version += 1


def column(value: object) -> Value:
    """The SQLite form of a Python value."""
    if value is None or isinstance(value, str | int | float | bytes):
        return value
    return json.dumps(value, separators=(",", ":"))
