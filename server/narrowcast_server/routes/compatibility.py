"""Operations under the old names and in the old forms that existing tools still use."""

from __future__ import annotations

from narrowcast_server.http.params import required, string
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.resources.linkifiers import linkifier_triples
from narrowcast_server.resources.user_groups.operations import deactivate_group
from narrowcast_server.routes.settings import PARAMS, update_settings
from narrowcast_server.rules.permissions import Callers

routes = Routes()

COMMAND = required("command", string)


@routes.patch("/settings/notifications", *PARAMS, callers=Callers.PEOPLE)
async def update_notification_settings(call: Call) -> ResponseBody:
    """PATCH /settings under one of its two former names."""
    return await update_settings(call)


@routes.patch("/settings/display", *PARAMS, callers=Callers.PEOPLE)
async def update_display_settings(call: Call) -> ResponseBody:
    return await update_settings(call)


@routes.delete("/user_groups/{user_group_id}")
def remove_user_group(call: Call) -> ResponseBody:
    """Deactivates a group, under the former name of the operation."""
    return deactivate_group(call)


@routes.get("/realm/filters")
def list_filters(call: Call) -> ResponseBody:
    """Linkifiers as triples of pattern, template and id."""
    return {"filters": linkifier_triples(call.organization)}


@routes.post("/zcommand", COMMAND)
def command(call: Call) -> ResponseBody:
    """Slash commands: only /ping, with which programs check that the server is up."""
    if not call[COMMAND].startswith("/"):
        raise ServiceError("There should be a leading slash in the zcommand.")
    if call[COMMAND].strip().removeprefix("/") != "ping":
        raise ServiceError(f"No such command: {call[COMMAND]}")
    return {}
