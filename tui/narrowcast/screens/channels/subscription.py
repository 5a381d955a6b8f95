"""What one does to a channel in one step: join, leave, archive, restore."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_api import permissions
from narrowcast_api.wire.levels import Gate

if TYPE_CHECKING:
    from narrowcast_api.model.channels import Channel
    from narrowcast_api.sync.session import Session


async def subscribe(session: Session, channel: Channel) -> str:
    """Oneself joins; what to tell."""
    await session.client.subscriptions.add(channels=[channel.name])
    return f"Subscribed to #{channel.name}."


async def unsubscribe(session: Session, channel: Channel) -> str:
    """Oneself leaves; what to tell."""
    await session.client.subscriptions.remove(channels=[channel.name], archived=channel.is_archived)
    return f"Unsubscribed from #{channel.name}."


def leaving(session: Session, channel: Channel) -> str:
    """The question before one leaves; none where one can come back by oneself."""
    if channel.invite_only:
        return f"Unsubscribe from #{channel.name}? You cannot rejoin a private channel by yourself."
    return ""


def refused_leave(session: Session, channel: Channel) -> str:
    """Why one cannot leave; empty if one can."""
    return permissions.below(session.state, Gate.ARCHIVED_SUBSCRIPTIONS) if channel.is_archived else ""


def refused_restore(session: Session) -> str:
    """Why archived channels cannot be restored; empty if they can."""
    return permissions.below(session.state, Gate.UNARCHIVE)
