"""Visibility policies of topics: muted, unmuted, followed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_api.wire.vocabulary import VisibilityPolicy
from narrowcast_server.rules.access import may_know

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def policy_of(core: Core, user_id: int, channel_id: int, topic: str) -> VisibilityPolicy:
    """A user's visibility policy for a topic."""
    value = core.store.integer(
        "SELECT policy FROM user_topics WHERE user_id = ? AND channel_id = ? AND topic = ?",
        user_id,
        channel_id,
        topic,
    )
    return VisibilityPolicy(value or 0)


def muted_topics(core: Core, user_id: int) -> list[list[object]]:
    """Muted topics in the form for older clients: (channel name, topic, time). Without those in channels that
    the user may no longer know of, whose name may have changed since.
    """
    user = core.users[user_id]
    rows = core.store.all(
        "SELECT * FROM user_topics WHERE user_id = ? AND policy = ? ORDER BY last_updated",
        user_id,
        int(VisibilityPolicy.MUTED),
    )
    return [
        [channel.name, row["topic"], row["last_updated"]]
        for row in rows
        if may_know(core, user, channel := core.channels[row["channel_id"]])
    ]
