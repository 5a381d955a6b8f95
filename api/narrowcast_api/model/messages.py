"""Messages as the app uses them.

A `Message` is never changed in place: a change stores a new object under the same id, so an object's identity
shows whether something drawn from it is up to date. Quick to import.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec import Struct

from narrowcast_api.model.reading import (
    RawRecord,
    boolean,
    number,
    optional_int,
    records,
    required_int,
    required_text,
    rows,
    table,
    text,
    texts,
)
from narrowcast_api.model.topics import is_renamed
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination

MENTION_FLAGS = frozenset(
    {"mentioned", "wildcard_mentioned", "stream_wildcard_mentioned", "topic_wildcard_mentioned"}
)
"""Flags of a mention of the current user: by name or group, or of everybody in a channel or topic."""

PERSONAL_MENTION = "mentioned"
"""A mention by name or group; the other flags are of wildcards, which do not count in muted conversations."""


class Reaction(NamedTuple):
    """One user's emoji on a message. Emoji are the same if their `key` is, whatever their names."""

    emoji_name: str
    emoji_code: str
    reaction_type: str
    user_id: int

    @property
    def key(self) -> tuple[str, str]:
        """Type and code, which identify the emoji."""
        return (self.reaction_type, self.emoji_code)


class ReactionGroup(NamedTuple):
    """One emoji on a message with all users who chose it, in that order."""

    emoji_name: str
    emoji_code: str
    reaction_type: str
    user_ids: tuple[int, ...]


class Submessage(NamedTuple):
    """One part of a poll or to-do list: the first part creates the widget, each later one is a vote or a change.

    `content` is JSON text as the server sent it.
    """

    id: int
    sender_id: int
    msg_type: str
    content: str


class Message(Struct, frozen=True, array_like=True):
    """One message. Times are UTC seconds, `content` is the server's rendered HTML and untrusted.

    A channel message has `channel_id` and `topic` (which may be ''), a direct one has `direct_user_ids`,
    which include the current user. `local_id` is set on messages that this client sent and recognized. The
    cache stores messages as lists of these fields in this order: add new fields at the end.
    """

    id: int
    sender_id: int
    sender_name: str
    sender_email: str
    timestamp: int
    content: str
    channel_id: int | None = None
    topic: str | None = None
    direct_user_ids: frozenset[int] | None = None
    flags: frozenset[str] = frozenset()
    reactions: tuple[Reaction, ...] = ()
    is_me_message: bool = False
    edited_at: int | None = None
    moved_at: int | None = None
    submessages: tuple[Submessage, ...] = ()
    client: str = ""
    local_id: str | None = None

    def is_other(self, message: Message) -> bool:
        """Whether it is not another version of this message, but a message to which a restored server gave its id."""
        return (self.sender_id, self.timestamp) != (message.sender_id, message.timestamp)

    def destination(self, me: int) -> Destination:
        """The conversation of the message, from the view of the user `me`."""
        if self.channel_id is not None:
            return ChannelDestination(self.channel_id, self.topic or "")
        return DirectDestination((self.direct_user_ids or frozenset()) - {me})

    @property
    def is_read(self) -> bool:
        """Whether the current user has read it."""
        return "read" in self.flags

    @property
    def is_mention(self) -> bool:
        """Whether it mentions the current user, alone or among others."""
        return not MENTION_FLAGS.isdisjoint(self.flags)

    @property
    def is_starred(self) -> bool:
        """Whether the current user has starred it."""
        return "starred" in self.flags


class MessagePerson(NamedTuple):
    """A participant of a direct conversation, as in messages."""

    id: int
    email: str
    full_name: str


class Match(NamedTuple):
    """The matching text of a message in a search: HTML with highlights, untrusted (NAR rows)."""

    content: str
    topic: str


class FetchedMessage(NamedTuple):
    """A message of a response, with the fields that only responses contain.

    `channel_name` is empty for a direct message, `people` (which include the current user) for one in a
    channel; `match` is set in the response to a search.
    """

    message: Message
    channel_name: str = ""
    people: tuple[MessagePerson, ...] = ()
    match: Match | None = None


