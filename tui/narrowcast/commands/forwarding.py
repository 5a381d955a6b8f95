"""Forwarding messages to another conversation, and moving several messages to another topic."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from narrowcast.commands import editing
from narrowcast.screens.dialogs.asking import ask
from narrowcast.screens.dialogs.form_fields import ChannelName, LineField, UnusableValue, Values
from narrowcast.screens.dialogs.picker import Picker
from narrowcast.screens.main.choices import ChoiceTarget, Everywhere
from narrowcast.text.formats import counted
from narrowcast_api.wire.vocabulary import PropagateMode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.model.messages import Message


def forward(screen: Workspace, messages: Sequence[Message]) -> None:
    """Chooses a conversation, and begins a message there with quotes of these messages and links to them."""

    def chosen(target: ChoiceTarget | None) -> None:
        narrow = target.narrow if target is not None else None
        if narrow is not None and (where := narrow.new_message_destination) is not None:
            screen.go(narrow)
            editing.quote(screen, messages, where)

    everywhere = Everywhere(screen.session, time.time(), only_messages=True)
    for _ in everywhere.complete():
        pass
    views = [
        choice
        for choice in everywhere.choices()
        if choice.value.narrow is not None and choice.value.narrow.new_message_destination is not None
    ]
    title = f"Forward {counted(len(messages), 'message')} to"
    screen.app.push_screen(Picker(title, views, placeholder="channel, topic, person"), chosen)


def move(screen: Workspace, messages: Sequence[Message]) -> None:
    """Asks for the topic, and the channel, to which these messages are moved."""
    if not messages:
        screen.refuse("Direct messages cannot be moved.")
        return
    state, first = screen.session.state, messages[0]
    channel_id = first.channel_id or 0

    async def submit(values: Values) -> None:
        topic, wanted = values.text("topic"), values.channel("channel")
        if wanted is None:
            raise UnusableValue("channel", "Select a channel.")
        store = screen.session.state.messages
        now = [
            store.get(message.id) or message for message in messages
        ]  # an earlier attempt may have moved some
        elsewhere = [message for message in now if (message.channel_id, message.topic) != (wanted, topic)]
        if not elsewhere:
            raise UnusableValue("topic", "Choose a different topic or channel.")
        for message in elsewhere:
            changes: dict[str, object] = {"channel": wanted} if wanted != message.channel_id else {}
            await screen.session.client.messages.edit(
                message_id=message.id,
                topic=topic,
                propagate_mode=PropagateMode.CHANGE_ONE,
                notify_old_thread=False,
                notify_new_thread=False,
                **changes,  # type: ignore[arg-type]  # its optional parameter
            )

    fields = [
        LineField(
            "topic",
            "Topic",
            value=first.topic or "",
            limit=state.limits.max_topic_length,
            suggest=lambda _typed: [topic.name for topic in state.topics.of(channel_id) if topic.name],
            new="new topic",
        ),
        ChannelName("channel", "Channel", value=channel_id),
    ]
    title = f"Move {counted(len(messages), 'message')}"
    ask(screen, title, fields, submit, verb="moves", done="Messages moved.")
