"""Narrows as SQL: the messages that a user sees in a view."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import RESOLVED_TOPIC_PREFIX, VisibilityPolicy
from narrowcast_server.organization.errors import ServiceError, bad_narrow
from narrowcast_server.organization.models import Channel, FlagBit, User
from narrowcast_server.queries.narrow_terms import NarrowTerm, Operand
from narrowcast_server.queries.words import match_expression, parts, words_beginning_with
from narrowcast_server.rules import access, topics
from narrowcast_server.rules.addresses import user_at
from narrowcast_server.rules.visibility import found_by_address, visible_ids
from narrowcast_server.storage.store import Reading, Value

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

Handler = Callable[["Organization", User, "Query", Operand], None]
_FLAGS: Final = {
    # The literal conditions of the indexes in the schema, with what narrows them further.
    "unread": ("unread_messages", "um.flags & 1 = 0"),
    "starred": ("starred_messages", "um.flags & 2 != 0"),
    "mentioned": ("mentioning_messages", "um.flags & 248 != 0 AND um.flags & 120 != 0"),
    "alerted": ("mentioning_messages", "um.flags & 248 != 0 AND um.flags & 128 != 0"),
}


_INDEXED: Final = frozenset({"channel", "topic", "dm", "id", "near"})
"""Operators whose messages an index finds, except a topic without its channel."""


@dataclass(slots=True)
class Query:
    """FROM and WHERE over `messages m` and the caller's `user_messages um`."""

    own_rows_only: bool
    """Whether only messages in the caller's history match."""
    is_quick: bool = True
    """Whether it can be evaluated between other requests."""
    words: str = ""
    """A full-text expression that must match; the query then walks through its matches, newest first."""
    without: list[str] = field(default_factory=list)
    """Texts of searches that must not match."""
    index: str = ""
    """A partial index of `user_messages` that contains all possible matches; without one SQLite scans everything."""
    conditions: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    search: list[str] = field(default_factory=list)
    """The searched texts, for highlighting."""
    user_id: int = 0

    def add(self, condition: str, *values: Value) -> None:
        """Adds a condition that must hold."""
        self.conditions.append(condition)
        self.values.extend(values)

    @property
    def source(self) -> str:
        """FROM and JOIN; their parameters are the caller's id and the words."""
        own = "um.message_id = m.id AND um.user_id = ?"
        if self.words:
            kind = "CROSS" if self.own_rows_only else "LEFT"
            return (
                f"FROM message_words w CROSS JOIN messages m ON m.id = w.rowid {kind} JOIN user_messages um ON {own}"
                " WHERE w.message_words MATCH ?"
            )
        if self.index:
            return (
                f"FROM user_messages um INDEXED BY {self.index} CROSS JOIN messages m ON m.id = um.message_id"
                " WHERE um.user_id = ?"
            )
        if self.own_rows_only:
            return "FROM user_messages um JOIN messages m ON m.id = um.message_id WHERE um.user_id = ?"
        return f"FROM messages m LEFT JOIN user_messages um ON {own} WHERE 1"

    @property
    def all_values(self) -> list[Value]:
        """Parameters of the whole SELECT, except those in `extra` and `tail`."""
        return [self.user_id, *filter(None, [self.words]), *self.values]

    def with_words(self, reading: Reading) -> Query:
        """The same query with the expressions of its searches, for which the words in messages are read."""

        def expression(texts: Sequence[str]) -> str:
            return match_expression(texts, lambda word: words_beginning_with(reading, word))

        result = replace(self, conditions=list(self.conditions), values=list(self.values))
        result.words = expression(self.search)
        for text in self.without:
            result.add(
                "m.id NOT IN (SELECT rowid FROM message_words WHERE message_words MATCH ?)",
                expression([text]),
            )
        return result

    def sql(self, columns: str, extra: str = "", tail: str = "") -> str:
        """A complete SELECT; `extra` is a further condition."""
        conditions = [f"({condition})" for condition in self.conditions]
        if extra:
            conditions.append(extra)
        where = "".join(f" AND {condition}" for condition in conditions)
        return f"SELECT {columns} {self.source}{where} {tail}"

    @property
    def key(self) -> str:
        """The column with the message id by which the query is ordered."""
        if self.words:
            return "w.rowid"
        return "um.message_id" if self.own_rows_only or self.index else "m.id"


