"""What people wrote but did not send (yet): drafts, scheduled messages, reminders, snippets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from narrowcast_server.store import Row

if TYPE_CHECKING:
    from narrowcast_server.core import Core

MAX_DRAFTS = 1000


def draft_object(row: Row) -> dict[str, object]:
    """A draft."""
    return {
        "id": row["id"],
        "type": row["type"],
        "to": json.loads(row["recipients"]),
        "topic": row["topic"],
        "content": row["content"],
        "timestamp": row["timestamp"],
    }


def drafts(core: Core, user_id: int, *, newest_first: bool) -> list[dict[str, object]]:
    """Somebody's drafts, at most a thousand, the newest."""
    rows = core.store.all(
        "SELECT * FROM drafts WHERE user_id = ? ORDER BY timestamp DESC, id DESC LIMIT ?", user_id, MAX_DRAFTS
    )
    objects = [draft_object(row) for row in rows]
    return objects if newest_first else objects[::-1]


def scheduled_object(row: Row) -> dict[str, object]:
    """A scheduled message; `to` is a channel's id or a list of user ids."""
    recipients = json.loads(row["recipients"])
    channel = row["type"] == "stream"
    answer: dict[str, object] = {
        "scheduled_message_id": row["id"],
        "to": recipients[0] if channel and isinstance(recipients, list) else recipients,
        "type": row["type"],
        "content": row["content"],
        "rendered_content": row["rendered"],
        "scheduled_delivery_timestamp": row["delivery"],
        "failed": bool(row["failed"]),
    }
    if channel:
        answer["topic"] = row["topic"]
    return answer


def scheduled_messages(core: Core, user_id: int) -> list[dict[str, object]]:
    """Somebody's scheduled messages, the next to go out first."""
    rows = core.store.all("SELECT * FROM scheduled_messages WHERE user_id = ? ORDER BY delivery, id", user_id)
    return [scheduled_object(row) for row in rows]


def reminder_object(row: Row) -> dict[str, object]:
    """A reminder of a message, to oneself."""
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


def reminders(core: Core, user_id: int) -> list[dict[str, object]]:
    """Somebody's reminders, the next first."""
    rows = core.store.all("SELECT * FROM reminders WHERE user_id = ? ORDER BY delivery, id", user_id)
    return [reminder_object(row) for row in rows]


def snippet_object(row: Row) -> dict[str, object]:
    """A saved snippet."""
    return {
        "id": row["id"],
        "title": row["title"],
        "content": row["content"],
        "date_created": row["date_created"],
    }


def snippets(core: Core, user_id: int) -> list[dict[str, object]]:
    """Somebody's snippets, the oldest first."""
    rows = core.store.all("SELECT * FROM saved_snippets WHERE user_id = ? ORDER BY id", user_id)
    return [snippet_object(row) for row in rows]
