"""Submessages of messages with a widget: votes in polls, tasks in to-do lists."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from narrowcast_server.http.params import integer, required, string
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.markdown import check_submessage
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Message, User
from narrowcast_server.queries.messages import audience_of
from narrowcast_server.rules.access import changeable_message

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

_WIDGET = "widget"
_MAX_LENGTH = 2500


def add_submessage(core: Core, user: User, message: Message, msg_type: str, content: str) -> int:
    """Adds JSON text to a message with a widget and notifies everyone who has it; returns the submessage's id."""
    if msg_type != _WIDGET:
        raise ServiceError("Invalid msg_type")
    if len(content) > _MAX_LENGTH:
        raise ServiceError("content is too long")
    first = core.store.one("SELECT content FROM submessages WHERE message_id = ? ORDER BY id", message.id)
    if first is None and user.id != message.sender_id:
        raise ServiceError("You cannot attach a submessage to this message.")
    if first is None:
        raise ServiceError("Widget not found on this message")
    try:
        data: object = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ServiceError("Invalid json for submessage") from error
    widget_type = str(json.loads(first["content"])["widget_type"])
    reason = check_submessage(widget_type, data, is_author=user.id == message.sender_id)
    if reason is not None:
        raise ServiceError(reason)
    limit = core.config.quotas.submessages_a_message
    own = "SELECT count(*) FROM submessages WHERE message_id = ? AND sender_id = ?"
    if (core.store.integer(own, message.id, user.id) or 0) >= limit:
        raise ServiceError(f"This message has too many submessages from you (limit: {limit}).")
    identity = core.store.insert(
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
    core.emit(event, audience_of(core, message))
    return identity


routes = Routes()

MESSAGE_ID = required("message_id", integer)
MSG_TYPE = required("msg_type", string)
CONTENT = required("content", string)


@routes.post("/submessage", MESSAGE_ID, MSG_TYPE, CONTENT)
def post_submessage(call: Call) -> ResponseBody:
    """Adds a submessage to a message that the caller can see."""
    message = changeable_message(call.core, call.user, call[MESSAGE_ID])
    add_submessage(call.core, call.user, message, call[MSG_TYPE], call[CONTENT])
    return {}
