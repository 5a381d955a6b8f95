"""Reminders of messages, which the notification bot sends to the user when they are due."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from narrowcast_server.actions.messages import Origin, send_direct
from narrowcast_server.actions.organization import notification_bot
from narrowcast_server.actions.owned import own_row, remove_own
from narrowcast_server.actions.quoting import place_of, quoted, silent_mention
from narrowcast_server.actions.scheduled_messages import check_time
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Message, User
from narrowcast_server.queries.as_seen import UNKNOWN_NAME
from narrowcast_server.queries.reminders import reminder_object
from narrowcast_server.queries.rendering import rendered
from narrowcast_server.rules.access import visible_message
from narrowcast_server.rules.quotas import check_room
from narrowcast_server.rules.visibility import sees
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

MAX_NOTE: Final = 1000
_BATCH: Final = 100
_log = logging.getLogger("narrowcast.server")


def create_reminder(core: Core, user: User, message_id: int, timestamp: int, note: str) -> int:
    """Stores a reminder of a message that the user may see; returns its id."""
    message = visible_message(core, user, message_id)
    check_time(core, timestamp)
    if len(note) > MAX_NOTE:
        raise ServiceError(f"Maximum reminder note length: {MAX_NOTE} characters")
    content = _text(core, user, message, note.strip())
    check_room(core, user, "reminders")
    identity = core.store.insert(
        "INSERT INTO reminders (user_id, message_id, content, rendered, note, delivery) VALUES (?, ?, ?, ?, ?, ?)",
        user.id,
        message_id,
        content,
        rendered(core, user, content).html,
        note.strip(),
        timestamp,
    )
    added = [reminder_object(own_row(core, "reminders", identity, user))]
    core.emit({"type": "reminders", "op": "add", "reminders": added}, [user.id])
    return identity


def _text(core: Core, user: User, message: Message, note: str) -> str:
    quoted_note = "".join(f"\n> {line}" for line in note.splitlines())
    heading = f"You requested a reminder for {place_of(core, message)}."
    heading += f" Note:{quoted_note}" if note else ""
    sender = core.users[message.sender_id]
    author = silent_mention(sender) if sees(core, user, sender) else UNKNOWN_NAME
    return f"{heading}\n\n{author} said:\n{quoted(message.content)}"


def delete_reminder(core: Core, user: User, reminder_id: int) -> None:
    remove_own(core, "reminders", reminder_id, user)
    core.emit({"type": "reminders", "op": "remove", "reminder_id": reminder_id}, [user.id])


def reminders_due(core: Core) -> list[Callable[[], None]]:
    """Functions that send each due reminder, earliest first: at most `_BATCH` of them."""
    due = core.store.integers(
        "SELECT id FROM reminders WHERE failed = 0 AND delivery <= ? ORDER BY delivery, id LIMIT ?",
        core.now(),
        _BATCH,
    )
    return [partial(_deliver, core, identity) for identity in due]


def _deliver(core: Core, identity: int) -> None:
    """Sends a reminder, if it still exists. One that cannot be sent is marked as failed, so that it blocks no other."""
    row = core.store.one("SELECT * FROM reminders WHERE id = ? AND failed = 0", identity)
    if row is None:
        return
    try:
        with core.transaction():
            _remind(core, row)
    except Exception:
        _log.exception("a reminder could not be sent")
        with core.transaction():
            core.store.execute("UPDATE reminders SET failed = 1 WHERE id = ?", identity)


def _remind(core: Core, row: Row) -> None:
    user = core.users[row["user_id"]]
    if user.is_active:
        limit = core.config.limits.max_message_length
        origin = Origin(client="reminder", read_by_sender=False)
        send_direct(core, notification_bot(core), [user], row["content"][:limit], origin)
    delete_reminder(core, user, row["id"])
