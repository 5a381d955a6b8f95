"""A user's reminders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization.models import User
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def reminder_object(row: Row) -> dict[str, object]:
    """A reminder in lists and events."""
    return {
        "reminder_id": row["id"],
        "to": [row["user_id"]],
        "type": "private",
        "content": row["content"],
        "rendered_content": row["rendered"],
        "scheduled_delivery_timestamp": row["delivery"],
        "failed": bool(row["failed"]),
        "reminder_target_message_id": row["message_id"],
    }


def reminders_of(core: Core, user: User) -> list[dict[str, object]]:
    """A user's reminders, by time."""
    rows = core.store.all("SELECT * FROM reminders WHERE user_id = ? ORDER BY delivery, id", user.id)
    return [reminder_object(row) for row in rows]
