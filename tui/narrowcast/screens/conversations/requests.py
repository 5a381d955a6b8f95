"""What is asked of the servers of conversations: marking as read, muting, and taking either back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.wire.vocabulary import VisibilityPolicy

if TYPE_CHECKING:
    from narrowcast_api.narrow.destinations import Destination
    from narrowcast_api.sync.session import Session


def unread_ids(session: Session, where: Destination) -> Sequence[int]:
    """The unread messages of a conversation."""
    unreads = session.state.unreads
    if isinstance(where, ChannelDestination):
        return unreads.topic_ids(where.channel_id, where.topic)
    return unreads.direct_ids(where.user_ids)


async def mark_read(places: Sequence[tuple[Session, Destination]]) -> None:
    """Marks conversations as read, each at the server of its session."""
    for session, where in places:
        flags = session.client.flags
        if isinstance(where, ChannelDestination):
            await flags.mark_topic_as_read(channel_id=where.channel_id, topic=where.topic)
        elif ids := unread_ids(session, where):
            await flags.change(message_ids=ids, op="add", flag="read")


async def mark_unread(unread: Sequence[tuple[Session, Sequence[int]]]) -> None:
    """Marks messages as unread, each at the server of its session."""
    for session, message_ids in unread:
        if message_ids:
            await session.client.flags.change(message_ids=message_ids, op="remove", flag="read")


def policy_of(session: Session, where: ChannelDestination) -> VisibilityPolicy:
    """The user's policy of a topic."""
    return VisibilityPolicy(session.state.topics.visibility(where.channel_id, where.topic))


async def toggle_mute(places: Sequence[tuple[Session, ChannelDestination]]) -> None:
    """Mutes topics, or unmutes those that are muted."""
    for session, where in places:
        policy = session.state.policy_to_toggle_mute(where.channel_id, where.topic)
        await set_policies([(session, where, VisibilityPolicy(policy))])


async def set_policies(policies: Sequence[tuple[Session, ChannelDestination, VisibilityPolicy]]) -> None:
    """Sets the user's policies of topics."""
    for session, where, policy in policies:
        await session.client.topics.set_visibility(
            channel_id=where.channel_id, topic=where.topic, policy=policy
        )
