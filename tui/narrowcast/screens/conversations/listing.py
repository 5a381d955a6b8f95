"""Data about conversations: last message, participants, unread count. Plain code without a screen."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from narrowcast_api.narrow.destinations import (
    ChannelDestination,
    Destination,
    DirectDestination,
    fold_topic,
)
from narrowcast_api.state.unreads import Place, TopicPlace
from narrowcast_api.wire.vocabulary import VisibilityPolicy

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Message
    from narrowcast_api.state.state import State


class Only(Enum):
    """Which conversations are listed; the values are shown."""

    ALL = "all"
    UNREAD = "unread"
    PARTICIPATED = "participated"
    DIRECT = "direct messages"
    FOLLOWED = "followed"
    MUTED = "muted"


MAX_MESSAGES = 5000
"""Maximum number of messages, newest first, that are searched for senders."""
MAX_CONVERSATIONS = 500


class Conversation(Struct, frozen=True):
    """``newest``: the id of its last message; ``last``: that message, if it is in the state; ``people``: the
    senders in it, most recent first; ``mentions``: how many of the unread mention the user;
    ``account``: the file of its account, if that is not the one on screen.
    """

    where: Destination
    newest: int
    unread: int = 0
    mentions: int = 0
    muted: bool = False
    last: Message | None = None
    people: tuple[int, ...] = ()
    account: Path | None = None
    has_alert_word: bool = False
    """Whether an unread message, as far as the state has it, contains an alert word."""


def fits(state: State, one: Conversation, only: Only) -> bool:
    """Whether a conversation is listed; the user takes part if a message of theirs in it is in the state."""
    match only:
        case Only.ALL:
            return True
        case Only.UNREAD:
            return one.unread > 0
        case Only.PARTICIPATED:
            return state.me in one.people
        case Only.DIRECT:
            return isinstance(one.where, DirectDestination)
        case Only.MUTED:
            return one.muted
        case Only.FOLLOWED:
            where = one.where
            return (
                isinstance(where, ChannelDestination)
                and state.topics.visibility(where.channel_id, where.topic) == VisibilityPolicy.FOLLOWED
            )


def recent(state: State) -> list[Conversation]:
    """All known conversations, newest first."""
    by_key = {conversation.where.key: conversation for conversation in _known(state)}
    ordered = sorted(by_key.values(), key=lambda conversation: -conversation.newest)
    return _with_people(state, ordered[:MAX_CONVERSATIONS])


def unread(state: State) -> list[tuple[int | None, list[Conversation]]]:
    """Conversations with unread messages by channel, direct ones (None) first; muted ones are left out.

    Channels are sorted by name, the conversations of each newest first.
    """
    conversations = [one for one in _with_people(state, list(_unread(state))) if not one.muted]
    conversations.sort(key=lambda conversation: -conversation.newest)
    groups: dict[int | None, list[Conversation]] = {}
    for conversation in conversations:
        where = conversation.where
        groups.setdefault(where.channel_id if isinstance(where, ChannelDestination) else None, []).append(
            conversation
        )
    return sorted(
        groups.items(),
        key=lambda pair: "" if pair[0] is None else (state.channels.name(pair[0]) or "").casefold() or "~",
    )


def _unread(state: State) -> Iterator[Conversation]:
    mentions = state.unreads.mentions_by_place()
    for others, count, newest in state.unreads.directs():
        yield Conversation(DirectDestination(others), newest, count, mentions[others])
    for channel_id, topic, count, newest in state.unreads.topics():
        where = ChannelDestination(channel_id, state.topics.name(channel_id, topic))
        mentioned = mentions[TopicPlace(channel_id, fold_topic(topic))]
        yield Conversation(where, newest, count, mentioned, state.is_muted(channel_id, topic))


def _known(state: State) -> Iterator[Conversation]:
    mentions = state.unreads.mentions_by_place()
    for others in state.directs.recent():
        newest = state.directs.newest(others) or 0
        count = state.unreads.count_direct(others)
        yield Conversation(DirectDestination(others), newest, count, mentions[others])
    for channel in state.channels.subscribed():
        channel_id = channel.channel_id
        for topic in state.topics.of(channel_id):
            where = ChannelDestination(channel_id, topic.name)
            count = state.unreads.count_topic(channel_id, topic.name)
            mentioned = mentions[TopicPlace(channel_id, fold_topic(topic.name))]
            yield Conversation(where, topic.max_id, count, mentioned, state.is_muted(channel_id, topic.name))


def _folded(where: Destination) -> Place:
    """The place of a conversation, as unread messages are sorted by."""
    return (
        where.user_ids
        if isinstance(where, DirectDestination)
        else TopicPlace(where.channel_id, fold_topic(where.topic))
    )


def _with_alert_words(state: State) -> set[Place | None]:
    """The places of the unread messages with alert words, as far as the state has them."""
    return {
        state.unreads.place(message_id)
        for message_id in state.unreads
        if (message := state.messages.get(message_id)) is not None and "has_alert_word" in message.flags
    }


def _with_people(state: State, conversations: list[Conversation]) -> list[Conversation]:
    """The conversations with last message and senders, as far as the state has their messages."""
    keys = {conversation.where.key for conversation in conversations}
    last: dict[tuple[object, ...], Message] = {}
    people: dict[tuple[object, ...], dict[int, None]] = {}
    alerts = _with_alert_words(state)
    newest = sorted(state.messages, key=lambda message: -message.id)[:MAX_MESSAGES]
    for message in newest:
        key = message.destination(state.me).key
        if key in keys:
            last.setdefault(key, message)
            people.setdefault(key, {})[message.sender_id] = None
    return [
        replace(
            one,
            last=last.get(one.where.key),
            people=tuple(people.get(one.where.key, ())),
            has_alert_word=_folded(one.where) in alerts,
        )
        for one in conversations
    ]
