"""Operations under the old names and in the old forms that existing tools still use."""

from __future__ import annotations

from narrowcast_api.wire.levels import Gate
from narrowcast_server.actions import bot_storage
from narrowcast_server.http.params import mapping, optional, required, string, strings
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.checks import check_string
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.resources.linkifiers import linkifier_triples
from narrowcast_server.resources.user_groups.operations import deactivate_group
from narrowcast_server.routes.settings import PARAMS, update_settings
from narrowcast_server.rules.permissions import Callers

routes = Routes()

STORAGE = required("storage", mapping)
KEYS = optional("keys", strings)
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


@routes.add("PUT", "/bot_storage", STORAGE)
def update_storage(call: Call) -> ResponseBody:
    """Stores strings for a bot, by key."""
    _check_bot(call)
    values = {key: check_string(f'storage["{key}"]', value) for key, value in call[STORAGE].items()}
    bot_storage.keep(call.organization, call.user, values)
    return {}


@routes.get("/bot_storage", KEYS)
def get_storage(call: Call) -> ResponseBody:
    """What a bot has stored: everything, or the given keys."""
    _check_bot(call)
    stored = bot_storage.stored(call.organization, call.user)
    keys = call[KEYS]
    if keys is None:
        return {"storage": stored}
    if absent := [key for key in keys if key not in stored]:
        raise ServiceError(f"Key does not exist: {absent[0]}")
    return {"storage": {key: stored[key] for key in keys}}


@routes.delete("/bot_storage", KEYS)
def remove_storage(call: Call) -> ResponseBody:
    """Deletes what a bot has stored: everything, or the given keys."""
    _check_bot(call)
    bot_storage.forget(call.organization, call.user, call[KEYS])
    return {}


def _check_bot(call: Call) -> None:
    """From level 494 on, people have no storage."""
    if call.level >= Gate.BOT_STORAGE_OF_BOTS.level and not call.user.is_bot:
        raise ServiceError("Must be a bot user")
