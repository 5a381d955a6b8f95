"""Messages that the server sends later (SCH rows; listing, creating and deleting are outside them, SCH-24)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, NewType

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.conversations import (
    channel_id,
    checked_content,
    message_type,
    own_user_id,
    people_to,
    recipients,
    wire_topic,
)
from narrowcast_api.http.operations import OMIT, Bound, Done, Omit, Operations, ids, read, segment
from narrowcast_api.model.reading import RawRecord, boolean, integer, required_int, text
from narrowcast_api.narrow.destinations import (
    ChannelDestination,
    Destination,
    DirectDestination,
    others_only,
    read_destination,
)
from narrowcast_api.resources.collection import Collection, EventHandlers
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.event import Event
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.model import GoodList, Id, WireModel, read_by
from narrowcast_api.wire.vocabulary import EMPTY_TOPIC_PLACEHOLDER, MessageType

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection


class ScheduledMessage(NamedTuple):
    """A message that the server sends later, at `deliver_at` (UTC seconds); `failed`: the delivery failed.

    Direct destinations include the current user: see `without`.
    """

    id: int
    destination: Destination | None
    content: str
    rendered_content: str
    deliver_at: int
    failed: bool

    def without(self, me: int) -> ScheduledMessage:
        """The message with a destination as elsewhere: without the user `me`."""
        return self._replace(destination=others_only(self.destination, me))


def read_scheduled_message(row: RawRecord) -> ScheduledMessage:
    """Reads a row of `scheduled_messages`."""
    return ScheduledMessage(
        id=required_int(row, "scheduled_message_id"),
        destination=read_destination(row),
        content=text(row, "content"),
        rendered_content=text(row, "rendered_content"),
        deliver_at=integer(row, "scheduled_delivery_timestamp"),
        failed=boolean(row, "failed"),
    )


ScheduledMessageRow = Annotated[ScheduledMessage, read_by(read_scheduled_message)]


class ScheduledMessageCollection(Collection[int, ScheduledMessage]):
    """The user's scheduled messages in the state; destinations are as elsewhere, without the current user."""

    def __init__(self, me: int) -> None:
        super().__init__("scheduled_messages", lambda message: message.id, read_scheduled_message)
        self._me = me

    def put(self, records: Iterable[ScheduledMessage]) -> None:
        super().put(record.without(self._me) for record in records)


# events


handlers = EventHandlers[ScheduledMessageCollection]()


class ScheduledMessagesEvent(Event):
    """Base class of events about scheduled messages."""

    type: Literal["scheduled_messages"] = "scheduled_messages"


class ScheduledMessagesAddEvent(ScheduledMessagesEvent):
    """New scheduled messages."""

    op: Literal["add"] = "add"
    scheduled_messages: GoodList[ScheduledMessageRow]


class ScheduledMessagesUpdateEvent(ScheduledMessagesEvent):
    """A changed scheduled message; a failed delivery is an update with ``failed``."""

    op: Literal["update"] = "update"
    scheduled_message: ScheduledMessageRow


class ScheduledMessagesRemoveEvent(ScheduledMessagesEvent):
    """A scheduled message was sent or deleted."""

    op: Literal["remove"] = "remove"
    scheduled_message_id: Id


@handlers.of(ScheduledMessagesAddEvent)
def _add(messages: ScheduledMessageCollection, event: ScheduledMessagesAddEvent) -> None:
    messages.put(event.scheduled_messages)


@handlers.of(ScheduledMessagesUpdateEvent)
def _update(messages: ScheduledMessageCollection, event: ScheduledMessagesUpdateEvent) -> None:
    messages.put([event.scheduled_message])


@handlers.of(ScheduledMessagesRemoveEvent)
def _remove(messages: ScheduledMessageCollection, event: ScheduledMessagesRemoveEvent) -> None:
    messages.remove(event.scheduled_message_id)


# operations


class ScheduledMessageList(WireModel):
    """Response of GET /scheduled_messages, next delivery first."""

    scheduled_messages: GoodList[ScheduledMessageRow] = []


class CreatedScheduledMessage(WireModel):
    """Response of POST /scheduled_messages."""

    scheduled_message_id: Id


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


class ScheduledMessageOperations(Operations):
    """Messages that the server sends later."""

    list = Bound(list_scheduled_messages)
    create = Bound(create_scheduled_message)
    edit = Bound(edit_scheduled_message)
    delete = Bound(delete_scheduled_message)
