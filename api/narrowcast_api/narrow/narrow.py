"""Which messages a view shows, and where a message is sent.

A `Narrow` is a conjunction of search terms, a `Destination` is an address. Both are plain values: hashable,
without I/O and quick to import, because the app uses them for its first frame, before it uses the network.

Narrows are part of the contract's NAR rows; the operators are those of the public servers.
"""

from __future__ import annotations

import json
import re

from msgspec import Struct

from narrowcast_api.model.messages import Message
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.narrow.terms import Knowledge, NameLookup, ServerFacts, Term, term_matches, term_to_wire

__all__ = [
    "OPERATORS",
    "ChannelDestination",
    "Destination",
    "DirectDestination",
    "Knowledge",
    "NameLookup",
    "Narrow",
    "ServerFacts",
    "Term",
    "missing_operand",
    "operand_text",
    "unknown_operators",
    "unquoted",
]

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
        "mentions",
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
    r'(?P<negated>-)?(?:(?P<operator>[a-z-]+):)?(?:"(?P<quoted>(?:[^"]|"")*)"?|(?P<bare>\S+))', re.IGNORECASE
)


def operand_text(value: str) -> str:
    """An operand as `Narrow.search` parses it: in quotes, which are doubled within, if it is empty or needs them."""
    if value and not re.search(r'[\s"]', value):
        return value
    return '"' + value.replace('"', '""') + '"'


def unquoted(text: str) -> str:
    """What stands between the quotes of `operand_text`, with its doubled quotes as they were."""
    return text.replace('""', '"')


OPERATORS = tuple(sorted(_OPERATORS - {"search"}))
"""The operators that users can type; the older names of some are accepted too."""


def unknown_operators(text: str) -> list[str]:
    """Names before a colon in `text` that look like operators but are unknown; not those within quotes or addresses."""
    unknown = []
    for token in _TOKEN.finditer(text):
        operator, bare = (token.group("operator") or "").lower(), token.group("bare") or ""
        is_operator = operator in _OPERATORS or operator in _OLD_NAMES
        if operator and not is_operator and not bare.startswith("//"):
            unknown.append(operator)
    return unknown


_WANTED = {
    "channel": "a channel",
    "channels": "'public' or 'archived'",
    "topic": 'a topic; the general chat is topic:""',
    "dm": "a user",
    "dm-including": "a user",
    "sender": "a user",
    "mentions": "a user",
    "has": "what messages have, such as 'link'",
    "is": "a filter, such as 'unread'",
    "in": "'home' or 'all'",
    "near": "a message id",
    "id": "a message id",
    "with": "a message id",
}


def missing_operand(text: str) -> str:
    """A sentence about the first operator in `text` with nothing after its colon; empty if there is none."""
    for token in _TOKEN.finditer(text):
        name, colon, rest = (token.group("bare") or "").partition(":")
        operator = _OLD_NAMES.get(name.lower(), name.lower())
        if token.group("operator") is None and colon and not rest and operator in _WANTED:
            return f"{name}: needs {_WANTED[operator]}. Quote it to search for the word."
    return ""