def build(organization: Organization, user: User, terms: Sequence[NarrowTerm]) -> Query:
    """The query of a narrow; raises BAD_NARROW if a term cannot be evaluated."""
    _check_one_kind(terms)
    terms = _different(_adopt_conversation(organization, user, terms))
    operators = {term.operator for term in terms if not term.negated}
    whole_history = bool(operators & {"channel", "channels", "id", "near", "dm"})
    query = Query(own_rows_only=not whole_history, user_id=user.id, is_quick=_is_quick(terms))
    _add_visibility(organization, user, query)
    for term in terms:
        handler = _HANDLERS.get(term.operator)
        if handler is None:
            raise bad_narrow(f"unknown operator {term.operator}")
        part = Query(own_rows_only=False)
        handler(organization, user, part, term.operand)
        if not term.negated:
            query.search += part.search
            query.index = query.index or part.index
        elif not part.conditions:
            query.without += part.search
        if part.conditions:
            joined = " AND ".join(f"({condition})" for condition in part.conditions)
            query.add(f"NOT coalesce({joined}, 0)" if term.negated else joined, *part.values)
    return query


def _different(terms: Sequence[NarrowTerm]) -> list[NarrowTerm]:
    """The terms, of equal ones only the first."""
    result: list[NarrowTerm] = []
    for term in terms:
        if term not in result:
            result.append(term)
    return result


def _is_quick(terms: Sequence[NarrowTerm]) -> bool:
    operators = {term.operator for term in terms}
    if any(term.negated for term in terms) or not operators <= _INDEXED:
        return False
    return not terms or bool(operators - {"topic", "near"})


def _check_one_kind(terms: Sequence[NarrowTerm]) -> None:
    """Raises BAD_NARROW if the terms ask for channel messages and direct messages at once: nothing matches both."""
    direct = {_requires_direct(term) for term in terms}
    if {True, False} <= direct:
        raise bad_narrow("No message can be both a channel message and direct message")


def _requires_direct(term: NarrowTerm) -> bool | None:
    """True if a term asks for direct messages, False if for channel messages, None if for either."""
    if term.operator == "is" and term.operand in ("dm", "private"):
        return not term.negated
    if term.negated or term.operator not in ("channel", "channels", "topic", "dm", "dm-including"):
        return None
    return term.operator.startswith("dm")


def _add_visibility(organization: Organization, user: User, query: Query) -> None:
    whole, since = access.readable_channel_ids(organization, user)
    query.add(
        "(m.channel_id IS NULL AND um.message_id IS NOT NULL)"
        " OR m.channel_id IN (SELECT value FROM json_each(?))"
        " OR (m.channel_id IN (SELECT value FROM json_each(?)) AND um.message_id IS NOT NULL)",
        json.dumps(whole),
        json.dumps(since),
    )


def _adopt_conversation(
    organization: Organization, user: User, terms: Sequence[NarrowTerm]
) -> list[NarrowTerm]:
    """Replaces `with` by the conversation that has its message now, if the caller can see the message."""
    result = [term for term in terms if term.operator != "with"]
    if len(terms) - len(result) > 1:
        raise bad_narrow("Duplicate 'with' operators.")
    for term in terms:
        if term.operator != "with":
            continue
        message = access.find_message(organization, _number(term.operand, "with"))
        if message is None or not access.may_name(organization, user, message):
            if not _is_conversation(result):
                raise bad_narrow("Invalid 'with' operator")
            continue
        result = [other for other in result if other.operator not in ("channel", "topic", "dm")]
        if message.channel_id is not None:
            result += [NarrowTerm("channel", message.channel_id), NarrowTerm("topic", message.topic)]
        else:
            members = organization.store.integers(
                "SELECT user_id FROM conversation_members WHERE conversation_id = ?", message.conversation_id
            )
            result.append(NarrowTerm("dm", members))
    return result


