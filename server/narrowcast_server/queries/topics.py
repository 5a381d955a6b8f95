"""The topics of channels (rows TOP)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization.models import Channel, User
from narrowcast_server.rules.access import history_is_protected

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def topics_of(core: Core, user: User, channel: Channel) -> list[tuple[str, int]]:
    """Names and newest message ids of the topics of a channel that somebody may read, most recent first."""
    if history_is_protected(channel):
        rows = core.store.all(
            "SELECT m.topic, max(m.id) AS newest FROM messages m JOIN user_messages um ON um.message_id = m.id"
            " AND um.user_id = ? WHERE m.channel_id = ? GROUP BY m.topic ORDER BY newest DESC",
            user.id,
            channel.id,
        )
    else:
        rows = core.store.all(
            "SELECT topic, max(id) AS newest FROM messages WHERE channel_id = ?"
            " GROUP BY topic ORDER BY newest DESC",
            channel.id,
        )
    return [(row["topic"], row["newest"]) for row in rows]
