"""Scheduled messages: the form for one, and the list of all."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from narrowcast.keys.registry import Context, bindings_for
from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.asking import Host, ask
from narrowcast.screens.dialogs.confirm import Question, ask_first
from narrowcast.screens.dialogs.form_fields import (
    ChannelName,
    DateTimeField,
    Field,
    LineField,
    People,
    Text,
    UnusableValue,
    Values,
)
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.text import names
from narrowcast.text.formats import has_long_clock, moment
from narrowcast.text.natural_time import in_words
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.empty import Empty
from narrowcast_api import permissions
from narrowcast_api.errors import NO_EFFECT, InvalidInput, NarrowcastError
from narrowcast_api.http.encoding import OMIT
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.resources.scheduled_messages import ScheduledMessage
from narrowcast_api.state.changes import ScheduledMessagesChanged
from narrowcast_api.wire.levels import Gate

if TYPE_CHECKING:
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.session import Session

BEGINNING = 80
"""Columns of the message shown in the form."""


def send_later(host: Host, where: Destination, content: str, taken: Callable[[], None]) -> None:
    """Asks when to send a message; ``taken`` is called once the server has accepted it."""
    state = host.session.state

    async def submit(values: Values) -> int:
        at = values.moment("when")
        if at is None:
            raise UnusableValue("when", "Enter a time.")
        await host.session.client.scheduled_messages.create(
            to=where, content=content, scheduled_delivery_timestamp=at
        )
        taken()
        return at

    def tell(at: int) -> None:
        when = moment(at, time.time(), long=has_long_clock(state))
        app_of(host).tell(f"Message scheduled for {when}. The command 'View scheduled messages' lists it.")

    fields = [DateTimeField("when", "When", required=True)]
    note = f"{names.destination(state, where)}: {safe_line(content, BEGINNING)}"
    ask(host, "Schedule message", fields, submit, verb="schedules", note=note, then=tell)


def why_not(state: State, message: ScheduledMessage) -> str:
    """Why a message could not be sent, as far as the current state tells."""
    where = message.destination
    if isinstance(where, ChannelDestination):
        channel = state.channels.get(where.channel_id)
        if channel is None:
            return "the channel no longer exists, or you do not have access to it"
        if channel.is_archived:
            return "the channel is archived"
        refused = permissions.channel_write_refusal(state, where.channel_id)
        if refused := refused or permissions.topic_refusal(state, where.channel_id, where.topic):
            return refused[:1].lower() + refused[1:].removesuffix(".")
    elif where is not None:
        gone = [one for one in where.user_ids if (user := state.users.get(one)) is None or not user.is_active]
        if gone:
            user = state.users.get(gone[0])
            return f"{state.users.name(gone[0])} has been {names.gone(user)}"
    return "the server was down, or refused it"


class ScheduledScreen(ManageScreen[ScheduledMessage]):
    """Two lines per message: destination and time, then its beginning or why it was not sent."""

    TITLE_TEXT = "Scheduled messages"
    KEYS = (("list.select", "edits"), ("scheduled.send", "sends now"), ("manage.delete", "deletes"))
    EMPTY = Empty(
        "No scheduled messages", "The command 'Schedule message' schedules what is in the compose box."
    )
    LINES = 2
    FOLLOWS = (ScheduledMessagesChanged,)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.SCHEDULED)]

    def rows(self) -> Sequence[ListRow[ScheduledMessage]]:
        messages = sorted(
            self.state.scheduled_messages.all(), key=lambda one: (not one.failed, one.deliver_at, one.id)
        )
        return [self._row(message) for message in messages]

    def _row(self, message: ScheduledMessage) -> ListRow[ScheduledMessage]:
        where = message.destination
        name = names.destination(self.state, where) if where is not None else "no recipients"
        note = message.content
        if message.failed:
            note = f"Failed to send: {why_not(self.state, message)} · {note}"
        when = moment(message.deliver_at, time.time(), long=has_long_clock(self.state))
        return ListRow(
            message.id, message, name, when, note, "!" if message.failed else "◷", warn=message.failed
        )

    def open(self, item: ScheduledMessage) -> None:
        if problem := permissions.level_refusal(self.state, Gate.SCHEDULED_EDIT):
            self.say(problem, bad=True)
            return
        where = item.destination
        fields: list[Field] = [
            DateTimeField(
                "when", "When", value="" if item.failed else in_words(item.deliver_at), required=item.failed
            )
        ]
        if isinstance(where, ChannelDestination):
            fields.append(ChannelName("channel", "Channel", value=where.channel_id, required=True))
            limit = self.state.limits.max_topic_length
            fields.append(LineField("topic", "Topic", value=where.topic, limit=limit))
        else:
            ids = sorted(where.user_ids) if where is not None else []
            fields.append(People("people", "To", value=ids))
        limit = self.state.limits.max_message_length
        fields.append(Text("content", "Text", value=item.content, required=True, limit=limit, rows=6))

        async def submit(values: Values) -> None:
            to = _destination(self.state, values, where)
            changed = where is None or to.key != where.key
            at = values.moment("when")
            if at is None and not changed and not values.changed("content"):
                return
            await self.session.client.scheduled_messages.edit(
                scheduled_message_id=item.id,
                to=to if changed else OMIT,
                content=values.new_text("content"),
                scheduled_delivery_timestamp=OMIT if at is None else at,
                failed=item.failed,
            )

        ask(self, "Scheduled message", fields, submit)

    def question(self, item: ScheduledMessage) -> Question:
        return Question("Delete this scheduled message?", "Delete", "It will not be sent.")

    async def delete(self, item: ScheduledMessage) -> None:
        await self.session.client.scheduled_messages.delete(scheduled_message_id=item.id)

    def action_send_now(self) -> None:
        item = self.selected
        if item is None or item.destination is None:
            return
        where = item.destination
        ask_first(
            self,
            Question(f"Send this message to {names.destination(self.state, where)} now?", "Send now"),
            lambda: self.work(_send_now(self.session, item, where), done="Sending."),
        )


def _destination(state: State, values: Values, before: Destination | None) -> Destination:
    if isinstance(before, ChannelDestination):
        return ChannelDestination(values.channel("channel") or before.channel_id, values.text("topic"))
    return DirectDestination(frozenset(values.ids("people")) - {state.me})


async def _send_now(session: Session, item: ScheduledMessage, where: Destination) -> None:
    """Removes the message from the schedule first, so that it is never sent twice; then puts it into the
    outbox.

    Until then it is saved as a draft too: if no response arrives, or the app ends, it may be removed but not
    sent.
    """
    if session.read_only:
        raise InvalidInput(session.warnings[0])
    draft_id = session.drafts.save(None, where, item.content)
    await session.drafts.flush()
    try:
        await session.client.scheduled_messages.delete(scheduled_message_id=item.id)
    except NO_EFFECT:
        session.drafts.delete(draft_id)
        raise
    except NarrowcastError as error:
        raise NarrowcastError(f"{error.user_message} The text is in Drafts.") from error
    with session.one_write():
        session.outbox.send(where, item.content)
        session.drafts.delete(draft_id)
