"""The form for a new option of a poll, or a new task of a to-do list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.content.polls import Poll, TodoList, read_widget
from narrowcast.screens.dialogs.asking import Host, ask
from narrowcast.screens.dialogs.form_fields import LineField, Values

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Message


def add_choice(host: Host, message: Message, widget: Poll | TodoList) -> None:
    """Asks for the option or task, and adds it to the ``widget`` of ``message``."""
    session = host.session

    def number() -> int:
        """The number for the choice when it is sent: others may have been added while the form was open."""
        latest = session.state.messages.get(message.id) or message
        return (read_widget(latest.submessages) or widget).next_number(session.state.me)

    async def add_option(values: Values) -> None:
        add = session.client.submessages.add_option
        await add(message_id=message.id, number=number(), option=values.text("text"))

    async def add_task(values: Values) -> None:
        add = session.client.submessages.add_task
        task, about = values.text("text"), values.text("about")
        await add(message_id=message.id, number=number(), task=task, description=about)

    if isinstance(widget, Poll):
        fields = [LineField("text", "Option", required=True)]
        ask(host, f"Add option: {widget.question}", fields, add_option, verb="adds")
    else:
        fields = [LineField("text", "Task", required=True), LineField("about", "Description")]
        ask(host, f"Add task: {widget.title}", fields, add_task, verb="adds")