def read_message(row: RawRecord) -> Message:
    """Reads a message of a page or of an event."""
    is_direct = row.get("type") in ("private", "direct")
    people = frozenset(person.id for person in _read_people(row)) if is_direct else None
    edited_at, moved_at = _history(row)
    return Message(
        id=required_int(row, "id"),
        sender_id=required_int(row, "sender_id"),
        sender_name=text(row, "sender_full_name"),
        sender_email=text(row, "sender_email"),
        timestamp=int(number(row, "timestamp", 0)),
        content=required_text(row, "content"),
        channel_id=None if is_direct else required_int(row, "stream_id"),
        topic=None if is_direct else text(row, "subject", text(row, "topic")),
        direct_user_ids=people,
        flags=frozenset(texts(row.get("flags"))),
        reactions=tuple(records(row.get("reactions"), read_reaction, "reaction")),
        is_me_message=boolean(row, "is_me_message"),
        edited_at=edited_at,
        moved_at=moved_at,
        submessages=tuple(records(row.get("submessages"), read_submessage, "submessage")),
        client=text(row, "client"),
    )


def read_fetched_message(row: RawRecord) -> FetchedMessage:
    """Reads a message of a response."""
    message = read_message(row)
    match = read_match(row) if type(row.get("match_content")) is str else None
    if message.channel_id is not None:
        return FetchedMessage(message, channel_name=text(row, "display_recipient"), match=match)
    return FetchedMessage(message, people=tuple(_read_people(row)), match=match)


def read_reaction(row: RawRecord) -> Reaction:
    """Reads a row of `reactions`, or a `reaction` event; old servers send the user as an object."""
    user = table(row.get("user"))
    user_id = optional_int(row, "user_id")
    if user_id is None:
        user_id = required_int(user, "user_id" if "user_id" in user else "id")
    return Reaction(
        required_text(row, "emoji_name"),
        required_text(row, "emoji_code"),
        text(row, "reaction_type", "unicode_emoji"),
        user_id,
    )


def read_submessage(row: RawRecord) -> Submessage:
    """Reads a row of `submessages`."""
    return Submessage(
        required_int(row, "id"),
        required_int(row, "sender_id"),
        text(row, "msg_type", "widget"),
        required_text(row, "content"),
    )


def read_match(row: RawRecord) -> Match:
    """Reads the match of a message; the wire name of its topic is `match_subject`."""
    return Match(text(row, "match_content"), text(row, "match_subject", text(row, "match_topic")))


def _read_people(row: RawRecord) -> Iterator[MessagePerson]:
    return records(row.get("display_recipient"), _read_person, "recipient")


def _read_person(row: RawRecord) -> MessagePerson:
    return MessagePerson(required_int(row, "id"), text(row, "email"), text(row, "full_name"))


def _history(row: RawRecord) -> tuple[int | None, int | None]:
    """When the content was last edited and the message last moved; the history is used if the row's times do
    not distinguish the two. Resolving a topic is not a move, though old servers count it as one.
    """
    last_edited = int(number(row, "last_edit_timestamp", 0))
    last_moved = int(number(row, "last_moved_timestamp", 0))
    edits: list[int] = []
    renames_and_moves: list[int] = []
    moves: list[int] = []
    topic = text(row, "subject", text(row, "topic"))
    for entry in rows(row.get("edit_history")):  # newest first
        time = int(number(entry, "timestamp", 0))
        after = text(entry, "topic", topic)
        topic = text(entry, "prev_topic", text(entry, "prev_subject", after))
        has_moved = type(entry.get("prev_stream")) is int
        if type(entry.get("prev_content")) is str:
            edits.append(time)
        if has_moved or topic != after:
            renames_and_moves.append(time)
        if has_moved or is_renamed(topic, after):
            moves.append(time)
    edited = max(edits, default=None)
    if edited is None and (last_moved or last_edited not in renames_and_moves):
        edited = last_edited or None  # the entry of the edit is not shown to the user
    return edited, last_moved or max(moves, default=None)


def grouped(reactions: Iterable[Reaction]) -> tuple[ReactionGroup, ...]:
    """Reactions by emoji, most frequent first; emoji with equal counts keep the order in which they were added."""
    groups: dict[tuple[str, str], list[Reaction]] = {}
    for reaction in reactions:
        groups.setdefault(reaction.key, []).append(reaction)
    ordered = sorted(groups.values(), key=len, reverse=True)
    return tuple(
        ReactionGroup(
            group[0].emoji_name,
            group[0].emoji_code,
            group[0].reaction_type,
            tuple(reaction.user_id for reaction in group),
        )
        for group in ordered
    )
