"""Messages that are older than the state: from the state before it, from the cache, or from an outdated response.

A server may have been restored to an older state: it has lost its newest messages, and gives their ids to later ones.
What it lacks when a session registers, the id of its newest message shows. What has taken the place of messages
that were known before, only a comparison shows: the sender and the time of a message never change.
"""

from __future__ import annotations

from msgspec.structs import replace

from narrowcast_api.http.connection import Connection
from narrowcast_api.model.messages import Message
from narrowcast_api.routes.messages import list_messages
from narrowcast_api.state.state import State
from narrowcast_api.storage.cache import Cache

COMPARED = 20
"""The newest cached messages, which are compared with the server's after each registration."""


def is_older(newest: int, before: State, now: State) -> bool:
    """Whether the server has become older since ``before``: ``newest`` is the id of its newest message in the
    snapshot ``now``, 0 if it does not send it. The newest message may also have been deleted, or be one of a channel
    without a subscription, which the snapshot does not count.
    """
    return before.me == now.me and newest != 0 and newest < before.max_message_id


def is_lost(message: Message, newest: int, state: State) -> bool:
    """Whether the server lacks a message: the user would have received it, and ``newest`` is the id of the newest
    one in the snapshot, 0 if the server does not send it. Those sent since come as events.
    """
    return state.is_received(message) and newest != 0 and newest < message.id


def may_be_lost(message_id: int, newest: int, before: State, now: State) -> bool:
    """Whether the server lacks a message, or may lack it, so that another may get its id. One that was known before, of
    a channel without a subscription, is there as long as no received message is missing.
    """
    if newest == 0 or message_id <= newest:
        return False
    message = before.messages.get(message_id)
    return message is None or newest < before.newest_received or is_lost(message, newest, now)


def forget_lost(cache: Cache, state: State, newest: int) -> None:
    """Deletes the cached messages that the server has lost, after a snapshot whose newest message is ``newest``."""
    if newest != 0:
        lost = [message.id for message in cache.load_after(newest) if is_lost(message, newest, state)]
        if lost:
            cache.delete_messages(lost)


async def compare(cache: Cache, connection: Connection) -> bool:
    """Compares the newest of the messages that were cached before the connection was lost with those of the server;
    returns whether it has others with their ids, so that all cached ones were forgotten. Raises `NarrowcastError`.
    """
    newest = await cache.run(cache.newest_marked)
    if newest is None:
        return False
    page = await list_messages(connection, anchor=newest, num_before=COMPARED)
    return await cache.run(cache.forget_replaced, page.messages)


def carry_over(old: State, new: State) -> None:
    """Copies known messages to the new state, so that nothing disappears until it is fetched again, except those
    that the server has lost.

    Their unread and starred flags are those of the snapshot; the rest may be outdated until then, and so may
    the topics.
    """
    if old.me not in (0, new.me):
        return
    newest = new.max_message_id
    for message in old.messages:
        if may_be_lost(message.id, newest, old, new):
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
