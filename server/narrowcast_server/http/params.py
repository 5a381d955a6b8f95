"""Declared parameters: name, type, default, and the feature levels at which they exist.

A route lists its parameters; reading one through `call[PARAM]` gives a typed value. Other parameters of a
request are ignored and reported in the response as unsupported (CONV-09, VER-05).

Parameters are parsed one after the other, in the order of the route, which is that of Zulip servers: of several
faults the first is reported, whether a parameter is missing or malformed. So a parser checks all of a parameter that
can be checked without the organization; the rest is checked after the form of all parameters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final, Generic, TypeVar, cast

from narrowcast_server.organization.checks import (
    MAX_VALUES,
    check_bool,
    check_dict,
    check_encodable,
    check_integer,
    check_length,
    check_list,
    check_number_or_word,
    check_string,
    json_value,
)
from narrowcast_server.organization.errors import MissingParameter, ServiceError

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Parser = Callable[[str, str], T]
"""(name, text of the form field) -> value; raises ServiceError."""

_STRING: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)


class _Required:
    """Marks a parameter without a default."""


REQUIRED: Final = _Required()


@dataclass(frozen=True, slots=True, eq=False)
class Param(Generic[T_co]):
    """One parameter. It exists at levels `since` (inclusive) to `until` (exclusive)."""

    name: str
    parse: Parser[Any]
    default: object = REQUIRED
    since: int = 0
    until: int | None = None
    aliases: tuple[str, ...] = ()
    default_below: tuple[int, object] | None = None
    """(level, default below that level)."""
    required_below: int | None = None
    parse_below: tuple[int, Parser[Any]] | None = None
    """(level, parser below that level)."""

    def known_at(self, level: int) -> bool:
        """Whether the parameter exists at this level."""
        return level >= self.since and (self.until is None or level < self.until)

    def names(self) -> tuple[str, ...]:
        """The name and its aliases."""
        return (self.name, *self.aliases)

    def at(self, level: int) -> Param[T_co]:
        """The parameter with its parser of this level."""
        if self.parse_below is None or level >= self.parse_below[0]:
            return self
        return replace(self, parse=self.parse_below[1])

    def default_at(self, level: int) -> T_co:
        """The value if the request does not carry the parameter; raises ServiceError if it is required."""
        if self.required_below is not None and level < self.required_below:
            raise MissingParameter(self.name)
        if self.default_below is not None and level < self.default_below[0]:
            return cast(T_co, self.default_below[1])
        if isinstance(self.default, _Required):
            raise MissingParameter(self.name)
        return cast(T_co, self.default)


def missing(name: str) -> ServiceError:
    """The error for a parameter that is missing although others of the request require it."""
    return ServiceError(f"Missing '{name}' argument")


def required(
    name: str,
    parse: Parser[T],
    *,
    since: int = 0,
    until: int | None = None,
    aliases: tuple[str, ...] = (),
) -> Param[T]:
    return Param(name, parse, since=since, until=until, aliases=aliases)


def optional(
    name: str,
    parse: Parser[T],
    *,
    since: int = 0,
    until: int | None = None,
    aliases: tuple[str, ...] = (),
    required_below: int | None = None,
    parse_below: tuple[int, Parser[T]] | None = None,
) -> Param[T | None]:
    """An optional parameter; None if absent."""
    return Param(
        name, parse, None, since, until, aliases, required_below=required_below, parse_below=parse_below
    )


def defaulted(
    name: str,
    parse: Parser[T],
    default: T,
    *,
    since: int = 0,
    until: int | None = None,
    aliases: tuple[str, ...] = (),
    below: tuple[int, T] | None = None,
) -> Param[T]:
    """A parameter with a default, which may be another one below a level."""
    return Param(name, parse, default, since, until, aliases, below)


# --- parsers -----------------------------------------------------------------------------------------------

_TEXT_PARSERS: set[Parser[Any]] = set()


def takes_text(parser: Parser[T]) -> Parser[T]:
    """Marks a parser of text: some of its parameters travel as JSON strings, which are decoded before."""
    _TEXT_PARSERS.add(parser)
    return parser


def from_json(param: Param[T_co], text: str) -> T_co:
    """The value of a parameter whose text travels as JSON; raises ServiceError for text that is not."""
    if param.parse in _TEXT_PARSERS:
        text = check_string(param.name, json_value(param.name, text))
    return cast(T_co, param.parse(param.name, text))


@takes_text
def string(name: str, text: str) -> str:
    """The raw text of the field. Lone surrogates cannot be stored or sent, so they are rejected."""
    check_encodable(name, text)
    return text


@takes_text
def text_without_null(name: str, text: str) -> str:
    """Raw text without null bytes."""
    value = string(name, text)
    if "\x00" in value:
        raise ServiceError(f"{name} must not contain null bytes")
    return value


def check_few_values(texts: Collection[str]) -> None:
    """Raises BAD_REQUEST for fields that together have too many values, in JSON or separated by commas."""
    # Most requests have fewer commas than that, and need no closer look at which of them are in strings.
    if sum(text.count(",") for text in texts) < MAX_VALUES:
        return
    if sum(_STRING.sub("", text).count(",") for text in texts) >= MAX_VALUES:
        raise ServiceError(f"The request has too many values (limit: {MAX_VALUES})")


def number(name: str, text: str) -> float:
    """A JSON number, integer or not."""
    value = json_value(name, text)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ServiceError(f"{name} is not a float")
    return value


@takes_text
def time(name: str, text: str) -> datetime:
    """A date or time in ISO 8601; without a time zone it is UTC."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ServiceError(f"Invalid {name}") from error


