"""The rows of a long list in an answer, each read from its JSON when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import overload

import msgspec

_QUICK = msgspec.json.Decoder()


class LateRows(Sequence[object]):
    """A list of which no more than one row is there at a time: those of 50,000 people take 60 MB at once, and what
    lies between the texts that are kept of them is not given back.

    ``careful`` reads a row that the quick decoder does not take; it gives None for what is no JSON.
    """

    __slots__ = ("_careful", "_raw")

    def __init__(self, raw: msgspec.Raw, careful: Callable[[bytes], object]) -> None:
        """Raises msgspec.DecodeError where ``raw`` is no list."""
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

    def _read(self, row: msgspec.Raw) -> object:
        try:
            return _QUICK.decode(row)
        except (msgspec.DecodeError, ValueError, RecursionError):
            return self._careful(bytes(row))
