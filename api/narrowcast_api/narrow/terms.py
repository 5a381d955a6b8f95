"""The terms of a narrow: their form in requests, and whether a message matches them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

from narrowcast_api.errors import Unsupported
from narrowcast_api.model.messages import MENTION_FLAGS, Message
from narrowcast_api.narrow.destinations import fold_topic
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import RESOLVED_TOPIC_PREFIX

__all__ = ["Knowledge", "NameLookup", "ServerFacts", "Term", "term_matches", "term_to_wire"]


class ServerFacts(Protocol):
    """The properties of a server on which the form of a narrow depends."""

    @property
    def level(self) -> int: ...


class NameLookup(Protocol):
    """Resolves users and channels by the names that a user typed, and the names that old servers require."""

    def channel_id(self, name: str) -> int | None: ...

    def channel_name(self, channel_id: int) -> str | None: ...

    def user_id(self, text: str) -> int | None: ...

    def user_email(self, user_id: int) -> str | None: ...


class Knowledge(NameLookup, Protocol):
    """What `Narrow.matches` needs from the state, besides names."""

    @property
    def me(self) -> int: ...

    def visibility_policy(self, channel_id: int, topic: str) -> int: ...

    def is_muted(self, channel_id: int, topic: str) -> bool: ...


class Term(Struct, frozen=True, gc=False):
    """An operator with its operand: a text, an id, or the ids of users (without the current user)."""

    operator: str
    operand: str | int | frozenset[int]
    negated: bool = False

    @property
    def folded(self) -> str | int | frozenset[int]:
        """The operand as it is compared: topics that differ only in case are equal."""
        if self.operator == "topic" and isinstance(self.operand, str):
            return fold_topic(self.operand)
        return self.operand

    @property
    def is_place(self) -> bool:
        """Whether the term only selects conversations, as opposed to single messages in them."""
        return not self.negated and (
            self.operator in {"channel", "topic", "dm"} or (self.operator, self.operand) == ("is", "dm")
        )


def term_to_wire(term: Term, level: int, names: NameLookup, me: int | None) -> list[dict[str, object]]:
    """The term as sent in requests: several terms if a server accepts only one operand each."""
    people = _people(term.operand, names) if term.operator == "dm-including" else None
    if people is not None and len(people) > 1:
        each = [Term(term.operator, user_id, term.negated) for user_id in sorted(people)]
        return [_entry(one, level, names, me) for one in each]
    return [_entry(term, level, names, me)]


def _entry(term: Term, level: int, names: NameLookup, me: int | None) -> dict[str, object]:
    _require(term, level)
    operator: str = term.operator
    operand: object = sorted(term.operand) if isinstance(term.operand, frozenset) else term.operand
    if operator in {"channel", "channels"}:
        if isinstance(operand, int) and level < Gate.IDS_IN_NARROWS.level:
            operand = names.channel_name(operand) or operand
        if level < Gate.TERM_CHANNEL.level:
            operator = {"channel": "stream", "channels": "streams"}[operator]
    elif operator in {"dm", "dm-including", "sender", "mentions"}:
        operand = _people_to_wire(term, level, names, me)
        if level < Gate.TERM_DM.level:
            operator = {"dm": "pm-with", "dm-including": "group-pm-with"}.get(operator, operator)
    elif (operator, operand) == ("is", "dm") and level < Gate.TERM_DM.level:
        operand = "private"
    elif operator == "has" and isinstance(operand, str):
        operand = operand.removesuffix("s")  # users type has:links, servers accept only the singular
    elif operator == "with" and level < Gate.TERM_WITH.level:
        operator = "near"
    if operator == "near" or (operator == "id" and level < Gate.ID_IN_NARROWS.level):
        operand = str(operand)  # sent as text, unlike the `id` and `with` of current servers
    wire: dict[str, object] = {"operator": operator, "operand": operand}
    if term.negated:
        wire["negated"] = True
    return wire


def _require(term: Term, level: int) -> None:
    """Raises Unsupported for a term that a server of this level rejects and that no other can replace."""
    gate = _NEEDS.get(term.operator) or _NEEDS.get(f"{term.operator}:{term.operand}")
    if gate is not None and not gate.is_at(level):
        raise Unsupported(gate.level, level, gate.title)


def _people_to_wire(term: Term, level: int, names: NameLookup, me: int | None) -> object:
    """The ids if known (emails on servers without a level); else the text as typed, for the server to resolve."""
    ids = _people(term.operand, names)
    if ids is None:
        return term.operand
    if term.operator == "dm" and not ids and me is not None:
        ids = frozenset({me})
    if level < Gate.IDS_IN_NARROWS.level:
        return ",".join(names.user_email(user_id) or str(user_id) for user_id in sorted(ids))
    return next(iter(ids)) if term.operator != "dm" and len(ids) == 1 else sorted(ids)


def _people(operand: str | int | frozenset[int], names: NameLookup) -> frozenset[int] | None:
    """The ids of an operand; None if a name is unknown."""
    if isinstance(operand, frozenset):
        return operand
    if isinstance(operand, int):
        return frozenset({operand})
    user_ids = [names.user_id(part.strip()) for part in operand.split(",") if part.strip()]
    known_ids = frozenset(user_id for user_id in user_ids if user_id is not None)
    return known_ids if user_ids and len(known_ids) == len(set(user_ids)) and None not in user_ids else None


def term_matches(term: Term, message: Message, state: Knowledge) -> bool | None:
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
    if people is None:
        return None
    # Negated, it excludes each of the users, like the separate terms that are sent for it.
    return bool(people & message.direct_user_ids) if term.negated else people <= message.direct_user_ids


def _by_sender(term: Term, message: Message, state: Knowledge) -> bool | None:
    if term.operand == "me":
        return message.sender_id == state.me
    people = _people(term.operand, state)
    return None if people is None else message.sender_id in people


def _mentioning(term: Term, message: Message, state: Knowledge) -> bool | None:
    people = {state.me} if term.operand == "me" else _people(term.operand, state)
    if people is None:
        return None
    spans = [
        classes.split() for classes, user_id in _MENTION.findall(message.content) if int(user_id) in people
    ]
    mentions = [classes for classes in spans if "user-mention" in classes]
    if any("silent" not in classes for classes in mentions):
        return True
    return None if mentions else False  # whether silent mentions count is up to the server


def _by_id(term: Term, message: Message, state: Knowledge) -> bool | None:
    return message.id == term.operand if isinstance(term.operand, int) else None


def _anywhere(term: Term, message: Message, state: Knowledge) -> bool | None:
    return True  # `near` only selects a position; so does `with` if the user cannot see its message


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
            return message.topic is not None and message.topic.startswith(RESOLVED_TOPIC_PREFIX)
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
_NEEDS: Mapping[str, Gate] = {
    "mentions": Gate.TERM_MENTIONS,
    "channels:archived": Gate.TERM_CHANNELS_ARCHIVED,
}
_MENTION = re.compile(r'<span class="([^"<>]*)"[^<>]* data-user-id="(\d{1,15})"')
_CHECKS: Mapping[str, _Check] = {
    "channel": _in_channel,
    "topic": _in_topic,
    "dm": _in_direct,
    "dm-including": _including,
    "sender": _by_sender,
    "mentions": _mentioning,
    "id": _by_id,
    "near": _anywhere,
    "with": _anywhere,
    "has": _having,
    "is": _being,
}
