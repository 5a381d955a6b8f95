"""Submessages of messages with a widget: votes in polls, tasks in to-do lists."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from narrowcast_server.http.params import integer, required, string
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.markdown import check_submessage
from narrowcast_server.organization.checks import check_length
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Message, User
from narrowcast_server.queries.messages import audience_of
from narrowcast_server.resources.user_topics import follow_after_taking_part
from narrowcast_server.rules.access import changeable_message

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_WIDGET = "widget"
_MAX_LENGTH = 2500
_MAX_TYPE_LENGTH = 100


def add_submessage(
    organization: Organization, user: User, message: Message, msg_type: str, content: str
) -> int:
    """Adds JSON text to a message and notifies everyone who has it; returns the submessage's id. The first one
    of a message is its sender's, of any form; those of a poll or to-do list are votes and changes.
    """
    check_length("msg_type", msg_type, _MAX_TYPE_LENGTH)
    check_length("content", content, _MAX_LENGTH)
    is_author = user.id == message.sender_id
    count = "SELECT count(*) FROM submessages WHERE message_id = ? AND sender_id = ?"
    if not is_author and not organization.store.integer(count, message.id, message.sender_id):
        raise ServiceError("You cannot attach a submessage to this message.")
    try:
        data: object = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ServiceError("Invalid json for submessage") from error
    reason = check_submessage(_widget_type(organization, message), data, is_author=is_author)
    if reason is not None:
        raise ServiceError(reason)
    limit = organization.config.quotas.submessages_a_message
    if (organization.store.integer(count, message.id, user.id) or 0) >= limit:
        raise ServiceError(f"This message has too many submessages from you (limit: {limit}).")
    identity = organization.store.insert(
        "INSERT INTO submessages (message_id, sender_id, msg_type, content) VALUES (?, ?, ?, ?)",
        message.id,
        user.id,
        msg_type,
        content,
    )
    event = {
        "type": "submessage",
        "msg_type": msg_type,
        "message_id": message.id,
        "submessage_id": identity,
        "sender_id": user.id,
        "content": content,
    }
    organization.emit(event, audience_of(organization, message))
    return identity


def _widget_type(organization: Organization, message: Message) -> str:
    """What a message's first submessage for a widget says that it is; empty if there is none, or it says nothing."""
    first = organization.store.one(
        "SELECT content FROM submessages WHERE message_id = ? AND msg_type = ? ORDER BY id",
        message.id,
        _WIDGET,
    )
    data = None if first is None else json.loads(first["content"])
    return str(data.get("widget_type", "")) if isinstance(data, dict) else ""


routes = Routes()

MESSAGE_ID = required("message_id", integer)
MSG_TYPE = required("msg_type", string)
CONTENT = required("content", string)


@routes.post("/submessage", MESSAGE_ID, MSG_TYPE, CONTENT)
def post_submessage(call: Call) -> ResponseBody:
    """Adds a submessage to a message that the caller can see."""
    message = changeable_message(call.organization, call.user, call[MESSAGE_ID])
    add_submessage(call.organization, call.user, message, call[MSG_TYPE], call[CONTENT])
    if message.channel_id is not None:
        follow_after_taking_part(call.organization, call.user, message.channel_id, message.topic)
    return {}
