"""Reminders of messages, delivered to the current user (outside the contract, CONV-23)."""

from __future__ import annotations

from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import OMIT, Bound, Done, Group, Omit, given, read, segment
from narrowcast_api.wire.drafts import CreatedReminder, Reminder, ReminderList


async def list_reminders(connection: Connection) -> list[Reminder]:
    """GET /reminders: all pending reminders."""
    return list(read(ReminderList, await connection.request("GET", "/reminders")).reminders)


async def create_reminder(
    connection: Connection,
    *,
    message_id: int,
    scheduled_delivery_timestamp: int,
    note: str | Omit = OMIT,
) -> int:
    """POST /reminders: create a reminder; returns its id.

    The time is in whole seconds since 1970 UTC. Raises BadRequest if it is in the past.
    """
    params = given(
        message_id=int(segment(message_id, "message_id")),
        scheduled_delivery_timestamp=int(
            segment(scheduled_delivery_timestamp, "scheduled_delivery_timestamp")
        ),
        note=note,
    )
    return read(CreatedReminder, await connection.request("POST", "/reminders", params)).reminder_id


async def delete_reminder(connection: Connection, *, reminder_id: int) -> Done:
    """DELETE /reminders/{reminder_id}. Raises BadRequest (or NotFound) if it is already deleted."""
    return read(Done, await connection.request("DELETE", f"/reminders/{segment(reminder_id, 'reminder_id')}"))


class Reminders(Group):
    """The current user's reminders of messages."""

    list = Bound(list_reminders)
    create = Bound(create_reminder)
    delete = Bound(delete_reminder)
