"""Checks of values from requests that several resources share."""

from __future__ import annotations

import json
import unicodedata
from typing import Final, cast

from narrowcast_server.organization.errors import ServiceError

MAX_VALUES: Final = 100_000
"""Of one request: checking ten times as many would block the server for a second."""
MAX_INTEGER: Final = 2**53
_MAX_DEPTH: Final = 24


def check_length(name: str, text: str, limit: int) -> None:
    """Raises BAD_REQUEST if the text of a parameter has more characters than `limit`."""
    if len(text) > limit:
        raise ServiceError(f"{name} is too long (limit: {limit} characters)")


def check_encodable(name: str, text: str) -> None:
    """Raises BAD_REQUEST for lone surrogates, which cannot be stored or sent."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ServiceError(f"{name} is not valid UTF-8") from error


def unfit_position(name: str) -> int | None:
    """The position, from 1, of the first character that no name has: control characters, surrogates, and code
    points that are not characters. Unassigned ones may be assigned in a newer version of Unicode.
    """
    for position, character in enumerate(name, start=1):
        if unicodedata.category(character) in ("Cc", "Cs") or _is_no_character(ord(character)):
            return position
    return None


def _is_no_character(code: int) -> bool:
    return 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE


def json_value(name: str, text: str) -> object:
    """Any JSON value of bounded depth, without NaN, infinities and lone surrogates."""
    try:
        value: object = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ServiceError(f"{name} is not valid JSON") from error
    _check_value(name, value, 0)
    return value


def _refuse_constant(constant: str) -> object:
    raise ValueError(constant)


def _check_value(name: str, value: object, depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise ServiceError(f"{name} is not valid JSON")
    if isinstance(value, str):
        check_encodable(name, value)
    elif isinstance(value, list):
        for item in value:
            _check_value(name, item, depth + 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            check_encodable(name, key)
            _check_value(name, item, depth + 1)


def check_integer(name: str, value: object) -> int:
    """An integer of at most 2**53 in magnitude."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ServiceError(f"{name} is not an integer")
    if abs(value) > MAX_INTEGER:
        raise ServiceError(f"{name} is too large")
    return value


def check_number_or_word(name: str, value: object) -> int | str:
    """An integer or a string."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise _not_the_first_type(name)
    return value


def check_group_setting(name: str, value: object) -> object:
    """A group-setting value: the id of a group, or lists of ids of users and groups, of which one may be missing.
    Other keys are ignored, as Zulip servers do.
    """
    if isinstance(value, dict):
        lists = [value[key] for key in ("direct_members", "direct_subgroups") if key in value]
        is_value = bool(lists) and all(isinstance(ids, list) and all(map(_is_integer, ids)) for ids in lists)
    else:
        is_value = _is_integer(value)
    if not is_value:
        raise _not_the_first_type(name)
    return value


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _not_the_first_type(name: str) -> ServiceError:
    """What Zulip servers say of a value that has none of several types: that it does not have the first."""
    return ServiceError(f'{name}["int"] is not an integer')


def check_string(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ServiceError(f"{name} is not a string")
    return value


def check_list(name: str, value: object) -> list[object]:
    if not isinstance(value, list):
        raise ServiceError(f"{name} is not a list")
    return value


def check_dict(name: str, value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise ServiceError(f"{name} is not a dict")
    return cast(dict[str, object], value)


def check_bool(name: str, value: object) -> bool:
    """A JSON boolean; raises ServiceError for other values, 0 and 1 included."""
    if not isinstance(value, bool):
        raise ServiceError(f"{name} is not a boolean")
    return value
