"""Messages that end by age: each channel's own number of days, else the organization's; -1 keeps them for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_server.actions.message_changes import delete_messages
from narrowcast_server.organization.models import Message
from narrowcast_server.storage.store import marks

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

_DAY: Final = 86_400


def delete_expired(core: Core) -> int:
    """Deletes a batch of the oldest messages whose time is over; gives how many there were. Has its transaction."""
    limit = core.config.limits.delete_batch
    usual = core.setting_int("message_retention_days")
    found: list[Message] = []
    if usual > 0:
        found = _older(core, "conversation_id IS NOT NULL", (), usual, limit)
    by_days: dict[int, list[int]] = {}
    for channel in core.channels.all():
        days = usual if channel.message_retention_days is None else channel.message_retention_days
        if days > 0:
            by_days.setdefault(days, []).append(channel.id)
    for days, ids in by_days.items():
        found += _older(core, f"channel_id IN ({marks(ids)})", ids, days, limit - len(found))
    if found:
        with core.transaction():
            delete_messages(core, found)
    return len(found)


def _older(core: Core, where: str, values: list[int] | tuple[()], days: int, limit: int) -> list[Message]:
    rows = core.store.all(
        f"SELECT * FROM messages WHERE timestamp < ? AND {where} ORDER BY timestamp, id LIMIT ?",
        core.now() - days * _DAY,
        *values,
        max(limit, 0),
    )
    return [Message.of(row) for row in rows]
