"""Retention: deletes expired messages, and the files that only they linked to.

Each channel has its own number of days, or else the organization's; -1 keeps messages indefinitely.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from narrowcast_server.organization.models import Channel, Message
from narrowcast_server.resources.messages.changes import delete_messages
from narrowcast_server.storage.store import marks
from narrowcast_server.uploads.attachments import remove_attachment

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_DAY: Final = 86_400
_MAY_BECOME_MESSAGES: Final = ("drafts", "scheduled_messages", "saved_snippets")


def days_kept(organization: Organization, channel: Channel) -> int:
    """Days after which messages of a channel expire, by its setting or the organization's; `FOREVER` for never."""
    own = channel.message_retention_days
    return organization.setting("message_retention_days", int) if own is None else own


def delete_expired(organization: Organization) -> int:
    """Deletes a batch of the oldest expired messages; returns how many. Opens its own transaction."""
    limit = organization.config.limits.delete_batch
    usual = organization.setting("message_retention_days", int)
    expired: list[Message] = []
    if usual > 0:
        expired = _older(organization, "conversation_id IS NOT NULL", (), usual, limit)
    by_days: dict[int, list[int]] = {}
    for channel in organization.channels.all():
        days = days_kept(organization, channel)
        if days > 0:
            by_days.setdefault(days, []).append(channel.id)
    for days, ids in by_days.items():
        expired += _older(organization, f"channel_id IN ({marks(ids)})", ids, days, limit - len(expired))
    if expired:
        with organization.transaction():
            uploads = _uploads_of(organization, expired)
            delete_messages(organization, expired)
            _forget_unused(organization, uploads)
    return len(expired)


def _uploads_of(organization: Organization, messages: Sequence[Message]) -> str:
    """Ids of the uploads that the messages link to, as JSON."""
    ids = json.dumps([message.id for message in messages])
    return json.dumps(
        organization.store.integers(
            "SELECT DISTINCT attachment_id FROM message_attachments"
            " WHERE message_id IN (SELECT value FROM json_each(?))",
            ids,
        )
    )


def _forget_unused(organization: Organization, uploads: str) -> None:
    """Deletes those uploads that no message links to any more, and no draft, scheduled message or snippet mentions."""
    rows = organization.store.all(
        "SELECT id, owner_id FROM attachments a WHERE id IN (SELECT value FROM json_each(?))"
        " AND NOT EXISTS (SELECT 1 FROM message_attachments m WHERE m.attachment_id = a.id)"
        + "".join(
            f" AND NOT EXISTS (SELECT 1 FROM {table} t WHERE instr(t.content, a.path_id))"
            for table in _MAY_BECOME_MESSAGES
        ),
        uploads,
    )
    for row in rows:
        remove_attachment(organization, organization.users[row["owner_id"]], row["id"])


def _older(
    organization: Organization, where: str, values: list[int] | tuple[()], days: int, limit: int
) -> list[Message]:
    rows = organization.store.all(
        f"SELECT * FROM messages WHERE timestamp < ? AND {where} ORDER BY timestamp, id LIMIT ?",
        organization.now() - days * _DAY,
        *values,
        max(limit, 0),
    )
    return [Message.of(row) for row in rows]
