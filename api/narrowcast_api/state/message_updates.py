"""What an `update_message` event makes of a message, wherever it is stored."""

from __future__ import annotations

from msgspec.structs import replace

from narrowcast_api.model.messages import MENTION_FLAGS, Message
from narrowcast_api.model.topics import is_renamed
from narrowcast_api.wire.events import UpdateMessageEvent

_SERVER_FLAGS = MENTION_FLAGS | {"has_alert_word"}
"""Flags that an edit can change and that users cannot set."""


def updated(message: Message, event: UpdateMessageEvent) -> Message:
    """One of the event's messages after it: only `message_id` has new content."""
    if message.id == event.message_id and event.rendered_content is not None:
        message = edited(message, event)
    return moved(message, event)


def edited(message: Message, event: UpdateMessageEvent) -> Message:
    """The message `message_id` with its new content."""
    flags = (message.flags - _SERVER_FLAGS) | (_SERVER_FLAGS & frozenset(event.flags))
    return replace(
        message,
        content=message.content if event.rendered_content is None else event.rendered_content,
        is_me_message=message.is_me_message if event.is_me_message is None else event.is_me_message,
        edited_at=message.edited_at if event.rendering_only else int(event.edit_timestamp),
        flags=message.flags if event.rendering_only else flags,
    )


def moved(message: Message, event: UpdateMessageEvent) -> Message:
    """One of `message_ids` in its new place, if the event moves them. Resolving a topic does not count as a move."""
    if event.moved_to is None:
        return message
    channel_id, topic = event.moved_to
    before = topic if event.orig_topic is None else event.orig_topic
    is_resolving = channel_id == event.stream_id and not is_renamed(before, topic)
    moved_at = message.moved_at if is_resolving else int(event.edit_timestamp)
    return replace(message, channel_id=channel_id, topic=topic, moved_at=moved_at)
