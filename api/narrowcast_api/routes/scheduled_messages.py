"""Messages to be sent later (SCH rows; listing, creating and deleting are outside them, SCH-24)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NewType

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import OMIT, Bound, Done, Group, Omit, ids, read, segment
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.routes.conversations import (
    channel_id,
    checked_content,
    message_type,
    own_user_id,
    people_to,
    recipients,
    wire_topic,
)
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.drafts import CreatedScheduledMessage, ScheduledMessage, ScheduledMessageList
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import EMPTY_TOPIC_PLACEHOLDER, MessageType

ScheduledMessageId = NewType("ScheduledMessageId", int)
"""The id of a scheduled message; the sent message gets a different id (SCH-21)."""

When = int | datetime
"""A delivery time: whole seconds since 1970 UTC, or an aware datetime (SCH-15)."""

Recipients = Destination | int | Sequence[int]
"""Recipients: a destination, or as on the wire a channel's id or the ids of users (SCH-06, SCH-07)."""


async def list_scheduled_messages(connection: Connection) -> list[ScheduledMessage]:
    """GET /scheduled_messages: the pending messages, earliest first, and those that failed (SCH-22)."""
    response = await connection.request("GET", "/scheduled_messages")
    return list(read(ScheduledMessageList, response).scheduled_messages)


async def create_scheduled_message(
    connection: Connection,
    *,
    to: Destination,
    content: str,
    scheduled_delivery_timestamp: When,
    read_by_sender: bool = True,
) -> ScheduledMessageId:
    """POST /scheduled_messages: schedule a message; returns the id of the scheduled message (SCH-24).

    Raises InvalidInput for an empty or over-long message or topic and for a time in the past;
    StreamDoesNotExist and BadRequest for unknown channels and users.
    """
    server = await connection.identified()
    params: dict[str, object] = {
        "type": message_type(server, to),
        "to": channel_id(to) if isinstance(to, ChannelDestination) else await people_to(connection, to),
        "content": checked_content(connection, content),
        "scheduled_delivery_timestamp": _delivery(connection, scheduled_delivery_timestamp),
    }
    if isinstance(to, ChannelDestination):
        params["topic"] = wire_topic(connection, to.topic)
    if server.supports(Gate.READ_BY_SENDER):
        params["read_by_sender"] = read_by_sender
    response = await connection.request("POST", "/scheduled_messages", params)
    return ScheduledMessageId(read(CreatedScheduledMessage, response).scheduled_message_id)


async def edit_scheduled_message(
    connection: Connection,
    *,
    scheduled_message_id: int,
    type: MessageType | str | Omit = OMIT,  # noqa: A002  # the parameter's name in the contract
    to: Recipients | Omit = OMIT,
    content: str | Omit = OMIT,
    topic: str | Omit = OMIT,
    scheduled_delivery_timestamp: When | Omit = OMIT,
    failed: bool = False,
) -> Done:
    """PATCH /scheduled_messages/{scheduled_message_id}: change the given properties (SCH-01 to SCH-26).

    Level 184, else Unsupported. `to` may be a destination, which includes type and topic; otherwise `type`
    needs `to`, and the type of a channel needs `topic` too (SCH-08, SCH-11). `failed` means that an attempt
    to deliver the message failed: then a new time is needed (SCH-16). Raises InvalidInput for values that the
    server would reject, for a time in the past and if there is nothing to change; StreamDoesNotExist (with
    `stream_id`), and BadRequest for unknown users or an unknown id.
    """
    path = f"/scheduled_messages/{segment(scheduled_message_id, 'scheduled_message_id')}"
    server = await connection.identified()
    server.require(Gate.SCHEDULED_EDIT)
    params, notices = _addressed(connection, server, type, to, topic)
    if params.get("to") == []:
        params["to"] = [await own_user_id(connection)]
    if not isinstance(content, Omit):
        params["content"] = checked_content(connection, content)
    if not isinstance(scheduled_delivery_timestamp, Omit):
        params["scheduled_delivery_timestamp"] = _delivery(connection, scheduled_delivery_timestamp)
    elif failed:
        raise InvalidInput("this message could not be sent: it needs a new time")
    if not params:
        raise InvalidInput("nothing to change")
    response = await connection.request("PATCH", path, params)
    return read(Done, response, notices)


