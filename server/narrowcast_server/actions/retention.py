"""Retention: deletes expired messages, and the files that only they linked to.

Each channel has its own number of days, or else the organization's; -1 keeps messages indefinitely.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from narrowcast_server.actions.message_changes import delete_messages
from narrowcast_server.organization.models import Channel, Message
from narrowcast_server.storage.store import marks
from narrowcast_server.uploads.attachments import remove_attachment

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

FOREVER: Final = -1
_DAY: Final = 86_400
_MAY_BECOME_MESSAGES: Final = ("drafts", "scheduled_messages", "saved_snippets")


def days_kept(core: Core, channel: Channel) -> int:
    """Days after which messages of a channel expire, by its setting or the organization's; `FOREVER` for never."""
    own = channel.message_retention_days
    return core.setting("message_retention_days", int) if own is None else own


def delete_expired(core: Core) -> int:
    """Deletes a batch of the oldest expired messages; returns how many. Opens its own transaction."""
    limit = core.config.limits.delete_batch
    usual = core.setting("message_retention_days", int)
    expired: list[Message] = []
    if usual > 0:
        expired = _older(core, "conversation_id IS NOT NULL", (), usual, limit)
    by_days: dict[int, list[int]] = {}
    for channel in core.channels.all():
        days = days_kept(core, channel)
        if days > 0:
            by_days.setdefault(days, []).append(channel.id)
    for days, ids in by_days.items():
        expired += _older(core, f"channel_id IN ({marks(ids)})", ids, days, limit - len(expired))
    if expired:
        with core.transaction():
            uploads = _uploads_of(core, expired)
            delete_messages(core, expired)
            _forget_unused(core, uploads)
    return len(expired)


def _uploads_of(core: Core, messages: Sequence[Message]) -> str:
    """Ids of the uploads that the messages link to, as JSON."""
    ids = json.dumps([message.id for message in messages])
    return json.dumps(
        core.store.integers(
            "SELECT DISTINCT attachment_id FROM message_attachments"
            " WHERE message_id IN (SELECT value FROM json_each(?))",
            ids,
        )
    )


def _forget_unused(core: Core, uploads: str) -> None:
    """Deletes those uploads that no message links to any more, and no draft, scheduled message or snippet mentions."""
    rows = core.store.all(
        "SELECT id, owner_id FROM attachments a WHERE id IN (SELECT value FROM json_each(?))"
        " AND NOT EXISTS (SELECT 1 FROM message_attachments m WHERE m.attachment_id = a.id)"
        + "".join(
            f" AND NOT EXISTS (SELECT 1 FROM {table} t WHERE instr(t.content, a.path_id))"
            for table in _MAY_BECOME_MESSAGES
        ),
        uploads,
    )
    for row in rows:
        remove_attachment(core, core.users[row["owner_id"]], row["id"])


def _older(core: Core, where: str, values: list[int] | tuple[()], days: int, limit: int) -> list[Message]:
    rows = core.store.all(
        f"SELECT * FROM messages WHERE timestamp < ? AND {where} ORDER BY timestamp, id LIMIT ?",
        core.now() - days * _DAY,
        *values,
        max(limit, 0),
    )
    return [Message.of(row) for row in rows]
