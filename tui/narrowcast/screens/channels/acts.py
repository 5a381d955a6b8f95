"""What one does to a channel in one step: join, leave, archive, restore."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_api.levels import Beyond, Gate, needs, supports
from narrowcast_api.server_info import ServerInfo

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
    """Why one cannot leave."""
    server = ServerInfo(level=session.state.server.level)
    if channel.is_archived and not supports(server, Gate.ARCHIVED_SUBSCRIPTIONS):
        return f"Leaving archived channels {needs(Gate.ARCHIVED_SUBSCRIPTIONS)}."
    return ""


def refused_restore(session: Session) -> str:
    """Why archived channels cannot be restored."""
    server = ServerInfo(level=session.state.server.level)
    return "" if supports(server, Beyond.UNARCHIVE) else f"Restoring a channel {needs(Beyond.UNARCHIVE)}."
