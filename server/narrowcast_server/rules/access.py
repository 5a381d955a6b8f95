"""Access of users to channels and messages.

Three questions, each stricter than the one before: may the user know of a channel (name, description,
members), read its messages, and read how far back. In a private channel with protected history a user can
read only messages that they received: the rows of `user_messages`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from narrowcast_server.organization.errors import invalid_channel_id, invalid_message
from narrowcast_server.organization.models import Channel, Message, User
from narrowcast_server.rules.permissions import administers_channel, channel_allows

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def is_subscribed(organization: Organization, user_id: int, channel_id: int) -> bool:
    """Whether the user is subscribed to the channel now."""
    return (
        organization.store.one(
            "SELECT 1 FROM subscriptions WHERE user_id = ? AND channel_id = ? AND active = 1",
            user_id,
            channel_id,
        )
        is not None
    )


def subscribed_ids(organization: Organization, user_id: int) -> set[int]:
    """Ids of the channels that a user is subscribed to."""
    return set(
        organization.store.integers(
            "SELECT channel_id FROM subscriptions WHERE user_id = ? AND active = 1", user_id
        )
    )


def subscriber_ids(organization: Organization, channel_id: int) -> list[int]:
    """Ids of the active users who are subscribed to a channel."""
    rows = organization.store.integers(
        "SELECT user_id FROM subscriptions WHERE channel_id = ? AND active = 1 ORDER BY user_id", channel_id
    )
    return [identity for identity in rows if organization.users[identity].is_active]


def may_know(
    organization: Organization, user: User, channel: Channel, subscribed: set[int] | None = None
) -> bool:
    """Whether a user may know of the channel. `subscribed`: the user's channels, which saves a query."""
    if may_read(organization, user, channel, subscribed):
        return True
    return administers_channel(organization, user, channel)


def may_read(
    organization: Organization, user: User, channel: Channel, subscribed: set[int] | None = None
) -> bool:
    """Whether a user may read messages of the channel, all or some."""
    if channel.is_web_public or (not channel.invite_only and not user.is_guest):
        return True
    if (
        channel.id in subscribed
        if subscribed is not None
        else is_subscribed(organization, user.id, channel.id)
    ):
        return True
    if user.is_guest:
        return False
    return channel_allows(organization, user, channel, "can_add_subscribers_group") or channel_allows(
        organization, user, channel, "can_subscribe_group"
    )


def history_is_protected(channel: Channel) -> bool:
    """Whether new subscribers cannot read earlier messages."""
    return channel.invite_only and not channel.history_public


def known_channel(
    organization: Organization, user: User, channel_id: int, *, archived: bool = False
) -> Channel:
    """The channel, if the user may know of it; raises the same BAD_REQUEST for unknown and forbidden ones
    (TOP-13), and for archived ones unless `archived`.
    """
    channel = organization.channels.get(channel_id)
    if channel is None or not may_know(organization, user, channel) or (channel.is_archived and not archived):
        raise invalid_channel_id()
    return channel


def readable_channel(
    organization: Organization, user: User, channel_id: int, *, archived: bool = False
) -> Channel:
    """The channel, if the user may read it; raises BAD_REQUEST as `known_channel`."""
    channel = organization.channels.get(channel_id)
    if channel is None or not _is_readable(organization, user, channel, archived):
        raise invalid_channel_id()
    return channel


def _is_readable(organization: Organization, user: User, channel: Channel, archived: bool) -> bool:
    return (archived or not channel.is_archived) and may_read(organization, user, channel)


def channel_named(organization: Organization, user: User, name: str) -> Channel | None:
    """The channel of this name, ignoring case; None if the user may not know of it."""
    folded = name.strip().casefold()
    for channel in organization.channels.all():
        if channel.name.casefold() == folded:
            return channel if may_know(organization, user, channel) else None
    return None


def readable_channel_named(
    organization: Organization, user: User, name: str, *, archived: bool = False
) -> Channel | None:
    """Like `channel_named`, but None if the user may not read it, or if it is archived unless `archived`."""
    channel = channel_named(organization, user, name)
    return channel if channel is not None and _is_readable(organization, user, channel, archived) else None


