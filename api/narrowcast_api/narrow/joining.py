"""Whether messages that are not in memory join a narrow by an event, as far as the event tells.

Each function is about messages that did not match before. It returns True if all of them match now, False if
none does, and None if only the server can tell.
"""

from __future__ import annotations

from narrowcast_api.model.messages import Message
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.narrow.terms import Knowledge, Term

__all__ = ["joins_by_edit", "joins_by_flag", "joins_by_move"]

_OF_PLACE = frozenset({"channel", "channels", "topic", "dm", "dm-including", "in", "search"})
"""Operators that depend on the conversation of a message. Words are searched for in topics too."""
_FILTERS_OF_PLACE = frozenset({"dm", "resolved", "followed", "muted"})
_FILTERS_OF_CONTENT = frozenset({"mentioned", "alerted"})
_FILTERS_OF_FLAGS = {"read": "unread", "starred": "starred"}


def joins_by_move(narrow: Narrow, place: ChannelDestination, state: Knowledge) -> bool | None:
    """Whether messages join by moving to `place`."""
    terms = tuple(term for term in narrow.terms if _depends_on_place(term))
    if not terms:
        return False
    moved = Message(0, 0, "", "", 0, "", channel_id=place.channel_id, topic=place.topic)
    verdict = Narrow(terms).matches(moved, state)
    return None if verdict and len(terms) < len(narrow.terms) else verdict


def _depends_on_place(term: Term) -> bool:
    return term.operator in _OF_PLACE or (term.operator == "is" and term.operand in _FILTERS_OF_PLACE)


def joins_by_flag(narrow: Narrow, flag: str, *, is_set: bool) -> bool | None:
    """Whether messages join because one of their flags was set or cleared."""
    term = Term("is", _FILTERS_OF_FLAGS.get(flag, ""), negated=is_set is (flag == "read"))
    if term not in narrow.terms:
        return False
    return True if narrow.terms == (term,) else None


def joins_by_edit(narrow: Narrow) -> bool | None:
    """Whether a message joins because its content changed."""
    return None if any(_depends_on_content(term) for term in narrow.terms) else False


def _depends_on_content(term: Term) -> bool:
    return term.operator in {"search", "has", "mentions"} or (
        term.operator == "is" and term.operand in _FILTERS_OF_CONTENT
    )
