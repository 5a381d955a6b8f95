"""Scheduled messages (rows SCH; listing, creating and deleting are outside the contract, SCH-24)."""

from __future__ import annotations

from typing import Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import EMPTY_TOPIC_PLACEHOLDER, MessageType
from narrowcast_server.actions.messages import Origin
from narrowcast_server.actions.owned import own_row
from narrowcast_server.http.params import (
    boolean,
    choice,
    defaulted,
    integer,
    optional,
    required,
    string,
    text_without_null,
)
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.checks import check_integer, json_value
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.queries.scheduled_messages import Target, scheduled_of, stored_target
from narrowcast_server.resources import scheduled_messages

routes = Routes()

_TYPES: Final = tuple(MessageType)


def _recipient(name: str, text: str) -> int | list[int]:
    value = json_value(name, text)
    return (
        [check_integer(name, item) for item in value]
        if isinstance(value, list)
        else check_integer(name, value)
    )


KIND = required("type", choice(*_TYPES, listed=True))
TO = required("to", _recipient)
CONTENT = required("content", string)
TOPIC = optional("topic", text_without_null, aliases=("subject",))
TIME = required("scheduled_delivery_timestamp", integer)
READ = defaulted("read_by_sender", boolean, True)
NEW_KIND = optional("type", choice(*_TYPES, listed=True))
NEW_TO = optional("to", _recipient)
NEW_CONTENT = optional("content", string)
NEW_TOPIC = optional("topic", text_without_null)
NEW_TIME = optional("scheduled_delivery_timestamp", integer)


def _checked_kind(call: Call, word: str) -> MessageType:
    kind = MessageType(word)
    if kind is MessageType.CHANNEL and call.level < Gate.TYPE_CHANNEL.level:
        raise ServiceError("Invalid type")
    return kind


def _target(call: Call, *, direct: bool, to: int | list[int], topic: str | None) -> Target:
    if direct:
        if isinstance(to, int):
            raise ServiceError("Invalid data type for recipients")
        return scheduled_messages.direct_target(call.core, call.user, to)
    if topic is None:
        raise ServiceError("Missing topic")
    if not isinstance(to, int):
        raise ServiceError("Invalid data type for channel ID")
    return scheduled_messages.channel_target(call.core, call.user, to, topic)


@routes.get("/scheduled_messages")
def list_scheduled(call: Call) -> ResponseBody:
    """The caller's scheduled messages, by time."""
    return {"scheduled_messages": scheduled_of(call.core, call.user)}


@routes.post("/scheduled_messages", KIND, TO, CONTENT, TOPIC, TIME, READ)
def create_scheduled(call: Call) -> ResponseBody:
    kind = _checked_kind(call, call[KIND])
    target = _target(call, direct=kind.is_direct, to=call[TO], topic=call[TOPIC])
    when = scheduled_messages.check_time(call.core, call[TIME])
    origin = Origin(client=call.client, read_by_sender=call[READ])
    identity = scheduled_messages.schedule(call.core, call.user, target, call[CONTENT], when, origin=origin)
    return {"scheduled_message_id": identity}


@routes.patch(
    "/scheduled_messages/{scheduled_message_id}",
    NEW_KIND,
    NEW_TO,
    NEW_CONTENT,
    NEW_TOPIC,
    NEW_TIME,
    since=Gate.SCHEDULED_EDIT.level,
)
def edit_scheduled(call: Call) -> ResponseBody:
    """Changes a scheduled message (SCH-01)."""
    if all(call[param] is None for param in (NEW_KIND, NEW_TO, NEW_CONTENT, NEW_TOPIC, NEW_TIME)):
        raise ServiceError("Nothing to change")
    when = call[NEW_TIME]
    if when is not None:
        when = scheduled_messages.check_time(call.core, when)
    row = own_row(call.core, "scheduled_messages", call.path_id("scheduled_message_id"), call.user)
    target = _new_target(call, stored_target(row))
    scheduled_messages.edit(
        call.core, call.user, row, target=target, content=call[NEW_CONTENT], timestamp=when
    )
    return {}


def _new_target(call: Call, present: Target) -> Target | None:
    """The target after the edit, checked for the caller; None if both target and text stay as they are."""
    word, to, topic = call[NEW_KIND], call[NEW_TO], call[NEW_TOPIC]
    if word is not None:
        kind = _checked_kind(call, word)
        if to is None:
            raise ServiceError("Recipient required when updating type of scheduled message.")
        if not kind.is_direct:
            _require_topic(call, topic)
        return _target(call, direct=kind.is_direct, to=to, topic=topic)
    if present.channel_id is None:
        # The topic of a direct message is ignored (SCH-12).
        if to is None and call[NEW_CONTENT] is None:
            return None
        return _target(call, direct=True, to=list(present.user_ids) if to is None else to, topic=None)
    if to is None and topic is None and call[NEW_CONTENT] is None:
        return None
    return _target(
        call,
        direct=False,
        to=present.channel_id if to is None else to,
        topic=present.topic if topic is None else topic,
    )


def _require_topic(call: Call, topic: str | None) -> None:
    """Rejects names of the empty topic where a topic is required (SCH-11, SCH-14)."""
    if topic is None or topic.strip() in ("", EMPTY_TOPIC_PLACEHOLDER, call.core.empty_topic_name):
        raise ServiceError("Topic required when updating scheduled message type to channel.")


@routes.delete("/scheduled_messages/{scheduled_message_id}")
def delete_scheduled(call: Call) -> ResponseBody:
    """Cancels a scheduled message."""
    scheduled_messages.delete(call.core, call.user, call.path_id("scheduled_message_id"))
    return {}
