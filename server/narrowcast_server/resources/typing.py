"""Notifying others that a user is typing (rows TYP), also in an edit. The server keeps no state (TYP-26)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from narrowcast_api.wire.levels import Gate
from narrowcast_server.http.params import (
    choice,
    defaulted,
    integer,
    integers,
    missing,
    nullable,
    optional,
    required,
    string,
)
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Channel, User
from narrowcast_server.organization.personal import switched_on
from narrowcast_server.queries.messages import audience_of, member_ids
from narrowcast_server.rules import access, topics
from narrowcast_server.rules.addresses import api_address
from narrowcast_server.rules.recipients import people_by_id
from narrowcast_server.rules.visibility import check_sees_recipients, watchers

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def type_direct(organization: Organization, user: User, recipients: Iterable[User], operation: str) -> None:
    """Emits `start` or `stop` in a direct conversation, to everyone in it."""
    people = {person.id: person for person in recipients} | {user.id: user}
    everybody = [people[identity] for identity in sorted(people)]
    organization.emit(
        {
            "type": "typing",
            "message_type": "direct",
            "op": operation,
            "sender": _as_typist(organization, user),
            "recipients": [_as_typist(organization, person) for person in everybody],
        },
        watchers(
            organization, user, [person.id for person in everybody if person.is_active and _listens(person)]
        ),
    )


def type_in_channel(
    organization: Organization, user: User, channel: Channel, topic: str, operation: str
) -> None:
    """Emits `start` or `stop` in a topic, to the subscribers, except in channels with very many."""
    subscribers = access.subscriber_ids(organization, channel.id)
    if len(subscribers) > organization.config.limits.typing_max_subscribers:
        return
    organization.emit(
        {
            "type": "typing",
            "message_type": "stream",
            "op": operation,
            "sender": _as_typist(organization, user),
            "stream_id": channel.id,
            "topic": topic,
        },
        watchers(
            organization,
            user,
            [identity for identity in subscribers if _listens(organization.users[identity])],
        ),
    )


def _as_typist(organization: Organization, user: User) -> dict[str, object]:
    return {"user_id": user.id, "email": api_address(organization, user)}


def _listens(user: User) -> bool:
    return switched_on(user, "receives_typing_notifications")


routes = Routes()

TYPE = defaulted("type", choice("direct", "stream", "channel", "private"), "direct")
OPERATION = required("op", choice("start", "stop"))
TO = optional("to", nullable(integers))
STREAM_ID = optional("stream_id", nullable(integer), since=Gate.TYPING_CHANNEL_ID.level)
TOPIC = optional("topic", string)


@routes.post("/typing", TYPE, OPERATION, TO, STREAM_ID, TOPIC)
def post_typing(call: Call) -> ResponseBody:
    """Notifies the others of a conversation that the caller is typing, or stopped."""
    kind = call[TYPE]
    _check_type(call, kind)
    if kind in ("stream", "channel"):
        _type_in_channel(call)
    else:
        _type_direct(call)
    return {}


def _check_type(call: Call, kind: str) -> None:
    """Rejects values of `type` that do not exist at this level (TYP-04 to TYP-06, TYP-28)."""
    level = call.level
    refused = (
        (kind == "channel" and level < Gate.TYPE_CHANNEL.level)
        or (kind == "private" and level >= Gate.TYPING_CHANNEL_ID.level)
        or (kind == "direct" and level < Gate.TYPE_DIRECT.level and call.given(TYPE))
        or (kind == "stream" and level < Gate.CHANNEL_TYPING.level)
    )
    if refused:
        raise ServiceError("Invalid type")


def _type_direct(call: Call) -> None:
    organization, user = call.organization, call.user
    ids = call[TO]
    if ids is None:
        raise missing("to")
    if not ids:
        raise ServiceError("Empty 'to' list")
    people = {person.id: person for person in people_by_id(organization, ids)} | {user.id: user}
    check_sees_recipients(organization, user, people.values())
    if not switched_on(user, "send_private_typing_notifications"):
        raise ServiceError("User has disabled typing notifications for direct messages")
    type_direct(organization, user, people.values(), call[OPERATION])


def _type_in_channel(call: Call) -> None:
    organization, user = call.organization, call.user
    channel = access.readable_channel(organization, user, _channel_id(call))
    topic = call[TOPIC]
    if topic is None:
        raise ServiceError("Missing topic")
    if not switched_on(user, "send_stream_typing_notifications"):
        raise ServiceError("User has disabled typing notifications for channel messages")
    topic = topics.mapped(organization, topic, placeholder=call.level >= Gate.PLACEHOLDER_TOPIC.level)
    # Zulip servers accept longer topics as well; no message can have them, so nobody needs to know.
    if len(topic) <= organization.config.limits.max_topic_length:
        type_in_channel(organization, user, channel, topic, call[OPERATION])


def _channel_id(call: Call) -> int:
    """The channel: `stream_id`, or below its level the only id in `to` (TYP-31)."""
    if call.level >= Gate.TYPING_CHANNEL_ID.level:
        stream_id = call[STREAM_ID]
        if stream_id is None:
            raise missing("stream_id")
        return stream_id
    ids = call[TO]
    if ids is None:
        raise missing("to")
    if not ids:
        raise ServiceError("Empty 'to' list")
    if len(ids) > 1:
        raise ServiceError("Cannot send to multiple channels")
    return ids[0]


@routes.post("/messages/{message_id}/typing", OPERATION)
def post_edit_typing(call: Call) -> ResponseBody:
    """Notifies others that the caller is typing in an edit of an own message, or stopped."""
    organization, user = call.organization, call.user
    message = access.changeable_message(organization, user, call.path_id("message_id"))
    if message.sender_id != user.id:
        raise ServiceError("You don't have permission to edit this message")
    recipient: dict[str, object]
    if message.channel_id is not None:
        recipient = {"type": "channel", "channel_id": message.channel_id, "topic": message.topic}
    else:
        assert message.conversation_id is not None
        recipient = {"type": "direct", "user_ids": member_ids(organization, message.conversation_id)}
    organization.emit(
        {
            "type": "typing_edit_message",
            "op": call[OPERATION],
            "sender_id": user.id,
            "message_id": message.id,
            "recipient": recipient,
        },
        [
            i
            for i in audience_of(organization, message)
            if switched_on(organization.users[i], "receives_typing_notifications")
        ],
    )
    return {}
