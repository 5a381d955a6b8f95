"""Reminders (outside the contract)."""

from __future__ import annotations

from narrowcast_server.http.params import defaulted, integer, natural, required, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.queries.reminders import reminders_of
from narrowcast_server.resources import reminders

routes = Routes()

MESSAGE = required("message_id", natural)
TIME = required("scheduled_delivery_timestamp", integer)
NOTE = defaulted("note", text_without_null, "")


@routes.get("/reminders")
def list_reminders(call: Call) -> ResponseBody:
    """The caller's reminders, by time."""
    return {"reminders": reminders_of(call.core, call.user)}


@routes.post("/reminders", MESSAGE, TIME, NOTE)
def create_reminder(call: Call) -> ResponseBody:
    """Creates a reminder of a message."""
    identity = reminders.create_reminder(call.core, call.user, call[MESSAGE], call[TIME], call[NOTE])
    return {"reminder_id": identity}


@routes.delete("/reminders/{reminder_id}")
def delete_reminder(call: Call) -> ResponseBody:
    reminders.delete_reminder(call.core, call.user, call.path_id("reminder_id"))
    return {}