class Narrow(Struct, frozen=True, eq=False, gc=False):
    """The messages that match all terms. Narrows are equal if their terms are, in any order, ignoring the case of
    topics.
    """

    terms: tuple[Term, ...] = ()

    @classmethod
    def all(cls) -> Narrow:
        """All messages of the current user's history."""
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
        """One direct conversation; `user_ids` are the other users, empty for notes to self."""
        return cls((Term("dm", frozenset(user_ids)),))

    @classmethod
    def directs(cls) -> Narrow:
        """All direct conversations."""
        return cls((Term("is", "dm"),))

    @classmethod
    def mentions(cls) -> Narrow:
        """Messages that mention the current user, also by group or wildcard."""
        return cls((Term("is", "mentioned"),))

    @classmethod
    def starred(cls) -> Narrow:
        """Messages that the current user has starred."""
        return cls((Term("is", "starred"),))

    @classmethod
    def from_destination(cls, destination: Destination) -> Narrow:
        """The conversation of `destination`."""
        if isinstance(destination, ChannelDestination):
            return cls.topic(destination.channel_id, destination.topic)
        return cls.direct(destination.user_ids)

    @classmethod
    def search(cls, text: str, base: Narrow | None = None) -> Narrow:
        """Parses text that a user typed: `operator:operand` terms, `-` negates, quotes group, the rest is
        searched for.

        `base` is the view in which the search was started; its terms are kept.
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
    def key(self) -> frozenset[tuple[object, ...]]:
        """The value that equality and hash use."""
        return frozenset((term.operator, term.folded, term.negated) for term in self.terms)

    def __eq__(self, other: object) -> bool:
        return self.key == other.key if isinstance(other, Narrow) else NotImplemented

    def __ne__(self, other: object) -> bool:  # Struct does not derive it from __eq__
        return not self == other

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def channel_id(self) -> int | None:
        """The channel, if the narrow is limited to one that is known by id."""
        operand = self._operand("channel")
        return operand if isinstance(operand, int) else None

    @property
    def topic_name(self) -> str | None:
        """The topic, if the narrow is limited to one."""
        operand = self._operand("topic")
        return operand if isinstance(operand, str) else None

    @property
    def direct_user_ids(self) -> frozenset[int] | None:
        """The other users of the direct conversation, if the narrow is limited to one."""
        operand = self._operand("dm")
        return operand if isinstance(operand, frozenset) else None

    @property
    def destination(self) -> Destination | None:
        """The conversation, if this is exactly one: messages written in the view are sent to it; else None."""
        if len(self.key) == 1 and self.direct_user_ids is not None:
            return DirectDestination(self.direct_user_ids)
        channel_id, topic = self.channel_id, self.topic_name
        if len(self.key) == 2 and channel_id is not None and topic is not None:
            return ChannelDestination(channel_id, topic)
        return None

    @property
    def new_message_destination(self) -> Destination | None:
        """The destination of a new message started in this view: its conversation; in a channel's view the
        channel with an empty topic; in any other view None.
        """
        if len(self.key) == 1 and self.channel_id is not None:
            return ChannelDestination(self.channel_id, "")
        return self.destination

    def shows(self, destination: Destination) -> bool:
        """Whether messages to `destination` certainly appear in this view, because of their conversation alone."""
        own = self.destination
        if own is not None:
            return own.key == destination.key
        if self in (Narrow.all(), Narrow.directs()):
            return not self.terms or isinstance(destination, DirectDestination)
        channel_id = self.channel_id
        return (
            len(self.key) == 1
            and isinstance(destination, ChannelDestination)
            and channel_id == destination.channel_id
        )

    @property
    def near(self) -> int | None:
        """The message id of a `near:` or `with:` term, if there is one."""
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
        """Whether viewing a message here marks it as read: not in searches, stars and mentions."""
        return all(term.is_place for term in self.terms)

    @property
    def is_filtered(self) -> bool:
        """Whether it depends on more than the conversation of a message: on its flags, sender or content."""
        return not self.marks_read

    @property
    def depends_on_policies(self) -> bool:
        """Whether it depends on which topics and channels the user follows or has muted."""
        return any(
            term.operator == "in" or (term.operator == "is" and term.operand in {"followed", "muted"})
            for term in self.terms
        )

    def dump(self) -> str:
        """The narrow as text, for storage; `load` parses it."""
        return json.dumps(
            [
                [t.operator, sorted(t.operand) if isinstance(t.operand, frozenset) else t.operand, t.negated]
                for t in self.terms
            ]
        )

    @classmethod
    def load(cls, text: str) -> Narrow:
        """The narrow that `dump` returned as `text`. Raises `ValueError` for anything else."""
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

    def to_wire(
        self, server: ServerFacts, names: NameLookup, me: int | None = None
    ) -> list[dict[str, object]]:
        """The narrow as sent in requests, with the operators that `server` supports. `me` replaces an empty `dm`.

        Raises `Unsupported` for an operator that the server lacks and that no other can replace.
        """
        return [entry for term in self.terms for entry in term_to_wire(term, server.level, names, me)]

    def matches(self, message: Message, state: Knowledge) -> bool | None:
        """Whether `message` belongs to the narrow; None where only the server can tell."""
        unknown = False
        for term in self.terms:
            verdict = term_matches(term, message, state)
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
    quoted = token.group("quoted")
    operand = token.group("bare") if quoted is None else unquoted(quoted)
    if operator == "is" and operand == "private":
        operand = "dm"
    value: str | int = (
        int(operand)
        if operator in {"id", "near", "with"} and operand.isdecimal() and len(operand) < 19
        else operand
    )
    return Term(operator, value, token.group("negated") is not None)