def integer(name: str, text: str) -> int:
    return check_integer(name, json_value(name, text))


def natural(name: str, text: str) -> int:
    """A JSON integer that is not negative."""
    value = integer(name, text)
    if value < 0:
        raise ServiceError(f"{name} is too small")
    return value


def boolean(name: str, text: str) -> bool:
    """A JSON boolean, or Python's `True` and `False`."""
    if text in ("true", "True"):
        return True
    if text in ("false", "False"):
        return False
    return check_bool(name, json_value(name, text))


def integers(name: str, text: str) -> list[int]:
    """A JSON list of integers."""
    items = check_list(name, json_value(name, text))
    return [check_integer(f"{name}[{index}]", item) for index, item in enumerate(items)]


def strings(name: str, text: str) -> list[str]:
    """A JSON list of strings."""
    items = check_list(name, json_value(name, text))
    return [check_string(f"{name}[{index}]", item) for index, item in enumerate(items)]


def objects(name: str, text: str) -> list[dict[str, object]]:
    """A JSON list of objects."""
    items = check_list(name, json_value(name, text))
    return [check_dict(f"{name}[{index}]", item) for index, item in enumerate(items)]


def number_or_word(name: str, text: str) -> int | str:
    """A JSON integer or string; which of them are valid is checked after the form of all parameters."""
    return check_number_or_word(name, json_value(name, text))


def values_by_id(name: str, text: str) -> dict[int, object]:
    """A JSON list of {id, value}; of several values for an id, the last."""
    return {check_integer(f'{name}["id"]', item.get("id")): item.get("value") for item in objects(name, text)}


def mapping(name: str, text: str) -> dict[str, object]:
    return check_dict(name, json_value(name, text))


def nullable(parse: Parser[T]) -> Parser[T | None]:
    """A parser that also accepts the JSON literal null."""

    def parser(name: str, text: str) -> T | None:
        return None if text == "null" else parse(name, text)

    return parser


_NOT_LISTED: Final = ": Value error, Not in the list of possible values"
"""What Zulip servers append to the error for parameters with a list of values instead of a type."""


def choice(*values: str, listed: bool = False) -> Parser[str]:

    @takes_text
    def parser(name: str, text: str) -> str:
        if text not in values:
            raise ServiceError(f"Invalid {name}{_NOT_LISTED if listed else ''}")
        return text

    return parser


def integer_choice(*values: int, listed: bool = False) -> Parser[int]:

    def parser(name: str, text: str) -> int:
        number = integer(name, text)
        if number not in values:
            raise ServiceError(f"Invalid {name}{_NOT_LISTED if listed else ''}")
        return number

    return parser


def limited(limit: int, parse: Parser[str] = string) -> Parser[str]:
    """Text that `parse` accepts, of at most `limit` code points (LIM-03)."""

    @takes_text
    def parser(name: str, text: str) -> str:
        value = parse(name, text)
        check_length(name, value, limit)
        return value

    return parser
