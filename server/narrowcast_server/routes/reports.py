"""Reports of messages to moderators (outside the contract)."""

from __future__ import annotations

from narrowcast_server.http.params import choice, defaulted, required, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.realm_settings import REPORT_TYPES
from narrowcast_server.resources.reports import report_message
from narrowcast_server.rules import access

routes = Routes()

TYPE = required("report_type", choice(*REPORT_TYPES, listed=True))
DESCRIPTION = defaulted("description", text_without_null, "")


@routes.post("/messages/{message_id}/report", TYPE, DESCRIPTION)
def report(call: Call) -> ResponseBody:
    """Reports a message that the caller may see."""
    message = access.visible_message(call.core, call.user, call.path_id("message_id"))
    report_message(call.core, call.user, message, call[TYPE], call[DESCRIPTION].strip())
    return {}
