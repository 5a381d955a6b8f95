"""Reading what servers sent into the state's own records, one value at a time.

The snapshot can hold 50,000 people, and the cached one is read before the first paint, so its rows are
checked here by hand: a value of the wrong type counts as absent, a row without its
identity is skipped and logged. No server answer can make these functions raise anything but `BadRow`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

logger = logging.getLogger(__name__)

LARGEST = 2**63 - 1
"""Larger numbers fit nowhere where ids and times of servers go: they count as values of a wrong type."""

_DIGITS = 19
"""Digits of a number that may be too large; ids have fewer."""

RawRecord = Mapping[str, object]
Record = TypeVar("Record")
Default = TypeVar("Default", int, None)


class BadRow(ValueError):
    """A row lacks what makes it one; the message names the field."""


def required_int(row: RawRecord, key: str) -> int:
    """An identity. Raises `BadRow`."""
    value = row.get(key)
    if type(value) is not int or not -LARGEST <= value <= LARGEST:
        raise BadRow(key)
    return value


def required_text(row: RawRecord, key: str) -> str:
    """A text without which the row means nothing. Raises `BadRow`."""
    value = row.get(key)
    if type(value) is not str:
        raise BadRow(key)
    return value


def integer(row: RawRecord, key: str, default: int = 0) -> int:
    value = row.get(key)
    if type(value) is int and -LARGEST <= value <= LARGEST:  # the usual case, without a further call
        return value
    return _whole(value, default)


def optional_int(row: RawRecord, key: str) -> int | None:
    value = row.get(key)
    if value is None:
        return None
    return value if type(value) is int and -LARGEST <= value <= LARGEST else _whole(value, None)


def _whole(value: object, default: Default) -> int | Default:
    """Some servers send times with a fraction, of zero."""
    return int(value) if type(value) is float and value.is_integer() and abs(value) < LARGEST else default


def number(row: RawRecord, key: str, default: float) -> float:
    value = row.get(key)
    if type(value) is float or type(value) is int:
        return value if -LARGEST <= value <= LARGEST else default
    return default


def id_of_key(key: object) -> int | None:
    """An id that stands as text, as keys of JSON objects do; None for anything else."""
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
    """The integers of a list; anything else yields none."""
    return [item for item in value if type(item) is int] if isinstance(value, (list, tuple)) else []


def texts(value: object) -> list[str]:
    """The strings of a list; anything else yields none."""
    return [item for item in value if type(item) is str] if isinstance(value, (list, tuple)) else []


def rows(value: object) -> Iterator[RawRecord]:
    """The objects of a list; anything else yields none."""
    if isinstance(value, (list, tuple)) or (isinstance(value, Sequence) and not isinstance(value, str)):
        # Most are dicts, and asking the abstract class costs several times as much as all else here.
        yield from (item for item in value if type(item) is dict or isinstance(item, Mapping))


def table(value: object) -> RawRecord:
    """An object; anything else counts as an empty one."""
    return value if type(value) is dict or isinstance(value, Mapping) else {}


def records(value: object, read: Callable[[RawRecord], Record], kind: str) -> Iterator[Record]:
    """Each row of a list through `read`; rows that are not one are logged and left out."""
    for row in rows(value):
        try:
            yield read(row)
        except BadRow as error:
            logger.warning("a %s without a usable %s is left out", kind, error)
