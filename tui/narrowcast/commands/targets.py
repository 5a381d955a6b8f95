"""What a command acts on: the message, topic or channel that is selected or open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.screen import Screen

from narrowcast.panes.navigation.rows import Kind, NavigationRow
from narrowcast.runtime.context import app_of
from narrowcast.screens.main.choices import ChoiceTarget
from narrowcast_api.narrow.destinations import ChannelDestination, fold_topic
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast.screens.dialogs.manage import ManageScreen
    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.model.channels import Channel
    from narrowcast_api.model.messages import Message


def message_here(screen: Workspace) -> Message | None:
    selected = screen.messages.selected_id
    return screen.session.state.messages.get(selected) if selected is not None else None


def message_or_notify(screen: Workspace) -> Message | None:
    """The selected message; shows a notice if there is none."""
    message = message_here(screen)
    if message is None:
        screen.refuse("No message selected.")
    return message


def _row(screen: Workspace) -> NavigationRow | None:
    """The selected row of the channel list, if that list has the focus."""
    return screen.navigation.list.selected_item if screen.navigation.list.has_focus else None


def person_here(screen: Workspace) -> int | None:
    """The person who is selected in a list at the side, else the sender of the selected message."""
    person = screen.people.list.selected_item if screen.people.list.has_focus else None
    if person is not None:
        return person.user_id
    row = _row(screen)
    others = row.narrow.direct_user_ids if row is not None and row.narrow is not None else None
    if others is not None and len(others) <= 1:
        return next(iter(others), screen.session.state.me)
    message = message_here(screen)
    return message.sender_id if message is not None else None


def topic_here(screen: Workspace) -> ChannelDestination | None:
    """The current topic: that of the channel list if it has the focus, else of the open view, else of the selected
    message.
    """
    row = _row(screen)
    if row is not None:
        if row.kind is Kind.TOPIC and row.channel_id is not None:
            return ChannelDestination(row.channel_id, row.topic or "")
        return None
    narrow = screen.narrow
    if narrow is not None and isinstance(narrow.destination, ChannelDestination):
        return narrow.destination
    message = message_here(screen)
    if message is None or message.channel_id is None:
        return None
    return ChannelDestination(message.channel_id, message.topic or "")


def topic_or_notify(screen: Workspace) -> ChannelDestination | None:
    """The current topic; shows a notice if there is none."""
    topic = topic_here(screen)
    if topic is None:
        screen.refuse("No topic selected.")
    return topic


def channel_here(screen: Workspace) -> Channel | None:
    """The current channel, looked up in the same order as `topic_here`."""
    channels = screen.session.state.channels
    row = _row(screen)
    if row is not None:
        return channels.get(row.channel_id) if row.channel_id is not None else None
    narrow = screen.narrow
    if narrow is not None and narrow.channel_id is not None:
        return channels.get(narrow.channel_id)
    message = message_here(screen)
    return (
        channels.get(message.channel_id) if message is not None and message.channel_id is not None else None
    )


def channel_or_notify(screen: Workspace) -> Channel | None:
    """The current channel; shows a notice if there is none."""
    channel = channel_here(screen)
    if channel is None:
        screen.refuse("No channel selected.")
    return channel


def message_of(screen: Workspace, where: ChannelDestination) -> Message | None:
    """The selected message, if it is in the topic ``where``."""
    message = message_here(screen)
    if message is None or message.channel_id != where.channel_id:
        return None
    return message if fold_topic(message.topic or "") == fold_topic(where.topic) else None


def go_to(screen: Workspace, target: ChoiceTarget) -> None:
    """Goes to the view of ``target``, or runs its command."""
    if target.account is not None:
        switching = app_of(screen).accounts.switch(target.account, target.narrow, target.anchor)
        screen.spawn(switching, "switch accounts")
    elif target.narrow is not None:
        screen.go(target.narrow, target.anchor)
    elif target.command:
        screen.run(target.command)


def open_list(screen: Workspace, things: ManageScreen[Any]) -> None:
    """Opens a list of things. Its result is a view to go to, a message to go to in its view, or another list
    that replaces it.
    """

    def closed(result: object) -> None:
        if isinstance(result, Narrow):
            screen.go(result)
        elif isinstance(result, ChoiceTarget):
            go_to(screen, result)
        elif isinstance(result, Screen):
            screen.app.push_screen(result, closed)

    screen.app.push_screen(things, closed)
