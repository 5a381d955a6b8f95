"""Where messages, typing notices and edits go: destinations as this server wants them, and topics."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress

from msgspec import Struct

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import Connection
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.routes.common import OMIT, Omit, ids, read, segment
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.users import OwnUserAnswer
from narrowcast_api.wire.vocabulary import EMPTY_TOPIC_PLACEHOLDER, MessageType

__all__ = ["Addressee", "ChannelDestination", "Destination", "DirectDestination"]

Addressee = Destination | int | str | Sequence[int] | Sequence[str]
"""To whom: a destination; with a topic a channel by id or name; without one people, a list of ids or of emails."""


class NamedChannel(Struct, frozen=True):
    """A topic of a channel of which only the name is known."""

    name: str
    topic: str

    @property
    def wire_name(self) -> str:
        """The name so that no server takes it for an id or a list."""
        with suppress(ValueError):
            json.loads(self.name)
            return json.dumps(self.name)
        return self.name


class People(Struct, frozen=True):
    """A direct conversation with people of whom only the email addresses are known."""

    emails: tuple[str, ...]


def addressed(to: Addressee, topic: str | Omit) -> Destination | NamedChannel | People:
    """What `to` and `topic` mean together; InvalidInput when they do not fit."""
    if isinstance(to, ChannelDestination | DirectDestination):
        if topic is not OMIT:
            raise InvalidInput(
                "topic goes with a channel's name or id, not with a destination: leave topic out"
            )
        return to
    if isinstance(topic, str):
        if isinstance(to, str) and to.strip():
            return NamedChannel(to, topic)
        if isinstance(to, int):
            return ChannelDestination(to, topic)
        raise InvalidInput("a topic goes with one channel, by its name or its id")
    if isinstance(to, str) and "@" in to:
        return People((to,))
    if isinstance(to, str | int) or not isinstance(to, Iterable):
        raise InvalidInput("a channel needs a topic=; people are a list of their ids or of their emails")
    emails = [member for member in to if isinstance(member, str)]
    user_ids = [member for member in to if not isinstance(member, str)]
    if emails and user_ids:
        raise InvalidInput("people are a list of ids or a list of emails, not both")
    return People(tuple(emails)) if emails else DirectDestination(frozenset(ids(user_ids, "to")))


def message_type(server: ServerInfo, destination: Destination | NamedChannel | People) -> MessageType:
    """The word for it: 'channel' from 248, 'stream' before; 'direct' from 174, 'private' before (CONV-14)."""
    if isinstance(destination, ChannelDestination | NamedChannel):
        return MessageType.CHANNEL if server.supports(Gate.TYPE_CHANNEL) else MessageType.STREAM
    return MessageType.DIRECT if server.supports(Gate.TYPE_DIRECT) else MessageType.PRIVATE


def wire_topic(connection: Connection, topic: str) -> str:
    """The topic as it is sent (CONV-11 to CONV-13).

    From level 334 the empty topic travels as '' and never as a placeholder; below it is refused
    (Unsupported). InvalidInput when the topic is longer than registration allowed, counted in code points.
    """
    if connection.server.supports(Gate.EMPTY_TOPIC):
        if topic in (EMPTY_TOPIC_PLACEHOLDER, connection.limits.empty_topic_name):
            return ""
    elif not topic.strip():
        connection.server.require(Gate.EMPTY_TOPIC)
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


async def own_user_id(connection: Connection) -> int:
    """One's own id: known from registration, else asked for once."""
    if connection.own_user_id is None:
        answer = await connection.preliminary(connection.request("GET", "/users/me"))
        connection.own_user_id = read(OwnUserAnswer, answer).user.user_id
    return connection.own_user_id


async def people_to(connection: Connection, destination: DirectDestination) -> list[int]:
    """The ids of the others, ascending; one's own for a note to oneself: servers refuse an empty list."""
    return recipients(destination) or [await own_user_id(connection)]
