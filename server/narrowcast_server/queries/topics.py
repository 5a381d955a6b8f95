"""The topics of channels (rows TOP)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization.models import Channel, User
from narrowcast_server.rules.access import history_is_protected

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def topics_of(core: Core, user: User, channel: Channel) -> list[tuple[str, int]]:
    """(name, newest message id) of the topics of a channel that the user may read, most recent first."""
    if history_is_protected(channel):
        rows = core.store.all(
            "SELECT m.topic, max(m.id) AS newest FROM messages m JOIN user_messages um ON um.message_id = m.id"
            " AND um.user_id = ? WHERE m.channel_id = ? GROUP BY m.topic ORDER BY newest DESC",
            user.id,
            channel.id,
        )
    else:
        # Skips from topic to topic in the index: the cost grows with the topics, not with the messages.
        rows = core.store.all(
            "WITH RECURSIVE names(topic) AS (SELECT min(topic) FROM messages WHERE channel_id = ?1 UNION ALL"
            " SELECT (SELECT min(topic) FROM messages WHERE channel_id = ?1 AND topic > names.topic) FROM names"
            " WHERE names.topic IS NOT NULL)"
            " SELECT m.topic, m.id AS newest FROM names JOIN messages m ON m.id ="
            " (SELECT max(id) FROM messages WHERE channel_id = ?1 AND topic = names.topic) ORDER BY newest DESC",
            channel.id,
        )
    return [(row["topic"], row["newest"]) for row in rows]