def who_may_know(organization: Organization, channel: Channel) -> list[int]:
    """Ids of the active users who may know of the channel."""
    return _who(organization, channel, may_know)


def who_may_read(organization: Organization, channel: Channel) -> list[int]:
    """Ids of the active users who may read messages of the channel, all or some."""
    return _who(organization, channel, may_read)


def _who(
    organization: Organization, channel: Channel, may: Callable[[Organization, User, Channel, set[int]], bool]
) -> list[int]:
    subscribers, own = set(subscriber_ids(organization, channel.id)), {channel.id}
    return [
        user.id
        for user in organization.users.all()
        if user.is_active and may(organization, user, channel, own if user.id in subscribers else set())
    ]


def may_see(organization: Organization, user: User, message: Message) -> bool:
    """Whether a user may read a message."""
    if message.channel_id is None:
        return (
            organization.store.one(
                "SELECT 1 FROM conversation_members WHERE user_id = ? AND conversation_id = ?",
                user.id,
                message.conversation_id,
            )
            is not None
        )
    channel = organization.channels[message.channel_id]
    if not may_read(organization, user, channel):
        return False
    return not history_is_protected(channel) or has_row(organization, user.id, message.id)


def may_name(organization: Organization, user: User, message: Message) -> bool:
    """Whether a user may request a message by its id and act on it: users who may read it, except guests who
    may only because its channel is web-public.
    """
    if not may_see(organization, user, message):
        return False
    return (
        message.channel_id is None
        or not user.is_guest
        or is_subscribed(organization, user.id, message.channel_id)
    )


def has_row(organization: Organization, user_id: int, message_id: int) -> bool:
    """Whether the message is in the user's history: received, or added later."""
    row = organization.store.one(
        "SELECT 1 FROM user_messages WHERE user_id = ? AND message_id = ?", user_id, message_id
    )
    return row is not None


def delivered_ids(organization: Organization, user_id: int, ids: Sequence[int]) -> list[int]:
    """Those of the messages that are in the user's history: received, or added later; ascending."""
    return organization.store.integers(
        "SELECT message_id FROM user_messages WHERE user_id = ?"
        " AND message_id IN (SELECT value FROM json_each(?)) ORDER BY message_id",
        user_id,
        json.dumps(list(ids)),
    )


def newest_in_topic(
    organization: Organization, user: User, channel: Channel, topic: str, count: int
) -> list[Message]:
    """The newest messages of a topic that the user can see, newest first, at most `count`."""
    if not may_read(organization, user, channel):
        return []
    visible, own = "1", list[int]()
    if history_is_protected(channel):
        visible, own = "id IN (SELECT message_id FROM user_messages WHERE user_id = ?)", [user.id]
    rows = organization.store.all(
        f"SELECT * FROM messages WHERE channel_id = ? AND topic = ? AND {visible} ORDER BY id DESC LIMIT ?",
        channel.id,
        topic,
        *own,
        count,
    )
    return [Message.of(row) for row in rows]


def find_message(organization: Organization, message_id: int) -> Message | None:
    """A message by id, regardless of who may see it."""
    row = organization.store.one("SELECT * FROM messages WHERE id = ?", message_id)
    return None if row is None else Message.of(row)


def visible_message(organization: Organization, user: User, message_id: int) -> Message:
    """A message that the user may request by its id; raises BAD_REQUEST for others."""
    message = find_message(organization, message_id)
    if message is None or not may_name(organization, user, message):
        raise invalid_message()
    return message


def changeable_message(organization: Organization, user: User, message_id: int) -> Message:
    """A `visible_message` that may be changed or added to; raises BAD_REQUEST in archived channels."""
    message = visible_message(organization, user, message_id)
    if message.channel_id is not None and organization.channels[message.channel_id].is_archived:
        raise invalid_message()
    return message


def readable_channel_ids(organization: Organization, user: User) -> tuple[list[int], list[int]]:
    """Ids of the channels that the user may read: (in full, with protected history)."""
    subscribed = subscribed_ids(organization, user.id)
    whole: list[int] = []
    since: list[int] = []
    for channel in organization.channels.all():
        if may_read(organization, user, channel, subscribed):
            (since if history_is_protected(channel) else whole).append(channel.id)
    return whole, since
