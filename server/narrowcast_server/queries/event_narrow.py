"""The narrow of an event queue: which messages it receives, decided from the message alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from narrowcast_api.wire.vocabulary import RESOLVED_TOPIC_PREFIX
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.events import MessageFilter
from narrowcast_server.queries.narrow_terms import NarrowTerm, pairs

_MAX_LENGTH: Final = 10_000
"""Length limit, since a queue keeps its narrow as long as it exists."""
Condition = Callable[[Mapping[str, Any], frozenset[str], Any], bool]


def event_narrow(name: str, text: str) -> list[NarrowTerm]:
    """Parses the parameter; raises BAD_REQUEST for operators that cannot be decided from a message alone."""
    if len(text) > _MAX_LENGTH:
        raise ServiceError(f"{name} is too long (limit: {_MAX_LENGTH} characters)")
    terms = pairs(name, text)
    for term in terms:
        if term.operator not in _CONDITIONS:
            raise ServiceError(f"Operator {term.operator} not supported.")
    return terms


def message_filter(terms: list[NarrowTerm] | None) -> MessageFilter | None:
    """The narrow as a predicate; None without terms."""
    if not terms:
        return None

    def wanted(message: Mapping[str, object], fields: Mapping[str, object]) -> bool:
        flags = fields.get("flags", ())
        assert isinstance(flags, list | tuple)
        return all(
            _CONDITIONS[term.operator](message, frozenset(flags), term.operand) is not term.negated
            for term in terms
        )

    return wanted


def _channel(message: Mapping[str, Any], flags: frozenset[str], operand: Any) -> bool:
    if message["type"] != "stream":
        return False
    if isinstance(operand, int):
        return bool(message["stream_id"] == operand)
    return str(message["display_recipient"]).casefold() == str(operand).casefold()


def _topic(message: Mapping[str, Any], flags: frozenset[str], operand: Any) -> bool:
    return message["type"] == "stream" and str(message["subject"]).casefold() == str(operand).casefold()


def _sender(message: Mapping[str, Any], flags: frozenset[str], operand: Any) -> bool:
    return operand in (message["sender_id"], message["sender_email"])


def _is(message: Mapping[str, Any], flags: frozenset[str], operand: Any) -> bool:
    if operand in ("dm", "private"):
        return bool(message["type"] == "private")
    if operand == "starred":
        return "starred" in flags
    if operand == "mentioned":
        return bool(flags & {"mentioned", "wildcard_mentioned"})
    if operand == "unread":
        return "read" not in flags
    if operand == "alerted":
        return "has_alert_word" in flags
    if operand == "resolved":
        return message["type"] == "stream" and str(message["subject"]).startswith(RESOLVED_TOPIC_PREFIX)
    return False


_CONDITIONS: Final[dict[str, Condition]] = {
    "channel": _channel,
    "topic": _topic,
    "sender": _sender,
    "is": _is,
}
