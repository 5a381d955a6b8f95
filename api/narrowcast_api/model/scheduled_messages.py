"""Messages that the server sends later (SCH rows)."""

from __future__ import annotations

from typing import NamedTuple

from narrowcast_api.model.drafts import others_only, read_destination
from narrowcast_api.model.reading import RawRecord, boolean, integer, required_int, text
from narrowcast_api.narrow.destinations import Destination


class ScheduledMessage(NamedTuple):
    """A message that the server sends later, at `deliver_at` (UTC seconds); `failed`: the delivery failed.

    Direct destinations include the current user: see `without`.
    """

    id: int
    destination: Destination | None
    content: str
    rendered_content: str
    deliver_at: int
    failed: bool

    def without(self, me: int) -> ScheduledMessage:
        """The message with a destination as elsewhere: without the user `me`."""
        return self._replace(destination=others_only(self.destination, me))


def read_scheduled_message(row: RawRecord) -> ScheduledMessage:
    """Reads a row of `scheduled_messages`."""
    return ScheduledMessage(
        id=required_int(row, "scheduled_message_id"),
        destination=read_destination(row),
        content=text(row, "content"),
        rendered_content=text(row, "rendered_content"),
        deliver_at=integer(row, "scheduled_delivery_timestamp"),
        failed=boolean(row, "failed"),
    )
