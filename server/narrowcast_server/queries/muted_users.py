"""Muted users."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization.models import User

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def is_muted(core: Core, user: User, muted_id: int) -> bool:
    """Whether `user` has muted the user with this id."""
    row = core.store.one("SELECT 1 FROM muted_users WHERE user_id = ? AND muted_id = ?", user.id, muted_id)
    return row is not None


def muted_users(core: Core, user: User) -> list[dict[str, object]]:
    """The users whom `user` has muted, by time, in the form of responses and events."""
    rows = core.store.all(
        "SELECT muted_id, timestamp FROM muted_users WHERE user_id = ? ORDER BY timestamp", user.id
    )
    return [{"id": row["muted_id"], "timestamp": row["timestamp"]} for row in rows]
