"""What a view shows and where a message goes.

A `Narrow` is a conjunction of search terms, a `Destination` is an address. Both are plain values: hashable,
without I/O and cheap to import, because the app paints with them before it talks to a network.

Narrows are part of the contract's NAR rows; the operators are those of the public servers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from narrowcast_api.destinations import ChannelDestination, Destination, DirectDestination, fold_topic
from narrowcast_api.state.messages import MENTION_FLAGS, Message

__all__ = [
    "ChannelDestination",
    "Destination",
    "DirectDestination",
    "Knowledge",
    "Names",
    "Narrow",
    "ServerFacts",
    "Term",
]

RESOLVED_PREFIX = "✔ "
"""What the name of a resolved topic begins with."""

_DM_LEVEL = 177  # TODO(server-177): `dm` and `is:dm`; before, `pm-with` and `is:private`
_CHANNEL_LEVEL = 250  # TODO(server-250): `channel` and `channels`; before, `stream` and `streams`
_WITH_LEVEL = 271  # TODO(server-271): `with`
_ZERO_LEVEL_NAMES = 1  # servers without a level know channels by name and people by email only

_OLD_NAMES = {
    "stream": "channel",
    "streams": "channels",
    "subject": "topic",
    "pm-with": "dm",
    "pm": "dm",
    "pm-including": "dm-including",
    "group-pm-with": "dm-including",
    "from": "sender",
}
_OPERATORS = frozenset(
    [
        "channel",
        "channels",
        "topic",
        "dm",
        "dm-including",
        "sender",
        "has",
        "is",
        "in",
        "near",
        "id",
        "with",
        "search",
    ]
)
_TOKEN = re.compile(
    r'(?P<negated>-)?(?:(?P<operator>[a-z-]+):)?(?:"(?P<quoted>[^"]*)"?|(?P<bare>\S+))', re.IGNORECASE
)


class ServerFacts(Protocol):
    """What a server can do, as far as a narrow has to know."""

    @property
    def level(self) -> int:
        """The feature level."""


class Names(Protocol):
    """How a narrow finds people and channels that a person typed, or that an old server wants by name."""

    def channel_id(self, name: str) -> int | None: ...

    def channel_name(self, channel_id: int) -> str | None: ...

    def user_id(self, text: str) -> int | None: ...

    def user_email(self, user_id: int) -> str | None: ...


class Knowledge(Names, Protocol):
    """What `Narrow.matches` asks of the state, besides names."""

    @property
    def me(self) -> int: ...

    def visibility_policy(self, channel_id: int, topic: str) -> int: ...

    def is_muted(self, channel_id: int, topic: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Term:
    """One operator with its operand: a text, an id, or the ids of people (without oneself)."""

    operator: str
    operand: str | int | frozenset[int]
    negated: bool = False

    @property
    def folded(self) -> str | int | frozenset[int]:
        """The operand as it is compared: topics that differ in case only are one."""
        if self.operator == "topic" and isinstance(self.operand, str):
            return fold_topic(self.operand)
        return self.operand

    @property
    def is_place(self) -> bool:
        """Whether the term only says where messages are, as opposed to picking some of them."""
        return not self.negated and (
            self.operator in {"channel", "topic", "dm"} or (self.operator, self.operand) == ("is", "dm")
        )


@dataclass(frozen=True, slots=True, eq=False)
class Narrow:
    """Messages for which all terms hold. Equal when the terms are, whatever the case of topics."""

    terms: tuple[Term, ...] = ()

    @classmethod
    def all(cls) -> Narrow:
        """Every message of one's history."""
        return cls()

    @classmethod
    def channel(cls, channel_id: int) -> Narrow:
        """Every topic of one channel."""
        return cls((Term("channel", channel_id),))

    @classmethod
    def topic(cls, channel_id: int, topic: str) -> Narrow:
        """One topic of one channel."""
        return cls((Term("channel", channel_id), Term("topic", topic)))

    @classmethod
    def direct(cls, user_ids: frozenset[int]) -> Narrow:
        """One direct conversation; `user_ids` are the others, empty for notes to oneself."""
        return cls((Term("dm", frozenset(user_ids)),))

    @classmethod
    def directs(cls) -> Narrow:
        """All direct conversations."""
        return cls((Term("is", "dm"),))

    @classmethod
    def mentions(cls) -> Narrow:
        """Messages that mention oneself, also by group or wildcard."""
        return cls((Term("is", "mentioned"),))

    @classmethod
    def starred(cls) -> Narrow:
        """Messages with a star of one's own."""
        return cls((Term("is", "starred"),))

    @classmethod
    def from_destination(cls, destination: Destination) -> Narrow:
        """The conversation that messages to `destination` land in."""
        if isinstance(destination, ChannelDestination):
            return cls.topic(destination.channel_id, destination.topic)
        return cls.direct(destination.user_ids)

    @classmethod
    def search(cls, text: str, base: Narrow | None = None) -> Narrow:
        """What a person typed: `operator:operand` terms, `-` negates, quotes group, the rest is searched for.

        `base` is the view that the search began in; its terms hold too.
        """
        words: list[str] = []
        terms = list(base.terms) if base is not None else []
        for token in _TOKEN.finditer(text):
            term = _term(token)
            if term is None:
                words.append(token.group(0))
            else:
                terms.append(term)
        if words:
            terms.append(Term("search", " ".join(words)))
        return cls(tuple(terms))

    @property
    def key(self) -> tuple[object, ...]:
        """What equality and hash go by."""
        return tuple((term.operator, term.folded, term.negated) for term in self.terms)

    def __eq__(self, other: object) -> bool:
        return self.key == other.key if isinstance(other, Narrow) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def channel_id(self) -> int | None:
        """The channel, if the narrow is within one that is known by id."""
        operand = self._operand("channel")
        return operand if isinstance(operand, int) else None

    @property
    def topic_name(self) -> str | None:
        """The topic, if the narrow is within one."""
        operand = self._operand("topic")
        return operand if isinstance(operand, str) else None

    @property
    def direct_user_ids(self) -> frozenset[int] | None:
        """The others of the direct conversation, if the narrow is within one."""
        operand = self._operand("dm")
        return operand if isinstance(operand, frozenset) else None

    @property
    def destination(self) -> Destination | None:
        """Where a message written in this view goes; None where that is for the writer to choose."""
        if len(self.terms) == 1 and self.direct_user_ids is not None:
            return DirectDestination(self.direct_user_ids)
        channel_id, topic = self.channel_id, self.topic_name
        if len(self.terms) == 2 and channel_id is not None and topic is not None:
            return ChannelDestination(channel_id, topic)
        return None

    def shows(self, destination: Destination) -> bool:
        """Whether what is written to `destination` will appear in this view for certain, by its place alone."""
        own = self.destination
        if own is not None:
            return own.key == destination.key
        if self in (Narrow.all(), Narrow.directs()):
            return not self.terms or isinstance(destination, DirectDestination)
        channel_id = self.channel_id
        return (
            len(self.terms) == 1
            and isinstance(destination, ChannelDestination)
            and channel_id == destination.channel_id
        )

    @property
    def near(self) -> int | None:
        """The message that the narrow points at, if it does: `near:` or `with:`."""
        for operator in ("near", "with"):
            operand = self._operand(operator)
            if isinstance(operand, int):
                return operand
        return None

    @property
    def is_conversation(self) -> bool:
        """Whether this is exactly one topic or one direct conversation."""
        return self.destination is not None

    @property
    def marks_read(self) -> bool:
        """Whether looking at a message here counts as reading it: not in searches, stars and mentions."""
        return all(term.is_place for term in self.terms)

    @property
    def picks(self) -> bool:
        """Whether it depends on more than where a message is: its flags, sender, words."""
        return not self.marks_read

    def dump(self) -> str:
        """The narrow as text, for storage; `load` reads it."""
        return json.dumps(
            [
                [t.operator, sorted(t.operand) if isinstance(t.operand, frozenset) else t.operand, t.negated]
                for t in self.terms
            ]
        )

    @classmethod
    def load(cls, text: str) -> Narrow:
        """The narrow that `dump` wrote. Raises `ValueError` for anything else."""
        entries = json.loads(text)
        if not isinstance(entries, list):
            raise ValueError("not a narrow")
        terms = []
        for entry in entries:
            match entry:
                case [str(operator), (str() | int()) as operand, bool(negated)]:
                    terms.append(Term(operator, operand, negated))
                case [str(operator), list(people), bool(negated)] if all(type(i) is int for i in people):
                    terms.append(Term(operator, frozenset(people), negated))
                case _:
                    raise ValueError("not a narrow")
        return cls(tuple(terms))

    def _operand(self, operator: str) -> str | int | frozenset[int] | None:
        for term in self.terms:
            if term.operator == operator and not term.negated:
                return term.operand
        return None

    def to_wire(self, server: ServerFacts, names: Names, me: int | None = None) -> list[dict[str, object]]:
        """The narrow as requests carry it, in words that `server` knows. `me` stands in for an empty `dm`."""
        return [_term_to_wire(term, server.level, names, me) for term in self.terms]

    def matches(self, message: Message, state: Knowledge) -> bool | None:
        """Whether `message` belongs to the narrow; None where only the server can tell."""
        unknown = False
        for term in self.terms:
            verdict = _term_matches(term, message, state)
            if verdict is None:
                unknown = True
            elif verdict is term.negated:
                return False
        return None if unknown else True


