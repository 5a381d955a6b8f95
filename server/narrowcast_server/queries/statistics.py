"""Metrics for operators."""

from __future__ import annotations

import shutil
import sqlite3
from typing import TYPE_CHECKING

from narrowcast_server.organization.models import User

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def statistics(organization: Organization) -> dict[str, int]:
    """Counts of people, channels, messages and the like; bytes if the name says so."""
    people = [user for user in organization.users.all() if not user.is_bot]
    bots = [user for user in organization.users.all() if user.is_bot and not user.is_system_bot]

    def count(table: str) -> int:
        return organization.store.integer(f"SELECT count(*) FROM {table}") or 0

    return {
        "people": sum(user.is_active for user in people),
        "deactivated_people": sum(not user.is_active for user in people),
        "bots": sum(bot.is_active for bot in bots),
        "channels": sum(not channel.is_archived for channel in organization.channels.all()),
        "messages": count("messages"),
        "uploads": count("attachments"),
        "upload_bytes": organization.store.integer("SELECT sum(size) FROM attachments") or 0,
        "database_bytes": sum(
            path.stat().st_size
            for path in (organization.store.path, organization.store.log_path)
            if path.exists()
        ),
        "disk_free_bytes": shutil.disk_usage(organization.folder).free,
        "mails_waiting": organization.store.integer("SELECT count(due) FROM sent_emails") or 0,
        "queues": organization.hub.count,
        "listening_people": len({user.id for user in people if organization.hub.is_listening(user.id)}),
    }


def sessions(organization: Organization, user: User) -> list[dict[str, object]]:
    """The sessions of a user, now or recently connected: one for each event queue."""
    now = organization.clock.monotonic()
    return [
        {
            "session_id": queue.id,
            "client": queue.client,
            "begun": queue.begun,
            "idle_seconds": 0 if queue.is_read_now else int(now - queue.last_seen),
            "waiting_events": len(queue.events),
        }
        for queue in organization.hub.of(user.id)
    ]


def can_read(organization: Organization) -> bool:
    """Whether the database can be read, and is not known to be damaged."""
    try:
        organization.store.integer("SELECT 1 FROM settings LIMIT 1")
    except sqlite3.Error as error:
        organization.store.notice(error)
        return False
    return organization.store.damage is None
