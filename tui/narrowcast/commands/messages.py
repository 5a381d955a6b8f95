"""Forwarding messages to another conversation, moving several to another topic, and reporting one."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from narrowcast.commands import editing, targets
from narrowcast.screens.dialogs.asking import ask
from narrowcast.screens.dialogs.form_fields import ChannelName, LineField, OneOf, Text, UnusableValue, Values
from narrowcast.screens.dialogs.picker import Picker
from narrowcast.screens.main.choices import ChoiceTarget, Everywhere
from narrowcast.text.formats import counted
from narrowcast_api.errors import BadRequest
from narrowcast_api.http.encoding import OMIT
from narrowcast_api.wire.vocabulary import PropagateMode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.model.messages import Message

_USUAL_REASONS: tuple[tuple[object, str], ...] = (
    ("spam", "Spam"),
    ("harassment", "Harassment"),
    ("inappropriate", "Inappropriate content"),
    ("norms", "Violates community norms"),
    ("other", "Other reason (explain below)"),
)


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
        # an earlier attempt may have moved some
        now = [store.get(message.id) or message for message in messages]
        elsewhere = [message for message in now if (message.channel_id, message.topic) != (wanted, topic)]
        if not elsewhere:
            raise UnusableValue("topic", "Choose a different topic or channel.")
        for message in elsewhere:
            changes: dict[str, object] = {"channel": wanted} if wanted != message.channel_id else {}
            try:
                await screen.session.client.messages.edit(
                    message_id=message.id,
                    topic=topic,
                    propagate_mode=PropagateMode.CHANGE_ONE,
                    notify_old_thread=False,
                    notify_new_thread=False,
                    **changes,  # type: ignore[arg-type]  # its optional parameter
                )
            except BadRequest:
                if message.id in screen.session.state.messages:  # else somebody has deleted it
                    raise

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


def report(screen: Workspace) -> None:
    """Reports a message to the moderators."""
    message = targets.message_or_notify(screen)
    if message is None:
        return
    if screen.session.state.organization.number("moderation_request_channel_id", -1) < 0:
        screen.refuse("Message reporting is not enabled in this organization.")
        return

    # TODO(server-435): older servers do not list their report types
    reasons = screen.session.state.offers.report_types or _USUAL_REASONS

    async def submit(values: Values) -> None:
        said = values.text("description")
        if values["reason"] == "other" and not said:
            raise UnusableValue("description", "An explanation is required.")
        await screen.session.client.messages.report(
            message_id=message.id, report_type=str(values["reason"]), description=said or OMIT
        )

    fields = [
        OneOf("reason", "Reason", options=reasons, value=reasons[0][0]),
        Text("description", "Details", limit=1000),
    ]
    title = f"Report message from {message.sender_name}"
    ask(screen, title, fields, submit, verb="submits", done="Report submitted.")
