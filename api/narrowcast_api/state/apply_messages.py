"""Events about messages: new, changed, moved, deleted, flagged, reacted to; and typing."""

from __future__ import annotations

from msgspec.structs import replace

from narrowcast_api.model.messages import MENTION_FLAGS, PERSONAL_MENTION, Message, Submessage
from narrowcast_api.model.topics import is_renamed
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.resources.typing import TypingEditMessageEvent, TypingEvent
from narrowcast_api.state.changes import (
    Change,
    MessagesAdded,
    MessagesChanged,
    MessagesMoved,
    MessagesRemoved,
    TopicsChanged,
    TypingChanged,
    UnreadsChanged,
)
from narrowcast_api.state.handlers import Handlers
from narrowcast_api.state.state import State
from narrowcast_api.wire.events import (
    DeleteMessageEvent,
    MessageEvent,
    ReactionEvent,
    SubmessageEvent,
    UnreadDetail,
    UpdateMessageEvent,
    UpdateMessageFlagsEvent,
)
from narrowcast_api.wire.vocabulary import PropagateMode

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


handlers = Handlers()


@handlers.of(MessageEvent)
def _message(state: State, event: MessageEvent) -> tuple[Change, ...]:
    message = replace(event.message, flags=frozenset(event.flags), local_id=event.local_message_id)
    changes: list[Change] = [MessagesAdded((message.id,), live=True)]
    state.messages.put(message)
    state.newest_received = max(state.newest_received, message.id)
    if state.note_message(message) and message.channel_id is not None:
        changes.append(TopicsChanged(message.channel_id))
    _note_first_message(state, message)
    if "starred" in message.flags:
        state.starred.add(message.id)
    if not message.is_read:
        state.count_unread(message)
        changes.append(UnreadsChanged())
    destination = message.destination(state.me)
    if state.typing.stop(destination, message.sender_id):
        changes.append(TypingChanged(destination))
    return tuple(changes)


def _note_first_message(state: State, message: Message) -> None:
    channel = state.channels.get(message.channel_id) if message.channel_id is not None else None
    if channel is not None and channel.first_message_id is None:
        state.channels.put([channel._replace(first_message_id=message.id)])


@handlers.of(UpdateMessageEvent)
def _update_message(state: State, event: UpdateMessageEvent) -> tuple[Change, ...]:
    changes: list[Change] = [MessagesChanged(tuple(event.message_ids))]
    if event.rendered_content is not None and _change_content(state, event):
        changes.append(UnreadsChanged())
    changes.extend(_move(state, event))
    return tuple(changes)


def _change_content(state: State, event: UpdateMessageEvent) -> bool:
    """Sets new content, of `message_id` only; returns whether an unread mention was added or removed."""
    message = state.messages.get(event.message_id)
    if message is not None:
        state.messages.put(edited(message, event))
    if event.rendering_only:
        return False
    return state.unreads.mention(event.message_id, event.flags)


def _move(state: State, event: UpdateMessageEvent) -> list[Change]:
    """Moves all of `message_ids`; channel and topic change only if the event contains new ones."""
    old_channel = event.stream_id
    if event.moved_to is None or old_channel is None:
        return []
    channel_id, topic = event.moved_to
    for message in state.messages.known(event.message_ids):
        state.messages.put(moved(message, event))
    if event.orig_topic is not None:
        state.topics.remove_messages(old_channel, event.orig_topic, event.message_ids)
    state.topics.add_message(channel_id, topic, max(event.message_ids, default=event.message_id))
    changes: list[Change] = [TopicsChanged(place) for place in dict.fromkeys((old_channel, channel_id))]
    if event.orig_topic is not None:
        changes.append(
            MessagesMoved(
                tuple(event.message_ids),
                ChannelDestination(old_channel, event.orig_topic),
                ChannelDestination(channel_id, topic),
                is_whole=event.propagate_mode == PropagateMode.CHANGE_ALL,
                user_id=event.user_id,
            )
        )
    channel = state.channels.get(channel_id)
    if channel_id == old_channel or (channel is not None and channel.is_subscribed):
        has_unread = state.unreads.move(event.message_ids, channel_id, topic)
    else:
        has_unread = state.unreads.remove(event.message_ids)
    return [*changes, UnreadsChanged()] if has_unread else changes


