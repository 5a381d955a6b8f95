"""Scheduled messages (rows SCH)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from narrowcast_api.wire.vocabulary import MessageType
from narrowcast_server.organization.models import User
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


@dataclass(frozen=True, slots=True)
class Target:
    """The destination of a scheduled message: a channel and topic, or users."""

    channel_id: int | None
    topic: str
    user_ids: tuple[int, ...] = ()

    @property
    def columns(self) -> tuple[str, str, str]:
        """The stored columns type, recipients and topic."""
        if self.channel_id is not None:
            return MessageType.STREAM.value, json.dumps(self.channel_id), self.topic
        return MessageType.PRIVATE.value, json.dumps(list(self.user_ids)), ""


def stored_target(row: Row) -> Target:
    """The target of a stored scheduled message."""
    recipients = json.loads(row["recipients"])
    if row["type"] == MessageType.STREAM:
        return Target(recipients, row["topic"])
    return Target(None, "", tuple(recipients))


def scheduled_object(row: Row) -> dict[str, object]:
    """A scheduled message in lists and events (SCH-22, SCH-23)."""
    target = stored_target(row)
    result: dict[str, object] = {
        "scheduled_message_id": row["id"],
        "to": list(target.user_ids) if target.channel_id is None else target.channel_id,
        "type": row["type"],
        "content": row["content"],
        "rendered_content": row["rendered"],
    }
    if target.channel_id is not None:
        result["topic"] = target.topic
    return {
        **result,
        "scheduled_delivery_timestamp": row["delivery"],
        "failed": bool(row["failed"]),
    }


def scheduled_of(core: Core, user: User) -> list[dict[str, object]]:
    """A user's scheduled messages, by time."""
    rows = core.store.all("SELECT * FROM scheduled_messages WHERE user_id = ? ORDER BY delivery, id", user.id)
    return [scheduled_object(row) for row in rows]
