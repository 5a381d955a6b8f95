"""Commands on the poll or to-do list of the selected message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.commands import targets
from narrowcast.content.polls import Poll, TodoList, read_widget
from narrowcast.screens.dialogs.asking import ask
from narrowcast.screens.dialogs.form_fields import LineField, Values
from narrowcast.screens.messages.poll_choice import add_choice
from narrowcast_api import permissions

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.model.messages import Message


def _widget(screen: Workspace) -> tuple[Message, Poll | TodoList] | None:
    message = targets.message_or_notify(screen)
    if message is None:
        return None
    widget = read_widget(message.submessages)
    if widget is None:
        screen.refuse("Select a poll or to-do list first.")
        return None
    if screen.refuse(permissions.act_refusal(screen.session.state, message.channel_id)):
        return None
    return message, widget


def add(screen: Workspace) -> None:
    """Adds an option to the poll, or a task to the to-do list."""
    if (selected := _widget(screen)) is not None:
        add_choice(screen, *selected)


def question(screen: Workspace) -> None:
    selected = _widget(screen)
    if selected is None:
        return
    message, widget = selected
    if not isinstance(widget, Poll) or message.sender_id != screen.session.state.me:
        screen.refuse("You can only edit the question of your own polls.")
        return

    async def submit(values: Values) -> None:
        change = screen.session.client.submessages.change_question
        await change(message_id=message.id, question=values.text("question"))

    fields = [LineField("question", "Question", value=str(widget.question), required=True)]
    ask(screen, "Edit question", fields, submit)
