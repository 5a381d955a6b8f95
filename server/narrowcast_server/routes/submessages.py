"""POST /submessage: votes in polls, tasks in to-do lists."""

from __future__ import annotations

from narrowcast_server.http.params import integer, required, string
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.resources.submessages import add_submessage
from narrowcast_server.rules.access import changeable_message

routes = Routes()

MESSAGE_ID = required("message_id", integer)
MSG_TYPE = required("msg_type", string)
CONTENT = required("content", string)


@routes.post("/submessage", MESSAGE_ID, MSG_TYPE, CONTENT)
def send_submessage(call: Call) -> ResponseBody:
    """Adds a submessage to a message that the caller can see."""
    message = changeable_message(call.core, call.user, call[MESSAGE_ID])
    add_submessage(call.core, call.user, message, call[MSG_TYPE], call[CONTENT])
    return {}
