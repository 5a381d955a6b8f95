"""The messages that are known, as the app reads them.

A `Message` is never changed in place: a change puts a new value under the same id, so identity tells whether
something drawn from one is still true. Cheap to import.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination

MENTION_FLAGS = frozenset(
    {"mentioned", "wildcard_mentioned", "stream_wildcard_mentioned", "topic_wildcard_mentioned"}
)
"""Flags that mean a mention of oneself: by name or group, or of everybody in a channel or topic."""


class Reaction(NamedTuple):
    """One person's emoji on a message. What counts as the same emoji is `key`, never the name."""

    emoji_name: str
    emoji_code: str
    reaction_type: str
    user_id: int

    @property
    def key(self) -> tuple[str, str]:
        """Type and code."""
        return (self.reaction_type, self.emoji_code)


class ReactionGroup(NamedTuple):
    """One emoji on a message with everybody who chose it, in the order they did."""

    emoji_name: str
    emoji_code: str
    reaction_type: str
    user_ids: tuple[int, ...]


class Submessage(NamedTuple):
    """One part of a poll or to-do list: the first makes the widget, each later one is a vote or a change.

    `content` is JSON text as the server sent it.
    """

    id: int
    sender_id: int
    msg_type: str
    content: str


class Message(Struct, frozen=True, array_like=True):
    """One message. Times are UTC seconds, `content` is the server's rendered HTML and not to be trusted.

    A channel message has `channel_id` and `topic` ('' is a topic too), a direct one has `direct_user_ids`,
    which include oneself. `local_id` is set on messages of one's own that this client sent and knows again.
    The cache holds messages as lists of these fields in this order: new ones go to the end.
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

    def destination(self, me: int) -> Destination:
        """The conversation that the message is in, seen by the user `me`."""
        if self.channel_id is not None:
            return ChannelDestination(self.channel_id, self.topic or "")
        return DirectDestination((self.direct_user_ids or frozenset()) - {me})

    @property
    def is_read(self) -> bool:
        """Whether oneself has read it."""
        return "read" in self.flags

    @property
    def is_starred(self) -> bool:
        """Whether oneself has starred it."""
        return "starred" in self.flags


def grouped(reactions: Iterable[Reaction]) -> tuple[ReactionGroup, ...]:
    """Reactions by emoji, most votes first; equal counts stay in the order in which the emoji came."""
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
