"""A long list in a response, each row of which is parsed when it is accessed."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from typing import overload

import msgspec

_QUICK = msgspec.json.Decoder()


class LazyRows(Sequence[object]):
    """A list whose rows are parsed one at a time: parsing those of 50,000 people at once takes 60 MB, and the
    memory between the texts that are kept of them would not be returned to the system.

    ``careful`` parses a row that the fast decoder rejects; it returns None if the row is not valid JSON.
    """

    __slots__ = ("_careful", "_raw")

    def __init__(self, raw: msgspec.Raw, careful: Callable[[bytes], object]) -> None:
        """Raises msgspec.DecodeError if ``raw`` is not a list."""
        self._raw = msgspec.json.decode(raw, type=list[msgspec.Raw])
        self._careful = careful

    def __len__(self) -> int:
        return len(self._raw)

    def __iter__(self) -> Iterator[object]:
        return map(self._read, self._raw)

    @overload
    def __getitem__(self, index: int) -> object: ...

    @overload
    def __getitem__(self, index: slice) -> list[object]: ...

    def __getitem__(self, index: int | slice) -> object:
        if isinstance(index, slice):
            return [self._read(row) for row in self._raw[index]]
        return self._read(self._raw[index])

    def select(self, field: str, numbers: Container[int]) -> list[object]:
        """Returns the objects whose ``field`` is one of ``numbers``; of the other objects only that field is parsed."""
        one_field = msgspec.json.Decoder(msgspec.defstruct("OneField", [(field, object, None)]))

        def is_wanted(number: object) -> bool:
            return type(number) is int and number in numbers

        def may_be_wanted(row: msgspec.Raw) -> bool:
            try:
                return is_wanted(getattr(one_field.decode(row), field))
            except (msgspec.DecodeError, ValueError, RecursionError):
                return True  # the careful parser may accept it

        found = [self._read(row) for row in self._raw if may_be_wanted(row)]
        return [row for row in found if isinstance(row, dict) and is_wanted(row.get(field))]

    def _read(self, row: msgspec.Raw) -> object:
        try:
            return _QUICK.decode(row)
        except (msgspec.DecodeError, ValueError, RecursionError):
            return self._careful(bytes(row))
