"""When users were last seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.http.params import boolean, defaulted, integer, optional, required
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.organization.personal import change, switched_on
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.queries.users import presence_row, shows_presence
from narrowcast_server.rules.addresses import api_address
from narrowcast_server.rules.permissions import Callers
from narrowcast_server.rules.visibility import check_sees, visible_ids, watchers
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

_QUIET_SECONDS = 55
"""A report causes no event if the last event, of the same kind, is younger than this."""


def presence_objects(core: Core, viewer: User, *, slim: bool, after: int = 0) -> dict[str, object]:
    """Presence by user id (slim) or by email address (older form); only updates later than `after`."""
    result: dict[str, object] = {}
    seen = visible_ids(core, viewer)
    for row in core.store.all("SELECT * FROM presence WHERE update_id > ?", after):
        user = core.users[row["user_id"]]
        if seen is not None and user.id not in seen:
            continue
        if not shows_presence(user):
            continue
        if slim:
            result[str(user.id)] = slim_presence(row)
        else:
            result[api_address(core, user)] = older_presence(row)
    return result


def slim_presence(row: Row) -> dict[str, object]:
    """The times of last activity and last contact, in UTC seconds; 0 for never."""
    return {
        "active_timestamp": row["active_timestamp"] or 0,
        "idle_timestamp": row["idle_timestamp"] or row["active_timestamp"] or 0,
    }


def older_presence(row: Row) -> dict[str, dict[str, object]]:
    """One client, and the aggregate of all clients, in the form for older clients."""
    active, idle = row["active_timestamp"] or 0, row["idle_timestamp"] or 0
    one: dict[str, object] = {
        "client": "website",
        "status": "active" if active >= idle else "idle",
        "timestamp": max(active, idle),
    }
    return {"aggregated": one, "website": {**one, "pushable": False}}


def newest_update(core: Core) -> int:
    """The number of the latest presence update."""
    return core.store.integer("SELECT max(update_id) FROM presence") or 0


def change_settings(core: Core, user: User, values: dict[str, object]) -> User:
    """Stores validated settings; who stops hiding their presence is present at once, also for others."""
    hidden = not switched_on(user, "presence_enabled")
    user = change(core, user, values)
    if hidden and switched_on(user, "presence_enabled"):
        core.presence_events.pop((user.id, True), None)
        report_presence(core, user, active=True)
    return user


def report_presence(core: Core, user: User, *, active: bool) -> None:
    """Stores that a user's client runs (`active`: is in use); notifies others about once a minute. Nothing is
    stored for users who hide their presence.
    """
    if not shows_presence(user):
        return
    now = core.now()
    update_id = (core.store.integer("SELECT max(update_id) FROM presence") or 0) + 1
    core.store.execute(
        "INSERT INTO presence (user_id, active_timestamp, idle_timestamp, update_id) VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET active_timestamp = coalesce(excluded.active_timestamp, active_timestamp),"
        " idle_timestamp = excluded.idle_timestamp, update_id = excluded.update_id",
        user.id,
        now if active else None,
        now,
        update_id,
    )
    last = core.presence_events.get((user.id, active))
    if last is not None and now - last < _QUIET_SECONDS:
        return

    def remember() -> None:
        core.presence_events[user.id, active] = now

    core.after_commit(remember)
    row = core.store.one("SELECT * FROM presence WHERE user_id = ?", user.id)
    assert row is not None
    core.emit(
        {
            "type": "presence",
            "user_id": user.id,
            "email": api_address(core, user),
            "server_timestamp": core.clock.now(),
            "presence": {"website": older_presence(row)["website"]},
            "presences": {str(user.id): slim_presence(row)},
        },
        watchers(core, user),
    )


@part("presence")
def presence(request: Snapshot) -> dict[str, object]:
    core = request.core
    return {
        "presences": presence_objects(core, request.user, slim=request.options.slim_presence),
        "presence_last_update_id": core.store.integer("SELECT max(update_id) FROM presence") or 0,
        "server_timestamp": core.clock.now(),
    }


routes = Routes()


def active_or_idle(name: str, text: str) -> bool:
    """Parses active or idle; returns whether it is active."""
    if text not in ("active", "idle"):
        raise ServiceError(f"Invalid status: {text}")
    return text == "active"


STATUS = required("status", active_or_idle)
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
def post_presence(call: Call) -> ResponseBody:
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
