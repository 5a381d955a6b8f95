"""Presence: reporting the caller's own, reading that of others."""

from __future__ import annotations

from narrowcast_server.http.params import boolean, defaulted, integer, optional, required
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.queries.presence import newest_update, older_presence, presence_objects
from narrowcast_server.queries.users import presence_row
from narrowcast_server.resources.presence import report_presence
from narrowcast_server.rules.permissions import Callers
from narrowcast_server.rules.visibility import check_sees

routes = Routes()


def status(name: str, text: str) -> bool:
    """Parses active or idle; returns whether it is active."""
    if text not in ("active", "idle"):
        raise ServiceError(f"Invalid status: {text}")
    return text == "active"


STATUS = required("status", status)
PING_ONLY = defaulted("ping_only", boolean, False)
NEW_USER_INPUT = defaulted("new_user_input", boolean, False)
SLIM = defaulted("slim_presence", boolean, False)
LAST_UPDATE_ID = optional("last_update_id", integer)
HISTORY_DAYS = optional("history_limit_days", integer)


@routes.post(
    "/users/me/presence",
    STATUS,
    PING_ONLY,
    NEW_USER_INPUT,
    SLIM,
    LAST_UPDATE_ID,
    HISTORY_DAYS,
    callers=Callers.PEOPLE,
)
def update_presence(call: Call) -> ResponseBody:
    """Reports the caller's presence; returns that of others, or what changed in it since `last_update_id`."""
    core, user = call.core, call.user
    report_presence(core, user, active=call[STATUS])
    if call[PING_ONLY]:
        return {}
    after = call[LAST_UPDATE_ID]
    slim = call[SLIM] or after is not None
    newest = newest_update(core)
    return {
        "presences": presence_objects(core, user, slim=slim, after=max(after or 0, 0)),
        "presence_last_update_id": max(newest, after or -1),
        "server_timestamp": core.clock.now(),
    }


@routes.get("/realm/presence")
def get_presence_of_all(call: Call) -> ResponseBody:
    return {
        "presences": presence_objects(call.core, call.user, slim=False),
        "server_timestamp": call.core.clock.now(),
    }


@routes.get("/users/{user_id}/presence")
def get_presence(call: Call) -> ResponseBody:
    user = call.path_user("user_id")
    check_sees(call.core, call.user, user)
    if user.is_bot:
        raise ServiceError("Presence is not supported for bot users.")
    row = presence_row(call.core, user)
    if row is None:
        raise ServiceError(f"No presence data for {user.full_name}")
    presence = {
        client: {"status": seen["status"], "timestamp": seen["timestamp"]}
        for client, seen in older_presence(row).items()
    }
    return {"presence": presence}
