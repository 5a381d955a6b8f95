"""Typed access to rows of an archive; a wrong type aborts the import and names the row."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final, NoReturn, cast

from narrowcast_server.zulip_archive.layout import ArchiveError

_MAX_ID: Final = 2**53
_MAX_TIME: Final = 2**40
_MAX_SHOWN: Final = 60


class ArchiveRow:
    """One row of a table of the archive, with typed access to its fields."""

    def __init__(self, table: str, fields: Mapping[str, object]) -> None:
        self._table = table
        self._fields = fields

    def fault(self, words: str) -> NoReturn:
        """Raises ArchiveError with the place of the row."""
        raise ArchiveError(f"{self._table}, row {_shown(self._fields.get('id'))}: {words}")

    def has(self, name: str) -> bool:
        """Whether the field exists and is not null."""
        return self._fields.get(name) is not None

    def is_null(self, name: str) -> bool:
        """Whether the field exists and is null."""
        return name in self._fields and self._fields[name] is None

    def value(self, name: str) -> object:
        """The untyped value, None if missing."""
        return self._fields.get(name)

    def integer(self, name: str, default: int | None = None) -> int:
        value = self._fields.get(name)
        if value is None and default is not None:
            return default
        if type(value) is not int or abs(value) > _MAX_ID:
            self.fault(f"{name} is {_shown(value)}, not a whole number")
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        value = self._fields.get(name, default)
        if type(value) is not bool:
            self.fault(f"{name} is {_shown(value)}, not true or false")
        return value

    def choice(self, name: str) -> bool | None:
        """True or false; None if missing."""
        return self.flag(name) if self.has(name) else None

    def text(self, name: str, default: str | None = None) -> str:
        """A text as it is in the archive, not made safe."""
        value = self._fields.get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            self.fault(f"{name} is {_shown(value)}, not a text")
        return value

    def time(self, name: str, default: int | None = None) -> int:
        """A time in whole UTC seconds."""
        value = self._fields.get(name)
        if value is None and default is not None:
            return default
        if type(value) not in (int, float) or not 0 <= cast("float", value) < _MAX_TIME:
            self.fault(f"{name} is {_shown(value)}, not a time")
        return int(cast("float", value))

    def numbers(self, name: str) -> list[int]:
        """A list of integers; empty if the field is missing."""
        value = self._fields.get(name, [])
        if not isinstance(value, list) or any(type(item) is not int for item in value):
            self.fault(f"{name} is not a list of numbers")
        return value

    def one_of(self, name: str, known: Collection[int], default: int | None = None) -> int:
        """A number out of a set of known values."""
        number = self.integer(name, default)
        if number not in known:
            self.fault(f"{name} is {number}, which is not a known value")
        return number

    def reference(self, name: str, ids: Mapping[int, int]) -> int:
        """Our id for the referenced row of another table."""
        number = self.integer(name)
        if number not in ids:
            self.fault(f"{name} is {number}, which is not in the archive")
        return ids[number]

    def optional(self, name: str, ids: Mapping[int, int]) -> int | None:
        return self.reference(name, ids) if self.has(name) else None


def rows(tables: Mapping[str, object], name: str) -> Iterator[ArchiveRow]:
    """The rows of a table; none if the archive lacks it."""
    table = tables.get(name, [])
    if not isinstance(table, list):
        raise ArchiveError(f"{name} is not a list of rows")
    for fields in table:
        if not isinstance(fields, dict):
            raise ArchiveError(f"{name} holds {_shown(fields)}, which is not a row")
        yield ArchiveRow(name, fields)


def identities(tables: Mapping[str, object], *names: str, taken: Collection[int] = ()) -> dict[int, int]:
    """Our ids for the rows of tables. They stay the same, so that references in texts stay valid, except for
    0 and those in `taken`.
    """
    ids: dict[int, int] = {}
    for name in names:
        for row in rows(tables, name):
            identity = row.integer("id")
            if identity < 0 or identity in ids:
                row.fault("the id is negative or occurs twice")
            ids[identity] = identity
    free = max([*ids, *taken, 0]) + 1
    for identity in ids:
        if identity == 0 or identity in taken:
            ids[identity] = free
            free += 1
    return ids


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