def _term(token: re.Match[str]) -> Term | None:
    operator = (token.group("operator") or "").lower()
    operator = _OLD_NAMES.get(operator, operator)
    if operator not in _OPERATORS:
        return None
    operand = token.group("quoted") if token.group("quoted") is not None else token.group("bare")
    if operator == "is" and operand == "private":
        operand = "dm"
    value: str | int = int(operand) if operator in {"id", "near", "with"} and operand.isdecimal() else operand
    return Term(operator, value, token.group("negated") is not None)


def _term_to_wire(term: Term, level: int, names: Names, me: int | None) -> dict[str, object]:
    operator: str = term.operator
    operand: object = sorted(term.operand) if isinstance(term.operand, frozenset) else term.operand
    if operator in {"channel", "channels"}:
        if isinstance(operand, int) and level < _ZERO_LEVEL_NAMES:
            operand = names.channel_name(operand) or operand
        if level < _CHANNEL_LEVEL:
            operator = {"channel": "stream", "channels": "streams"}[operator]
    elif operator in {"dm", "dm-including", "sender"}:
        operand = _people_to_wire(term, level, names, me)
        if level < _DM_LEVEL:
            operator = {"dm": "pm-with", "dm-including": "group-pm-with"}.get(operator, operator)
    elif (operator, operand) == ("is", "dm") and level < _DM_LEVEL:
        operand = "private"
    elif operator == "with" and level < _WITH_LEVEL:
        operator = "near"
    wire: dict[str, object] = {"operator": operator, "operand": operand}
    if term.negated:
        wire["negated"] = True
    return wire


