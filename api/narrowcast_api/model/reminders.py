"""The current user's reminders of messages."""

from __future__ import annotations

from typing import NamedTuple

from narrowcast_api.model.reading import RawRecord, boolean, integer, optional_int, required_int, text


class Reminder(NamedTuple):
    """A reminder of a message, sent to the current user later."""

    id: int
    message_id: int | None
    content: str
    rendered_content: str
    deliver_at: int
    failed: bool


def read_reminder(row: RawRecord) -> Reminder:
    return Reminder(
        id=required_int(row, "reminder_id"),
        message_id=optional_int(row, "reminder_target_message_id"),
        content=text(row, "content"),
        rendered_content=text(row, "rendered_content"),
        deliver_at=integer(row, "scheduled_delivery_timestamp"),
        failed=boolean(row, "failed"),
    )