async def delete_scheduled_message(connection: Connection, *, scheduled_message_id: int) -> Done:
    """DELETE /scheduled_messages/{scheduled_message_id}. Raises BadRequest (or NotFound) if it is already deleted."""
    path = f"/scheduled_messages/{segment(scheduled_message_id, 'scheduled_message_id')}"
    return read(Done, await connection.request("DELETE", path))


def _delivery(connection: Connection, when: When) -> int:
    if isinstance(when, datetime):
        if when.tzinfo is None:
            raise InvalidInput("the time needs a time zone")
        seconds = int(when.timestamp())
    else:
        seconds = int(segment(when, "scheduled_delivery_timestamp"))
    if seconds <= connection.clock.now():
        raise InvalidInput("the time is in the past")
    return seconds


def _addressed(
    connection: Connection,
    server: ServerInfo,
    kind: MessageType | str | Omit,
    to: Recipients | Omit,
    topic: str | Omit,
) -> tuple[dict[str, object], list[str]]:
    """The parameters type, to and topic, and notices of parameters that were left out."""
    if isinstance(to, ChannelDestination | DirectDestination):
        if not isinstance(kind, Omit) or not isinstance(topic, Omit):
            raise InvalidInput("a destination already includes type and topic")
        kind = message_type(server, to)
        topic = to.topic if isinstance(to, ChannelDestination) else OMIT
        to = channel_id(to) if isinstance(to, ChannelDestination) else recipients(to)
    params: dict[str, object] = {}
    if not isinstance(to, Omit):
        params["to"] = int(segment(to, "to")) if isinstance(to, int) else ids(to, "to")
    if isinstance(kind, Omit):
        return _without_type(connection, params, topic)
    message_kind = _type(kind)
    if "to" not in params:
        raise InvalidInput("a new type needs recipients too")
    if message_kind.is_direct:
        return _direct(params, topic)
    return _channel(connection, server, params, topic)


def _without_type(
    connection: Connection, params: dict[str, object], topic: str | Omit
) -> tuple[dict[str, object], list[str]]:
    if isinstance(topic, Omit):
        return params, []
    if isinstance(params.get("to"), list):
        return params, ["topic was not sent: direct messages have none"]
    return {**params, "topic": wire_topic(connection, topic)}, []


def _direct(params: dict[str, object], topic: str | Omit) -> tuple[dict[str, object], list[str]]:
    if not isinstance(params["to"], list):
        raise InvalidInput("a direct message goes to a list of people")
    # 'direct' is the word from level 174; this operation exists from 184, so 'private' is never sent
    # (SCH-05).
    said = [] if isinstance(topic, Omit) else ["topic was not sent: direct messages have none"]
    return {"type": MessageType.DIRECT, **params}, said


def _channel(
    connection: Connection, server: ServerInfo, params: dict[str, object], topic: str | Omit
) -> tuple[dict[str, object], list[str]]:
    if not isinstance(params["to"], int):
        raise InvalidInput("a channel message goes to one channel")
    if isinstance(topic, Omit) or topic in ("", EMPTY_TOPIC_PLACEHOLDER, connection.limits.empty_topic_name):
        raise InvalidInput("a message moved to a channel needs a topic")
    word = MessageType.CHANNEL if server.supports(Gate.TYPE_CHANNEL) else MessageType.STREAM
    return {"type": word, **params, "topic": wire_topic(connection, topic)}, []


def _type(kind: MessageType | str) -> MessageType:
    try:
        return MessageType(kind)
    except ValueError:
        raise InvalidInput("type must be 'direct', 'channel' or 'stream'") from None


class ScheduledMessages(Group):
    """Messages that the server sends later."""

    list = Bound(list_scheduled_messages)
    create = Bound(create_scheduled_message)
    edit = Bound(edit_scheduled_message)
    delete = Bound(delete_scheduled_message)
