"""Messages that are older than the state: from the state before it, from the cache, or from an outdated response."""

from __future__ import annotations

from msgspec.structs import replace

from narrowcast_api.model.messages import Message
from narrowcast_api.state.state import State
from narrowcast_api.sync.restored import is_lost, is_older


def carry_over(old: State, new: State) -> None:
    """Copies known messages to the new state, so that nothing disappears until it is fetched again, except those
    that the server has lost.

    Their unread and starred flags are those of the snapshot; the rest may be outdated until then, and so may
    the topics.
    """
    if old.me not in (0, new.me):
        return
    newest = new.max_message_id
    has_lost = is_older(newest, old, new)
    for message in old.messages:
        if is_lost(message, newest, new) or (has_lost and newest < message.id):
            continue
        new.messages.put(as_in(new, message))
        new.max_message_id = max(new.max_message_id, message.id)
        if message.channel_id is not None:
            new.topics.add_message(message.channel_id, message.topic or "", message.id)


def as_in(state: State, message: Message) -> Message:
    """Returns the message with the read and starred flags that it has in the state."""
    flags = set(message.flags)
    unread = state.unreads.is_unread(message.id)
    if unread is not None:
        flags.discard("read") if unread else flags.add("read")
    flags.add("starred") if message.id in state.starred else flags.discard("starred")
    return message if flags == message.flags else replace(message, flags=frozenset(flags))
