"""Reminders of messages: the form to set one, and the list of all."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.asking import Host, ask
from narrowcast.screens.dialogs.confirm import Question
from narrowcast.screens.dialogs.form_fields import DateTimeField, LineField, UnusableValue, Values
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.screens.main.choices import go_to_message
from narrowcast.text.formats import excerpt, has_long_clock, moment
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.empty import Empty
from narrowcast_api import permissions
from narrowcast_api.http.encoding import OMIT
from narrowcast_api.resources.reminders import Reminder
from narrowcast_api.state.changes import ScheduledMessagesChanged
from narrowcast_api.wire.levels import Gate

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Message

BEGINNING = 200
"""Columns of the message shown in the form."""


def remind(host: Host, message: Message) -> None:
    """Asks when to remind the user of a message."""
    state = host.session.state

    async def submit(values: Values) -> int:
        at = values.moment("when")
        if at is None:
            raise UnusableValue("when", "Enter a time.")
        await host.session.client.reminders.create(
            message_id=message.id, scheduled_delivery_timestamp=at, note=values.text("note") or OMIT
        )
        return at

    def tell(at: int) -> None:
        when = moment(at, time.time(), long=has_long_clock(state))
        app_of(host).tell(f"Reminder set for {when}. You will get a direct message from Notification Bot.")

    fields = [
        DateTimeField("when", "When", required=True),
        LineField(
            "note",
            "Note",
            "Optional",
            needs=permissions.level_needed(state, Gate.REMINDER_NOTE),
            limit=state.limits.max_reminder_note_length,
        ),
    ]
    text = excerpt(message.content, time.time(), long=has_long_clock(state))
    note = f"{message.sender_name}: {safe_line(text, BEGINNING)}"
    ask(host, "Remind me about this message", fields, submit, verb="schedules", note=note, then=tell)


class RemindersScreen(ManageScreen[Reminder]):
    TITLE_TEXT = "Reminders"
    KEYS = (("list.select", "goes to the message"), ("manage.delete", "deletes"))
    EMPTY = Empty("No reminders", "The command 'Remind me about this message' schedules one.")
    LINES = 2
    FOLLOWS = (ScheduledMessagesChanged,)

    def rows(self) -> Sequence[ListRow[Reminder]]:
        now = time.time()
        reminders = sorted(self.state.reminders.all(), key=lambda one: (one.deliver_at, one.id))
        return [self._row(reminder, now) for reminder in reminders]

    def _row(self, reminder: Reminder, now: float) -> ListRow[Reminder]:
        long = has_long_clock(self.state)
        text = excerpt(reminder.rendered_content, now, long=long) or reminder.content.strip() or "a message"
        message = self.state.messages.get(reminder.message_id) if reminder.message_id is not None else None
        said = excerpt(message.content, now, long=long) if message is not None else ""
        about = f"{message.sender_name}: {said}" if message is not None else ""
        note = "Failed to send" if reminder.failed else about
        when = moment(reminder.deliver_at, now, long=long)
        return ListRow(reminder.id, reminder, " ".join(text.split()), when, note, "◷", warn=reminder.failed)

    def open(self, item: Reminder) -> None:
        if item.message_id is None:
            self.say("This reminder has no message.")
        else:
            self.work(go_to_message(self, item.message_id))

    def question(self, item: Reminder) -> Question:
        return Question("Delete this reminder?", "Delete reminder")

    async def delete(self, item: Reminder) -> None:
        await self.session.client.reminders.delete(reminder_id=item.id)
