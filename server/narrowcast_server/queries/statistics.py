"""Metrics for operators."""

from __future__ import annotations

import shutil
import sqlite3
from typing import TYPE_CHECKING

from narrowcast_server.organization.models import User

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def statistics(core: Core) -> dict[str, int]:
    """Counts of people, channels, messages and the like; bytes if the name says so."""
    people = [user for user in core.users.all() if not user.is_bot]
    bots = [user for user in core.users.all() if user.is_bot and not user.is_system_bot]

    def count(table: str) -> int:
        return core.store.integer(f"SELECT count(*) FROM {table}") or 0

    return {
        "people": sum(user.is_active for user in people),
        "deactivated_people": sum(not user.is_active for user in people),
        "bots": sum(bot.is_active for bot in bots),
        "channels": sum(not channel.is_archived for channel in core.channels.all()),
        "messages": count("messages"),
        "uploads": count("attachments"),
        "upload_bytes": core.store.integer("SELECT sum(size) FROM attachments") or 0,
        "database_bytes": sum(
            path.stat().st_size for path in (core.store.path, core.store.log_path) if path.exists()
        ),
        "disk_free_bytes": shutil.disk_usage(core.folder).free,
        "mails_waiting": core.store.integer("SELECT count(due) FROM sent_emails") or 0,
        "queues": core.hub.count,
        "listening_people": len({user.id for user in people if core.hub.is_listening(user.id)}),
    }


def sessions(core: Core, user: User) -> list[dict[str, object]]:
    """The sessions of a user, now or recently connected: one for each event queue."""
    now = core.clock.monotonic()
    return [
        {
            "session_id": queue.id,
            "client": queue.client,
            "begun": queue.begun,
            "idle_seconds": 0 if queue.is_read_now else int(now - queue.last_seen),
            "waiting_events": len(queue.events),
        }
        for queue in core.hub.of(user.id)
    ]


def can_read(core: Core) -> bool:
    """Whether the database can be read, and is not known to be damaged."""
    try:
        core.store.integer("SELECT 1 FROM settings LIMIT 1")
    except sqlite3.Error as error:
        core.store.notice(error)
        return False
    return core.store.damage is None
