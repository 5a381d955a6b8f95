"""Reads data from servers into the library's records, one value at a time.

The snapshot may contain 50,000 people, and the cached one is read before the first frame, so for speed its
rows are checked with plain code: a value of the wrong type counts as absent, a row without its id is skipped
and logged. Whatever a server sends, these functions raise nothing but `BadRow`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

logger = logging.getLogger(__name__)

MAX_INT64 = 2**63 - 1
"""The largest id or time that servers can store; larger numbers are treated as values of a wrong type."""

_DIGITS = 19
"""The number of digits from which a number may be too large; ids have fewer."""

RawRecord = Mapping[str, object]
Record = TypeVar("Record")
Default = TypeVar("Default", int, None)


class BadRow(ValueError):
    """A row lacks a required field; the message is the field's name."""


def required_int(row: RawRecord, key: str) -> int:
    """A required id. Raises `BadRow` if it is missing or invalid."""
    value = row.get(key)
    if type(value) is not int or not -MAX_INT64 <= value <= MAX_INT64:
        raise BadRow(key)
    return value


def required_text(row: RawRecord, key: str) -> str:
    """A required text. Raises `BadRow` if it is missing or invalid."""
    value = row.get(key)
    if type(value) is not str:
        raise BadRow(key)
    return value


def integer(row: RawRecord, key: str, default: int = 0) -> int:
    value = row.get(key)
    if (
        type(value) is int and -MAX_INT64 <= value <= MAX_INT64
    ):  # the usual case, without another function call
        return value
    return _whole(value, default)


def optional_int(row: RawRecord, key: str) -> int | None:
    value = row.get(key)
    if value is None:
        return None
    return value if type(value) is int and -MAX_INT64 <= value <= MAX_INT64 else _whole(value, None)


def _whole(value: object, default: Default) -> int | Default:
    """The integer of a float such as 3.0, which some servers send for times; else the default."""
    return int(value) if type(value) is float and value.is_integer() and abs(value) < MAX_INT64 else default


def number(row: RawRecord, key: str, default: float) -> float:
    value = row.get(key)
    if type(value) is float or type(value) is int:
        return value if -MAX_INT64 <= value <= MAX_INT64 else default
    return default


def id_of_key(key: object) -> int | None:
    """An id from a text, such as the keys of JSON objects; None for anything else."""
    return int(key) if type(key) is str and key.isdecimal() and len(key) < _DIGITS else None


def text(row: RawRecord, key: str, default: str = "") -> str:
    value = row.get(key)
    return value if type(value) is str else default


def optional_text(row: RawRecord, key: str) -> str | None:
    value = row.get(key)
    return value if type(value) is str else None


def boolean(row: RawRecord, key: str, default: bool = False) -> bool:
    value = row.get(key)
    return value if type(value) is bool else default


def optional_bool(row: RawRecord, key: str) -> bool | None:
    value = row.get(key)
    return value if type(value) is bool else None


def ids(value: object) -> list[int]:
    """The integers in a list; empty if it is not a list."""
    return [item for item in value if type(item) is int] if isinstance(value, (list, tuple)) else []


def texts(value: object) -> list[str]:
    """The strings in a list; empty if it is not a list."""
    return [item for item in value if type(item) is str] if isinstance(value, (list, tuple)) else []


def rows(value: object) -> Iterator[RawRecord]:
    """The objects in a list; empty if it is not a list."""
    if isinstance(value, (list, tuple)) or (isinstance(value, Sequence) and not isinstance(value, str)):
        # Most items are dicts; the check against the abstract class takes several times as long as everything
        # else here.
        yield from (item for item in value if type(item) is dict or isinstance(item, Mapping))


def table(value: object) -> RawRecord:
    """An object; empty if it is not an object."""
    return value if type(value) is dict or isinstance(value, Mapping) else {}


def records(value: object, read: Callable[[RawRecord], Record], kind: str) -> Iterator[Record]:
    """Reads each row of a list with `read`; invalid rows are logged and left out."""
    for row in rows(value):
        try:
            yield read(row)
        except BadRow as error:
            logger.warning("a %s without a usable %s is left out", kind, error)
