"""A user's drafts in lists and events (rows DRF)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from narrowcast_server.organization.models import User
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def draft_object(row: Row) -> dict[str, object]:
    """A draft in lists and events."""
    return {
        "id": row["id"],
        "type": row["type"],
        "to": json.loads(row["recipients"]),
        "topic": row["topic"],
        "content": row["content"],
        "timestamp": row["timestamp"],
    }


def drafts_of(core: Core, user: User) -> list[dict[str, object]]:
    """A user's drafts, oldest first."""
    rows = core.store.all("SELECT * FROM drafts WHERE user_id = ? ORDER BY timestamp, id", user.id)
    return [draft_object(row) for row in rows]
