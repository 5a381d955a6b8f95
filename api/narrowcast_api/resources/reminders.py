"""Reminders of messages, delivered to the current user (outside the contract, CONV-23)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from narrowcast_api.http.operations import OMIT, Bound, Done, Omit, Operations, given, read, segment
from narrowcast_api.model.reading import RawRecord, boolean, integer, optional_int, required_int, text
from narrowcast_api.resources.collection import Collection, EventHandlers
from narrowcast_api.wire.event import Event
from narrowcast_api.wire.model import GoodList, Id, WireModel, read_by

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection


class Reminder(NamedTuple):
    """A reminder of a message, sent to the current user later."""

    id: int
    message_id: int | None
    content: str
    rendered_content: str
    deliver_at: int
    failed: bool


def read_reminder(row: RawRecord) -> Reminder:
    """Reads a row of `reminders`."""
    return Reminder(
        id=required_int(row, "reminder_id"),
        message_id=optional_int(row, "reminder_target_message_id"),
        content=text(row, "content"),
        rendered_content=text(row, "rendered_content"),
        deliver_at=integer(row, "scheduled_delivery_timestamp"),
        failed=boolean(row, "failed"),
    )


ReminderRow = Annotated[Reminder, read_by(read_reminder)]


def collection() -> Collection[int, Reminder]:
    """The current user's reminders in the state."""
    return Collection("reminders", lambda reminder: reminder.id, read_reminder)


# events

handlers = EventHandlers[Collection[int, Reminder]]()


class RemindersEvent(Event):
    """Base class of reminder events."""

    type: Literal["reminders"] = "reminders"


class RemindersAddEvent(RemindersEvent):
    """Reminders were created."""

    op: Literal["add"] = "add"
    reminders: GoodList[ReminderRow]


class RemindersRemoveEvent(RemindersEvent):
    """A reminder was delivered or deleted."""

    op: Literal["remove"] = "remove"
    reminder_id: Id


@handlers.of(RemindersAddEvent)
def _add(reminders: Collection[int, Reminder], event: RemindersAddEvent) -> None:
    reminders.put(event.reminders)


@handlers.of(RemindersRemoveEvent)
def _remove(reminders: Collection[int, Reminder], event: RemindersRemoveEvent) -> None:
    reminders.remove(event.reminder_id)


# operations


class ReminderList(WireModel):
    """Response of GET /reminders."""

    reminders: GoodList[ReminderRow] = []


class CreatedReminder(WireModel):
    """Response of POST /reminders."""

    reminder_id: Id


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


class ReminderOperations(Operations):
    """The current user's reminders of messages."""

    list = Bound(list_reminders)
    create = Bound(create_reminder)
    delete = Bound(delete_reminder)