def _is_conversation(terms: Sequence[NarrowTerm]) -> bool:
    operators = {term.operator for term in terms}
    return "dm" in operators or {"channel", "topic"} <= operators


def _number(operand: Operand, operator: str) -> int:
    if isinstance(operand, int):
        return operand
    if isinstance(operand, str) and operand.isascii() and operand.isdigit() and len(operand) < 16:
        return int(operand)
    raise bad_narrow(f"Invalid message ID in {operator}")


def _text(operand: Operand, operator: str) -> str:
    if not isinstance(operand, str):
        raise bad_narrow(f"operand of {operator} is not a string")
    return operand


def find_channel(organization: Organization, user: User, operand: Operand) -> Channel:
    """The channel of a term, by id or name; raises BAD_NARROW if there is none."""
    channel: Channel | None = None
    if isinstance(operand, int):
        channel = organization.channels.get(operand)
        if channel is not None and not access.may_know(organization, user, channel):
            channel = None
    elif isinstance(operand, str):
        channel = access.channel_named(organization, user, operand)
    if channel is None:
        raise bad_narrow(f"unknown channel {operand}")
    return channel


def find_user(organization: Organization, viewer: User, operand: Operand) -> User:
    """The user of a term, by id or email address; raises BAD_NARROW if there is none."""
    user = organization.users.get(operand) if isinstance(operand, int) else None
    if isinstance(operand, str):
        user = found_by_address(organization, viewer, operand)
    if user is None:
        raise unknown_user(operand)
    return user


def unknown_user(operand: Operand) -> ServiceError:
    return bad_narrow(f"unknown user {operand}")


def find_people(organization: Organization, viewer: User, operand: Operand) -> set[int]:
    """The user ids of a `dm` term, from ids, or from email addresses separated by commas."""
    if isinstance(operand, list):
        return {find_user(organization, viewer, identity).id for identity in operand}
    if isinstance(operand, int):
        return {find_user(organization, viewer, operand).id}
    seen = visible_ids(organization, viewer)
    people = set[int]()
    for address in filter(None, map(str.strip, operand.split(","))):
        user = user_at(organization, address)
        if user is None or (seen is not None and user.id not in seen):
            raise unknown_user(address)
        people.add(user.id)
    return people


def _channel(organization: Organization, user: User, query: Query, operand: Operand) -> None:
    query.add("m.channel_id = ?", find_channel(organization, user, operand).id)


def _channels(organization: Organization, user: User, query: Query, operand: Operand) -> None:
    kinds: dict[object, Callable[[Channel], bool]] = {
        "public": lambda channel: not channel.invite_only,
        "web-public": lambda channel: channel.is_web_public,
    }
    kind = kinds.get(operand) if isinstance(operand, str) else None
    if kind is None:
        raise bad_narrow(f"unknown channels operand {operand}")
    ids = [channel.id for channel in organization.channels.all() if kind(channel)]
    query.add("m.channel_id IN (SELECT value FROM json_each(?))", json.dumps(ids))


def _topic(organization: Organization, user: User, query: Query, operand: Operand) -> None:
    topic = topics.mapped(organization, _text(operand, "topic"))
    query.add("m.channel_id IS NOT NULL AND m.topic = ?", topic)


def _sender(organization: Organization, user: User, query: Query, operand: Operand) -> None:
    query.add("m.sender_id = ?", find_user(organization, user, operand).id)


def _mentions(organization: Organization, user: User, query: Query, operand: Operand) -> None:
    if organization.level < Gate.TERM_MENTIONS.level:
        raise bad_narrow("unknown operator mentions")
    query.add(
        "EXISTS (SELECT 1 FROM user_messages o WHERE o.user_id = ? AND o.message_id = m.id"
        f" AND o.flags & {int(FlagBit.MENTIONED)} != 0)",
        find_user(organization, user, operand).id,
    )


def _dm(organization: Organization, user: User, query: Query, operand: Operand) -> None:
    people = find_people(organization, user, operand) | {user.id}
    key = ",".join(str(identity) for identity in sorted(people))
    query.add("m.conversation_id = (SELECT id FROM conversations WHERE members = ?)", key)


