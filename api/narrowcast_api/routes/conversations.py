"""Where messages, typing notices and edits go: destinations as this server wants them, and topics."""

from __future__ import annotations

from narrowcast_api.connection import Connection
from narrowcast_api.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.errors import InvalidInput
from narrowcast_api.levels import Gate, require, supports
from narrowcast_api.routes.common import ids, segment
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.vocabulary import EMPTY_TOPIC_PLACEHOLDER, MessageType

__all__ = ["ChannelDestination", "Destination", "DirectDestination"]


def message_type(server: ServerInfo, destination: Destination) -> MessageType:
    """The word for it: 'channel' from 248, 'stream' before; 'direct' from 174, 'private' before (CONV-14)."""
    if isinstance(destination, ChannelDestination):
        return MessageType.CHANNEL if supports(server, Gate.TYPE_CHANNEL) else MessageType.STREAM
    return MessageType.DIRECT if supports(server, Gate.TYPE_DIRECT) else MessageType.PRIVATE


def wire_topic(connection: Connection, topic: str) -> str:
    """The topic as it is sent (CONV-11 to CONV-13).

    From level 334 the empty topic travels as '' and never as a placeholder; below it is refused
    (Unsupported). InvalidInput when the topic is longer than registration allowed, counted in code points.
    """
    if supports(connection, Gate.EMPTY_TOPIC):
        if topic in (EMPTY_TOPIC_PLACEHOLDER, connection.limits.empty_topic_name):
            return ""
    elif not topic.strip():
        require(connection, Gate.EMPTY_TOPIC)
    limit = connection.limits.max_topic_length
    if limit is not None and len(topic) > limit:
        raise InvalidInput(f"the topic is too long: {len(topic)} characters, the server allows {limit}")
    if "\0" in topic:
        raise InvalidInput("the topic holds a null character")
    return topic


def checked_content(connection: Connection, content: str) -> str:
    """Content that may be sent: not blank, not longer than registration allowed, counted in code points."""
    if not content.strip():
        raise InvalidInput("the message is empty")
    if "\0" in content:
        raise InvalidInput("the message holds a null character")
    limit = connection.limits.max_message_length
    if limit is not None and len(content) > limit:
        raise InvalidInput(f"the message is too long: {len(content)} characters, the server allows {limit}")
    return content


def recipients(destination: DirectDestination) -> list[int]:
    """The ids of the others, ascending."""
    return sorted(ids(destination.user_ids, "user_ids"))


def channel_id(destination: ChannelDestination) -> int:
    """The channel's id, checked."""
    return int(segment(destination.channel_id, "channel_id"))