@handlers.of(DeleteMessageEvent)
def _delete_message(state: State, event: DeleteMessageEvent) -> tuple[Change, ...]:
    gone = event.message_ids
    changes: list[Change] = [MessagesRemoved(tuple(gone))]
    state.messages.remove(gone)
    removed = set(gone)  # it may be thousands
    while state.newest_received in removed:
        state.newest_received -= 1
    if event.stream_id is None:
        state.directs.remove_messages(removed)
    state.starred.difference_update(gone)
    if event.stream_id is not None and event.topic is not None:
        state.topics.remove_messages(event.stream_id, event.topic, gone)
        changes.append(TopicsChanged(event.stream_id))
    if state.unreads.remove(gone):
        changes.append(UnreadsChanged())
    return tuple(changes)


@handlers.of(UpdateMessageFlagsEvent)
def _update_flags(state: State, event: UpdateMessageFlagsEvent) -> tuple[Change, ...]:
    added = event.op == "add"
    message_ids = [message.id for message in state.messages] if event.all else event.messages
    for message in state.messages.known(message_ids):
        flags = message.flags | {event.flag} if added else message.flags - {event.flag}
        if flags != message.flags:
            state.messages.put(replace(message, flags=flags))
    changes: list[Change] = [MessagesChanged(tuple(message_ids))]
    if event.flag == "starred":
        if added:
            state.starred.update(event.messages)
        else:
            state.starred.difference_update(event.messages)
    if event.flag == "read" and _change_read(state, event):
        changes.append(UnreadsChanged())
    return tuple(changes)


def _change_read(state: State, event: UpdateMessageFlagsEvent) -> bool:
    if event.op == "add":
        return state.unreads.clear() if event.all else state.unreads.remove(event.messages)
    changed = False
    for message_id in event.messages:
        detail = event.message_details.get(message_id)
        message = state.messages.get(message_id)
        if detail is not None:
            changed |= _restore(state, message_id, detail)
        elif message is not None:
            state.count_unread(message)
            changed = True
    return changed


def _restore(state: State, message_id: int, detail: UnreadDetail) -> bool:
    """Marks a message as unread; the event contains its place, even if it was never loaded."""
    if detail.is_direct:
        state.unreads.add_direct(set(detail.user_ids or ()) - {state.me}, [message_id])
    elif detail.stream_id is not None and detail.topic is not None:
        state.unreads.add_topic(detail.stream_id, detail.topic, [message_id])
        state.topics.add_message(detail.stream_id, detail.topic, message_id)
    else:
        return False
    message = state.messages.get(message_id)
    flags = message.flags if message is not None else {PERSONAL_MENTION} if detail.mentioned else ()
    state.unreads.mention(message_id, flags)
    return True


@handlers.of(ReactionEvent)
def _reaction(state: State, event: ReactionEvent) -> tuple[Change, ...]:
    message, reaction = state.messages.get(event.message_id), event.reaction
    if message is None:
        return ()
    one = (reaction.key, reaction.user_id)
    others = tuple(other for other in message.reactions if (other.key, other.user_id) != one)
    if event.op == "remove":
        state.messages.put(replace(message, reactions=others))
    elif len(others) == len(message.reactions):
        state.messages.put(replace(message, reactions=(*others, reaction)))
    return (MessagesChanged((message.id,)),)


@handlers.of(SubmessageEvent)
def _submessage(state: State, event: SubmessageEvent) -> tuple[Change, ...]:
    message = state.messages.get(event.message_id)
    if message is None or any(part.id == event.submessage_id for part in message.submessages):
        return ()
    part = Submessage(event.submessage_id, event.sender_id, event.msg_type, event.content)
    state.messages.put(replace(message, submessages=(*message.submessages, part)))
    return (MessagesChanged((message.id,)),)


@handlers.of(TypingEvent)
def _typing(state: State, event: TypingEvent) -> tuple[Change, ...]:
    sender = event.sender.user_id
    destination = _typed_in(state, event)
    if sender == state.me or destination is None:
        return ()
    if event.op == "start":
        changed = state.typing.start(destination, sender, state.monotonic())
    else:
        changed = state.typing.stop(destination, sender)
    return (TypingChanged(destination),) if changed else ()


def _typed_in(state: State, event: TypingEvent) -> Destination | None:
    if event.is_direct:
        people = {person.user_id for person in event.recipients} | {event.sender.user_id}
        return DirectDestination(frozenset(people - {state.me}))
    if event.stream_id is None or event.topic is None:
        return None
    return ChannelDestination(event.stream_id, event.topic)


@handlers.of(TypingEditMessageEvent)
def _typing_edit(state: State, event: TypingEditMessageEvent) -> tuple[Change, ...]:
    if event.sender_id == state.me:
        return ()
    if event.op == "start":
        changed = state.typing.start_edit(event.message_id, event.sender_id, state.monotonic())
    else:
        changed = state.typing.stop_edit(event.message_id, event.sender_id)
    return (MessagesChanged((event.message_id,)),) if changed else ()