def _dm_including(organization: Organization, user: User, query: Query, operand: Operand) -> None:
    for user_id in find_people(organization, user, operand):
        query.add(
            "m.conversation_id IN (SELECT conversation_id FROM conversation_members WHERE user_id = ?)",
            user_id,
        )
    query.add("m.conversation_id IS NOT NULL")


def _is(organization: Organization, user: User, query: Query, operand: Operand) -> None:
    if operand in ("dm", "private"):
        query.add("m.conversation_id IS NOT NULL")
    elif isinstance(operand, str) and operand in _FLAGS:
        query.index, condition = _FLAGS[operand]
        query.add(condition)
    elif operand == "resolved":
        beginning = f"substr(m.topic, 1, {len(RESOLVED_TOPIC_PREFIX)})"
        query.add(f"m.channel_id IS NOT NULL AND {beginning} = ?", RESOLVED_TOPIC_PREFIX)
    elif operand == "followed":
        _add_followed(query, user)
    elif operand == "muted":
        query.add(*muted_condition(user))
    else:
        raise bad_narrow(f"unknown 'is' operand {operand}")


def _add_followed(query: Query, user: User) -> None:
    query.add(
        "EXISTS (SELECT 1 FROM user_topics t WHERE t.user_id = ? AND t.channel_id = m.channel_id"
        " AND t.topic = m.topic AND t.policy = ?)",
        user.id,
        int(VisibilityPolicy.FOLLOWED),
    )


def muted_condition(user: User) -> tuple[str, int, int]:
    """(SQL, its values) for: the message's topic is muted, or its channel is and the topic is not unmuted."""
    policy = (
        "(SELECT t.policy FROM user_topics t WHERE t.user_id = ? AND t.channel_id = m.channel_id"
        " AND t.topic = m.topic)"
    )
    muted_channel = (
        "EXISTS (SELECT 1 FROM subscriptions s WHERE s.user_id = ? AND s.channel_id = m.channel_id"
        " AND s.is_muted = 1)"
    )
    condition = (
        f"m.channel_id IS NOT NULL AND CASE coalesce({policy}, 0)"
        f" WHEN {int(VisibilityPolicy.MUTED)} THEN 1"
        f" WHEN {int(VisibilityPolicy.NONE)} THEN {muted_channel} ELSE 0 END"
    )
    return condition, user.id, user.id


def _has(organization: Organization, user: User, query: Query, operand: Operand) -> None:
    conditions = {
        "link": "m.has_link = 1",
        "image": "m.has_image = 1",
        "attachment": "m.has_attachment = 1",
        "reaction": "EXISTS (SELECT 1 FROM reactions r WHERE r.message_id = m.id)",
    }
    if not isinstance(operand, str) or operand not in conditions:
        raise bad_narrow(f"unknown 'has' operand {operand}")
    query.add(conditions[operand])


def _search(organization: Organization, user: User, query: Query, operand: Operand) -> None:
    text = _text(operand, "search")
    query.search.append(text)
    if not parts(text):
        query.add("0")


def _id(organization: Organization, user: User, query: Query, operand: Operand) -> None:
    query.add("m.id = ?", _number(operand, "id"))


def _near(organization: Organization, user: User, query: Query, operand: Operand) -> None:
    _number(operand, "near")


def _in(organization: Organization, user: User, query: Query, operand: Operand) -> None:
    if operand == "home":
        condition, *values = muted_condition(user)
        query.add(f"NOT ({condition})", *values)
    elif operand != "all":
        raise bad_narrow(f"unknown 'in' operand {operand}")


_HANDLERS: Final[dict[str, Handler]] = {
    "channel": _channel,
    "channels": _channels,
    "topic": _topic,
    "mentions": _mentions,
    "sender": _sender,
    "dm": _dm,
    "dm-including": _dm_including,
    "is": _is,
    "has": _has,
    "search": _search,
    "id": _id,
    "near": _near,
    "in": _in,
}
