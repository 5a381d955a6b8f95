"""Targets of messages, typing notices and edits: destinations and topics in the form that the server expects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.operations import OMIT, Omit, ids, read, segment
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.users import OwnUserResponse
from narrowcast_api.wire.vocabulary import EMPTY_TOPIC_PLACEHOLDER, MessageType

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection

__all__ = ["Addressee", "ChannelDestination", "Destination", "DirectDestination"]

Addressee = Destination | int | str | Sequence[int] | Sequence[str]
"""A recipient: a destination; with a topic, a channel's id or name; without one, a list of user ids or of emails."""


class NamedTopic(Struct, frozen=True):
    """A topic in a channel of which only the name is known."""

    name: str
    topic: str

    @property
    def wire_name(self) -> str:
        """The name, quoted if servers would read it as an id or a list."""
        with suppress(ValueError):
            json.loads(self.name)
            return json.dumps(self.name)
        return self.name


class PeopleByEmail(Struct, frozen=True):
    """A direct conversation with users of whom only the email addresses are known."""

    emails: tuple[str, ...]


def addressed(to: Addressee, topic: str | Omit) -> Destination | NamedTopic | PeopleByEmail:
    """Returns the destination that `to` and `topic` describe together. Raises InvalidInput if they do not fit."""
    if isinstance(to, ChannelDestination | DirectDestination):
        if topic is not OMIT:
            raise InvalidInput("leave topic out: a destination already includes it")
        return to
    if isinstance(topic, str):
        if isinstance(to, str) and to.strip():
            return NamedTopic(to, topic)
        if isinstance(to, int):
            return ChannelDestination(to, topic)
        raise InvalidInput("a topic needs one channel, by name or id")
    if isinstance(to, str) and "@" in to:
        return PeopleByEmail((to,))
    if isinstance(to, str | int) or not isinstance(to, Iterable):
        raise InvalidInput("a channel needs a topic=; users are a list of ids or of emails")
    emails = [member for member in to if isinstance(member, str)]
    user_ids = [member for member in to if not isinstance(member, str)]
    if emails and user_ids:
        raise InvalidInput("users are a list of ids or a list of emails, not both")
    return PeopleByEmail(tuple(emails)) if emails else DirectDestination(frozenset(ids(user_ids, "to")))


def message_type(server: ServerInfo, destination: Destination | NamedTopic | PeopleByEmail) -> MessageType:
    """The message type: 'channel' from level 248, 'stream' before; 'direct' from 174, 'private' before (CONV-14)."""
    if isinstance(destination, ChannelDestination | NamedTopic):
        return MessageType.CHANNEL if server.supports(Gate.TYPE_CHANNEL) else MessageType.STREAM
    return MessageType.DIRECT if server.supports(Gate.TYPE_DIRECT) else MessageType.PRIVATE


def wire_topic(connection: Connection, topic: str) -> str:
    """Returns the topic as it is sent (CONV-11 to CONV-13).

    From level 334 the empty topic is sent as '' and never as a placeholder; below, it raises Unsupported.
    Raises InvalidInput if the topic has more code points than registration allowed.
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
    """Returns `content`. Raises InvalidInput if it is blank or has more code points than registration allowed."""
    if not content.strip():
        raise InvalidInput("the message is empty")
    if "\0" in content:
        raise InvalidInput("the message holds a null character")
    limit = connection.limits.max_message_length
    if limit is not None and len(content) > limit:
        raise InvalidInput(f"the message is too long: {len(content)} characters, the server allows {limit}")
    return content


def recipients(destination: DirectDestination) -> list[int]:
    """Returns the ids of the other participants, ascending."""
    return sorted(ids(destination.user_ids, "user_ids"))


def channel_id(destination: ChannelDestination) -> int:
    """Returns the channel's id, checked."""
    return int(segment(destination.channel_id, "channel_id"))


async def own_user_id(connection: Connection) -> int:
    """Returns the current user's id: known from registration, otherwise requested once."""
    if connection.own_user_id is None:
        response = await connection.preflight(connection.request("GET", "/users/me"))
        connection.own_user_id = read(OwnUserResponse, response).user.user_id
    return connection.own_user_id


async def people_to(connection: Connection, destination: DirectDestination) -> list[int]:
    """Returns the ids of the other participants, ascending; for notes to self, where servers reject an empty
    list, the current user's own.
    """
    return recipients(destination) or [await own_user_id(connection)]
