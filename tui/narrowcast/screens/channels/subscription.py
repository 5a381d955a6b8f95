"""What one does to a channel in one step: join, leave, archive, restore."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_api import permissions
from narrowcast_api.wire.levels import Gate

if TYPE_CHECKING:
    from narrowcast_api.state.channels import Channel
    from narrowcast_api.sync.session import Session


async def subscribe(session: Session, channel: Channel) -> str:
    """Oneself joins; what to tell."""
    await session.client.subscriptions.add(channels=[channel.name])
    return f"You are in #{channel.name} now."


async def unsubscribe(session: Session, channel: Channel) -> str:
    """Oneself leaves; what to tell."""
    await session.client.subscriptions.remove(channels=[channel.name], archived=channel.is_archived)
    return f"You left #{channel.name}."


def leaving(session: Session, channel: Channel) -> str:
    """The question before one leaves; none where one can come back by oneself."""
    if channel.invite_only:
        return f"Leave #{channel.name}? It is private: only others can let you in again."
    return ""


def refused_leave(session: Session, channel: Channel) -> str:
    """Why one cannot leave; empty if one can."""
    return permissions.below(session.state, Gate.ARCHIVED_SUBSCRIPTIONS) if channel.is_archived else ""


def refused_restore(session: Session) -> str:
    """Why archived channels cannot be restored; empty if they can."""
    return permissions.below(session.state, Gate.UNARCHIVE)
