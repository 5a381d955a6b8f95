"""Completion in the search box: operators, and the people, channels and topics that they take. No screen here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

from narrowcast.text import names
from narrowcast.text.matching import best_matches
from narrowcast_api.narrow.resolve import HAS, IS, PEOPLE, Unresolved, channel_id

if TYPE_CHECKING:
    from narrowcast_api.state.state import State

__all__ = ["SearchOffer", "offers"]

SHOWN = 6
OPERATORS = ("channel", "topic", "sender", "dm", "dm-including", "is", "has", "near", "id")
_TERM = re.compile(r'(?:^|(?<=\s))(-?)(?:([a-z-]+):)?("[^"]*|[^\s"]*)$')
_CHANNEL = re.compile(r'(?:^|\s)(?:channel|stream):(?:"([^"]*)"|(\S+))')
_PEOPLE = {*PEOPLE, "from", "pm-with"}


class SearchOffer(Struct, frozen=True):
    """``label`` and ``detail`` are shown; ``insert`` takes the place of the term from ``start`` to the cursor."""

    label: str
    insert: str
    start: int
    detail: str = ""


def offers(state: State, text: str, cursor: int) -> list[SearchOffer]:
    """What could be meant by the term that ends at ``cursor``."""
    found = _TERM.search(text[:cursor])
    if found is None:
        return []
    sign, operator, typed = found.group(1), found.group(2), found.group(3).lstrip('"')
    start = found.start()
    if operator is None:
        if not typed:
            return []
        words = [name for name in OPERATORS if name.startswith(typed)]
        return [SearchOffer(f"{name}:", f"{sign}{name}:", start) for name in words]
    values = list(_values(state, operator, text))
    order = best_matches(typed, [label for label, _, _ in values]) if typed else range(len(values))
    head = f"{sign}{operator}:"
    return [
        SearchOffer(label, f"{head}{_quoted(value)} ", start, detail)
        for label, value, detail in (values[index] for index in list(order)[:SHOWN])
    ]


def _values(state: State, operator: str, text: str) -> Iterable[tuple[str, str, str]]:
    """Label, value and detail of everything that the operator can take."""
    if operator in _PEOPLE:
        for user in state.users.active():
            if not user.is_system_bot:
                yield user.full_name, names.recipient(state, user.user_id), user.email
    elif operator in ("channel", "stream"):
        for channel in state.channels.subscribed():
            yield channel.name, channel.name, names.about(channel)
    elif operator == "topic":
        yield from _topics(state, text)
    elif operator in ("is", "has"):
        yield from ((value, value, "") for value in (IS if operator == "is" else HAS))


def _topics(state: State, text: str) -> Iterable[tuple[str, str, str]]:
    channels = [(channel.channel_id, channel.name) for channel in state.channels]
    channel_ids = [channel.channel_id for channel in state.channels.subscribed()]
    if (named := _CHANNEL.search(text)) is not None:
        try:
            channel_ids = [channel_id(named.group(1) or named.group(2), channels)]
        except Unresolved:
            return
    for one in channel_ids:
        for topic in state.topics.of(one):
            if topic.name:
                yield topic.name, topic.name, f"#{names.channel(state, one)}"


def _quoted(value: str) -> str:
    return f'"{value}"' if " " in value else value