def _people_to_wire(term: Term, level: int, names: Names, me: int | None) -> object:
    """Ids where they are known (emails before there were levels); else the text as typed, for the server."""
    ids = _people(term.operand, names)
    if ids is None:
        return term.operand
    if term.operator == "dm" and not ids and me is not None:
        ids = frozenset({me})
    if level < _ZERO_LEVEL_NAMES:
        return ",".join(names.user_email(user_id) or str(user_id) for user_id in sorted(ids))
    return next(iter(ids)) if term.operator != "dm" and len(ids) == 1 else sorted(ids)


def _people(operand: str | int | frozenset[int], names: Names) -> frozenset[int] | None:
    """The ids behind an operand; None if a name is unknown."""
    if isinstance(operand, frozenset):
        return operand
    if isinstance(operand, int):
        return frozenset({operand})
    found = [names.user_id(part.strip()) for part in operand.split(",") if part.strip()]
    known = frozenset(user_id for user_id in found if user_id is not None)
    return known if found and len(known) == len(set(found)) and None not in found else None


def _term_matches(term: Term, message: Message, state: Knowledge) -> bool | None:
    check = _CHECKS.get(term.operator)
    return None if check is None else check(term, message, state)


def _in_channel(term: Term, message: Message, state: Knowledge) -> bool | None:
    channel_id = term.operand if isinstance(term.operand, int) else state.channel_id(str(term.operand))
    return None if channel_id is None else message.channel_id == channel_id


def _in_topic(term: Term, message: Message, state: Knowledge) -> bool | None:
    return message.topic is not None and fold_topic(message.topic) == term.folded


def _in_direct(term: Term, message: Message, state: Knowledge) -> bool | None:
    people = _people(term.operand, state)
    if message.direct_user_ids is None:
        return False
    return None if people is None else message.direct_user_ids - {state.me} == people - {state.me}


def _including(term: Term, message: Message, state: Knowledge) -> bool | None:
    people = _people(term.operand, state)
    if message.direct_user_ids is None:
        return False
    return None if people is None else people <= message.direct_user_ids


def _by_sender(term: Term, message: Message, state: Knowledge) -> bool | None:
    if term.operand == "me":
        return message.sender_id == state.me
    people = _people(term.operand, state)
    return None if people is None else message.sender_id in people


def _by_id(term: Term, message: Message, state: Knowledge) -> bool | None:
    return message.id == term.operand if isinstance(term.operand, int) else None


def _anywhere(term: Term, message: Message, state: Knowledge) -> bool | None:
    return True  # `near` says where to look, not what


def _having(term: Term, message: Message, state: Knowledge) -> bool | None:
    return bool(message.reactions) if term.operand in {"reaction", "reactions"} else None


def _being(term: Term, message: Message, state: Knowledge) -> bool | None:
    match term.operand:
        case "dm":
            return message.direct_user_ids is not None
        case "mentioned":
            return not MENTION_FLAGS.isdisjoint(message.flags)
        case "starred":
            return "starred" in message.flags
        case "unread":
            return "read" not in message.flags
        case "alerted":
            return "has_alert_word" in message.flags
        case "resolved":
            return message.topic is not None and message.topic.startswith(RESOLVED_PREFIX)
        case "followed":
            return (
                message.channel_id is not None
                and message.topic is not None
                and state.visibility_policy(message.channel_id, message.topic) == _FOLLOWED
            )
        case "muted":
            return (
                message.channel_id is not None
                and message.topic is not None
                and state.is_muted(message.channel_id, message.topic)
            )
    return None


class _Check(Protocol):
    def __call__(self, term: Term, message: Message, state: Knowledge, /) -> bool | None: ...


_FOLLOWED = 3
_CHECKS: Mapping[str, _Check] = {
    "channel": _in_channel,
    "topic": _in_topic,
    "dm": _in_direct,
    "dm-including": _including,
    "sender": _by_sender,
    "id": _by_id,
    "near": _anywhere,
    "has": _having,
    "is": _being,
}
