"""Completion in the search box: operators, and the people, channels and topics that they take; without a screen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from narrowcast.text import names
from narrowcast.text.matching import SearchedNames
from narrowcast.text.user_search import people
from narrowcast_api.narrow.narrow import operand_text, unquoted
from narrowcast_api.narrow.resolve import HAS, IS, PEOPLE, Unresolved, channel_id
from narrowcast_api.wire.levels import Gate

if TYPE_CHECKING:
    from narrowcast_api.state.state import State

__all__ = ["SearchOffer", "offers"]

SHOWN = 6
OPERATORS = (
    *("channel", "topic", "sender", "mentions", "dm", "dm-including"),
    *("is", "has", "in", "channels", "near", "id"),
)
_TERM = re.compile(r'(?:^|(?<=\s))(-?)(?:([a-z-]+):)?("(?:[^"]|"")*|[^\s"]*)$')
_CHANNEL = re.compile(r'(?:^|\s)(?:channel|stream):(?:"((?:[^"]|"")*)"|(\S+))')
_PEOPLE = {*PEOPLE, "from", "pm-with"}


class SearchOffer(Struct, frozen=True):
    """``label`` and ``detail`` are shown; ``insert`` replaces the term from ``start`` to the cursor."""

    label: str
    insert: str
    start: int
    detail: str = ""


def offers(state: State, text: str, cursor: int) -> list[SearchOffer]:
    """Completions for the term that ends at ``cursor``."""
    match = _TERM.search(text[:cursor])
    if match is None:
        return []
    sign, operator, operand = match.groups()
    typed = unquoted(operand.removeprefix('"'))
    start = match.start()
    if operator is None:
        if not typed:
            return []
        words = [name for name in OPERATORS if name.startswith(typed) and _is_known(state, name)]
        return [SearchOffer(f"{name}:", f"{sign}{name}:", start) for name in words]
    labels, made = _values(state, operator, text)
    searched = people(state).names if operator in _PEOPLE else SearchedNames(labels)
    return [
        SearchOffer(labels[place], f"{sign}{operator}:{operand_text(value)} ", start, detail)
        for place in searched.best(typed, SHOWN)
        for value, detail in [made(place)]
    ]


def _is_known(state: State, operator: str) -> bool:
    return operator != "mentions" or state.supports(Gate.TERM_MENTIONS)


def _values(state: State, operator: str, text: str) -> tuple[list[str], Callable[[int], tuple[str, str]]]:
    """Labels of all values of the operator, and a function from an index to the value and detail, which is
    called only for the values shown, as there may be 20,000 people.
    """
    if operator in _PEOPLE:
        users = people(state).users
        return [user.full_name for user in users], lambda place: (
            names.recipient(state, users[place].user_id),
            users[place].shown_email,
        )
    if operator in ("channel", "stream"):
        channels = list(state.channels.subscribed())
        return [channel.name for channel in channels], lambda place: (
            channels[place].name,
            names.about(channels[place]),
        )
    if operator == "topic":
        topics = list(_topics(state, text))
        return [topic for topic, _ in topics], lambda place: (
            topics[place][0],
            f"#{names.channel(state, topics[place][1])}",
        )
    words = {
        "is": list(IS),
        "has": list(HAS),
        "in": ["home", "all"],
        "channels": _channels(state),
    }.get(operator, [])
    about = {"home": "without what is muted", "all": "also what is muted"} if operator == "in" else {}
    return words, lambda place: (words[place], about.get(words[place], ""))


def _channels(state: State) -> list[str]:
    return ["public", "archived"] if state.supports(Gate.TERM_CHANNELS_ARCHIVED) else ["public"]


def _topics(state: State, text: str) -> Iterator[tuple[str, int]]:
    """Topics of the channel named in the search, else of all subscribed channels, with their channels' ids."""
    channel_ids = [channel.channel_id for channel in state.channels.subscribed()]
    if (named := _CHANNEL.search(text)) is not None:
        try:
            quoted, bare = named.groups()
            name = bare if quoted is None else unquoted(quoted)
            channel_ids = [channel_id(name, state.channels)]
        except Unresolved:
            return
    for one in channel_ids:
        for topic in state.topics.of(one):
            if topic.name:
                yield topic.name, one
