"""Parsing of narrows: from JSON to checked terms (NAR-04, NAR-11)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from narrowcast_server.organization.checks import check_list, check_string, json_value
from narrowcast_server.organization.errors import ServiceError

Operand = str | int | list[int]

_SYNONYMS: Final = {
    "stream": "channel",
    "streams": "channels",
    "subject": "topic",
    "from": "sender",
    "pm-with": "dm",
    "group-pm-with": "dm-including",
}
_TAKES_ID: Final = frozenset({"channel", "sender", "mentions", "dm-including", "id", "with"})
_TAKES_IDS: Final = frozenset({"dm"})
"""Operators whose operand may be an id, or a list of ids; all accept text, others only text."""
MAX_TERMS: Final = 50
MAX_OPERAND: Final = 10_000
"""Characters: each email address of a direct conversation is looked up."""


@dataclass(frozen=True, slots=True)
class NarrowTerm:
    """One term of a narrow; the operator has the newest of its names in the service."""

    operator: str
    operand: Operand
    negated: bool = False


def narrow(name: str, text: str) -> list[NarrowTerm]:
    """Parses a narrow parameter: a list of objects, or of (operator, operand) pairs from older clients."""
    return _terms(name, text, _term)


def pairs(name: str, text: str) -> list[NarrowTerm]:
    """Parses the narrow of an event queue: (operator, operand) pairs of text."""
    return _terms(name, text, _pair)


def _terms(name: str, text: str, read: Callable[[str, object], NarrowTerm]) -> list[NarrowTerm]:
    items = check_list(name, json_value(name, text))
    if len(items) > MAX_TERMS:
        raise ServiceError(f"{name} has too many terms (limit: {MAX_TERMS})")
    return [read(f"{name}[{index}]", item) for index, item in enumerate(items)]


def _pair(name: str, item: object) -> NarrowTerm:
    parts = check_list(name, item)
    if len(parts) != 2:
        raise ServiceError(f"Invalid {name}: element is not a string pair")
    operator, operand = (check_string(f"{name}[{index}]", part) for index, part in enumerate(parts))
    return NarrowTerm(_operator(operator), operand)


def _term(name: str, item: object) -> NarrowTerm:
    if isinstance(item, list):
        if len(item) != 2 or not all(isinstance(part, str) for part in item):
            raise ServiceError(f"Invalid {name}: element is not a string pair")
        return NarrowTerm(_operator(item[0]), _short(name, item[1]))
    if not isinstance(item, dict):
        raise ServiceError(f"Invalid {name}: Value error, dict or list required")
    operator, operand, negated = item.get("operator"), item.get("operand"), item.get("negated", False)
    if not isinstance(operator, str):
        raise ServiceError(f"Invalid {name}: operator is missing")
    if operand is None:
        raise ServiceError(f"Invalid {name}: operand is missing")
    if not isinstance(negated, bool):
        raise ServiceError(f"Invalid {name}: negated is not a boolean")
    operator = _operator(operator)
    return NarrowTerm(operator, _operand(name, operator, operand), negated)


def _operator(text: str) -> str:
    return _SYNONYMS.get(text, text)


def _short(name: str, operand: str) -> str:
    if len(operand) > MAX_OPERAND:
        raise ServiceError(f"Invalid {name}: operand is too long (limit: {MAX_OPERAND} characters)")
    return operand


def _operand(name: str, operator: str, operand: object) -> Operand:
    if isinstance(operand, str):
        if operator == "search" and not operand.strip():
            raise ServiceError(f"Invalid {name}: operand cannot be blank.")
        return _short(name, operand)
    if operator in _TAKES_ID and type(operand) is int and abs(operand) < 2**53:
        return operand
    if (
        operator in _TAKES_IDS
        and isinstance(operand, list)
        and all(type(item) is int and abs(item) < 2**53 for item in operand)
    ):
        return operand
    more = " or an integer" if operator in _TAKES_ID else ""
    more = " or a list of integers" if operator in _TAKES_IDS else more
    raise ServiceError(f"Invalid {name}: operand is not a string{more}")
