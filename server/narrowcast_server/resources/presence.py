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
    from narrowcast_server.organization.organization import Organization

_QUIET_SECONDS = 55
"""A report causes no event if the last event, of the same kind, is younger than this."""


def presence_objects(
    organization: Organization, viewer: User, *, slim: bool, after: int = 0
) -> dict[str, object]:
    """Presence by user id (slim) or by email address (older form); only updates later than `after`."""
    result: dict[str, object] = {}
    seen = visible_ids(organization, viewer)
    for row in organization.store.all("SELECT * FROM presence WHERE update_id > ?", after):
        user = organization.users[row["user_id"]]
        if seen is not None and user.id not in seen:
            continue
        if not shows_presence(user):
            continue
        if slim:
            result[str(user.id)] = slim_presence(row)
        else:
            result[api_address(organization, user)] = older_presence(row)
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


def newest_update(organization: Organization) -> int:
    """The number of the latest presence update."""
    return organization.store.integer("SELECT max(update_id) FROM presence") or 0


def change_settings(organization: Organization, user: User, values: dict[str, object]) -> User:
    """Stores validated settings; who stops hiding their presence is present at once, also for others."""
    hidden = not switched_on(user, "presence_enabled")
    user = change(organization, user, values)
    if hidden and switched_on(user, "presence_enabled"):
        organization.presence_events.pop((user.id, True), None)
        report_presence(organization, user, active=True)
    return user


def report_presence(organization: Organization, user: User, *, active: bool) -> None:
    """Stores that a user's client runs (`active`: is in use); notifies others about once a minute. Nothing is
    stored for users who hide their presence.
    """
    if not shows_presence(user):
        return
    now = organization.now()
    update_id = (organization.store.integer("SELECT max(update_id) FROM presence") or 0) + 1
    organization.store.execute(
        "INSERT INTO presence (user_id, active_timestamp, idle_timestamp, update_id) VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET active_timestamp = coalesce(excluded.active_timestamp, active_timestamp),"
        " idle_timestamp = excluded.idle_timestamp, update_id = excluded.update_id",
        user.id,
        now if active else None,
        now,
        update_id,
    )
    last = organization.presence_events.get((user.id, active))
    if last is not None and now - last < _QUIET_SECONDS:
        return

    def remember() -> None:
        organization.presence_events[user.id, active] = now

    organization.after_commit(remember)
    row = organization.store.one("SELECT * FROM presence WHERE user_id = ?", user.id)
    assert row is not None
    organization.emit(
        {
            "type": "presence",
            "user_id": user.id,
            "email": api_address(organization, user),
            "server_timestamp": organization.clock.now(),
            "presence": {"website": older_presence(row)["website"]},
            "presences": {str(user.id): slim_presence(row)},
        },
        watchers(organization, user),
    )


@part("presence")
def presence(request: Snapshot) -> dict[str, object]:
    organization = request.organization
    return {
        "presences": presence_objects(organization, request.user, slim=request.options.slim_presence),
        "presence_last_update_id": organization.store.integer("SELECT max(update_id) FROM presence") or 0,
        "server_timestamp": organization.clock.now(),
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
    organization, user = call.organization, call.user
    report_presence(organization, user, active=call[STATUS])
    if call[PING_ONLY]:
        return {}
    after = call[LAST_UPDATE_ID]
    slim = call[SLIM] or after is not None
    newest = newest_update(organization)
    return {
        "presences": presence_objects(organization, user, slim=slim, after=max(after or 0, 0)),
        "presence_last_update_id": max(newest, after or -1),
        "server_timestamp": organization.clock.now(),
    }


@routes.get("/realm/presence")
def get_presence_of_all(call: Call) -> ResponseBody:
    return {
        "presences": presence_objects(call.organization, call.user, slim=False),
        "server_timestamp": call.organization.clock.now(),
    }


@routes.get("/users/{user_id}/presence")
def get_presence(call: Call) -> ResponseBody:
    user = call.path_user("user_id")
    check_sees(call.organization, call.user, user)
    if user.is_bot:
        raise ServiceError("Presence is not supported for bot users.")
    row = presence_row(call.organization, user)
    if row is None:
        raise ServiceError(f"No presence data for {user.full_name}")
    presence = {
        client: {"status": seen["status"], "timestamp": seen["timestamp"]}
        for client, seen in older_presence(row).items()
    }
    return {"presence": presence}
