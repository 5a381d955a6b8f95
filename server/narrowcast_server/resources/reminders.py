"""Reminders of messages, which the notification bot sends to the user when they are due (outside the contract)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from narrowcast_server.actions.new_organization import notification_bot
from narrowcast_server.actions.quoting import place_of, quoted, silent_mention
from narrowcast_server.http.params import defaulted, integer, natural, required, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Message, User
from narrowcast_server.queries.as_seen import UNKNOWN_NAME
from narrowcast_server.queries.rendering import rendered
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.resources.messages.sending import Origin, send_direct
from narrowcast_server.resources.owned import OwnedTable
from narrowcast_server.resources.scheduled_messages import check_time
from narrowcast_server.rules.access import visible_message
from narrowcast_server.rules.quotas import check_room
from narrowcast_server.rules.visibility import sees
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

MAX_NOTE: Final = 1000
_REMINDERS: Final = OwnedTable("reminders", "Reminder does not exist")
_BATCH: Final = 100
_log = logging.getLogger("narrowcast.server")


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


def reminders_of(organization: Organization, user: User) -> list[dict[str, object]]:
    """A user's reminders, by time."""
    rows = organization.store.all("SELECT * FROM reminders WHERE user_id = ? ORDER BY delivery, id", user.id)
    return [reminder_object(row) for row in rows]


def create_reminder(
    organization: Organization, user: User, message_id: int, timestamp: int, note: str
) -> int:
    """Stores a reminder of a message that the user may see; returns its id."""
    message = visible_message(organization, user, message_id)
    check_time(organization, timestamp)
    if len(note) > MAX_NOTE:
        raise ServiceError(f"Maximum reminder note length: {MAX_NOTE} characters")
    content = _text(organization, user, message, note.strip())
    check_room(organization, user, "reminders")
    identity = organization.store.insert(
        "INSERT INTO reminders (user_id, message_id, content, rendered, note, delivery) VALUES (?, ?, ?, ?, ?, ?)",
        user.id,
        message_id,
        content,
        rendered(organization, user, content).html,
        note.strip(),
        timestamp,
    )
    added = [reminder_object(_REMINDERS.row(organization, identity, user))]
    organization.emit({"type": "reminders", "op": "add", "reminders": added}, [user.id])
    return identity


def _text(organization: Organization, user: User, message: Message, note: str) -> str:
    quoted_note = "".join(f"\n> {line}" for line in note.splitlines())
    heading = f"You requested a reminder for {place_of(organization, message)}."
    heading += f" Note:{quoted_note}" if note else ""
    sender = organization.users[message.sender_id]
    author = silent_mention(sender) if sees(organization, user, sender) else UNKNOWN_NAME
    return f"{heading}\n\n{author} said:\n{quoted(message.content)}"


def remove_reminder(organization: Organization, user: User, reminder_id: int) -> None:
    _REMINDERS.remove(organization, reminder_id, user)
    organization.emit({"type": "reminders", "op": "remove", "reminder_id": reminder_id}, [user.id])


def reminders_due(organization: Organization) -> list[Callable[[], None]]:
    """Functions that send each due reminder, earliest first: at most `_BATCH` of them."""
    due = organization.store.integers(
        "SELECT id FROM reminders WHERE failed = 0 AND delivery <= ? ORDER BY delivery, id LIMIT ?",
        organization.now(),
        _BATCH,
    )
    return [partial(_deliver, organization, identity) for identity in due]


def _deliver(organization: Organization, identity: int) -> None:
    """Sends a reminder, if it still exists. One that cannot be sent is marked as failed, so that it blocks no other."""
    row = organization.store.one("SELECT * FROM reminders WHERE id = ? AND failed = 0", identity)
    if row is None:
        return
    try:
        with organization.transaction():
            _remind(organization, row)
    except Exception:
        _log.exception("a reminder could not be sent")
        with organization.transaction():
            organization.store.execute("UPDATE reminders SET failed = 1 WHERE id = ?", identity)


def _remind(organization: Organization, row: Row) -> None:
    user = organization.users[row["user_id"]]
    if user.is_active:
        limit = organization.config.limits.max_message_length
        origin = Origin(client="reminder", read_by_sender=False)
        send_direct(organization, notification_bot(organization), [user], row["content"][:limit], origin)
    remove_reminder(organization, user, row["id"])


@part("reminders")
def reminders(request: Snapshot) -> dict[str, object]:
    """The caller's reminders."""
    return {"reminders": reminders_of(request.organization, request.user)}


routes = Routes()

MESSAGE = required("message_id", natural)
TIME = required("scheduled_delivery_timestamp", integer)
NOTE = defaulted("note", text_without_null, "")


@routes.get("/reminders")
def get_reminders(call: Call) -> ResponseBody:
    """The caller's reminders, by time."""
    return {"reminders": reminders_of(call.organization, call.user)}


@routes.post("/reminders", MESSAGE, TIME, NOTE)
def post_reminder(call: Call) -> ResponseBody:
    """Creates a reminder of a message."""
    identity = create_reminder(call.organization, call.user, call[MESSAGE], call[TIME], call[NOTE])
    return {"reminder_id": identity}


@routes.delete("/reminders/{reminder_id}")
def delete_reminder(call: Call) -> ResponseBody:
    remove_reminder(call.organization, call.user, call.path_id("reminder_id"))
    return {}
