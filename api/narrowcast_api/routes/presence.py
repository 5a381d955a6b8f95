"""Which users are active (outside the contract)."""

from __future__ import annotations

from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import OMIT, Bound, Omit, Operations, read, segment
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.users import PresenceResponse, RealmPresences, UserPresence
from narrowcast_api.wire.vocabulary import PresenceStatus


async def update_presence(
    connection: Connection,
    *,
    status: PresenceStatus,
    new_user_input: bool = False,
    ping_only: bool = False,
    last_update_id: int | Omit = OMIT,
) -> PresenceResponse:
    """POST /users/me/presence: report the current user's presence; returns that of other users.

    With `ping_only` nothing is returned. From level 263 `last_update_id` (-1 at first, then the last response's
    `presence_last_update_id`) requests only what changed since; below, all users are returned each time.
    """
    server = await connection.identified()
    params: dict[str, object] = {
        "status": status,
        "new_user_input": new_user_input,
        "ping_only": ping_only,
        "slim_presence": True,
    }
    if server.supports(Gate.PRESENCE_BY_UPDATE):
        params["last_update_id"] = last_update_id
    return read(PresenceResponse, await connection.request("POST", "/users/me/presence", params))


async def get_realm_presence(connection: Connection) -> RealmPresences:
    """GET /realm/presence: the presence of all users, by email address and client."""
    return read(RealmPresences, await connection.request("GET", "/realm/presence"))


async def get_user_presence(connection: Connection, *, user_id: int) -> UserPresence:
    """GET /users/{user_id}/presence: one user's presence: `seen` on every server, `presence` by client on
    most. Raises BadRequest for bots and unknown users.
    """
    path = f"/users/{segment(user_id, 'user_id')}/presence"
    return read(UserPresence, await connection.request("GET", path))


class PresenceOperations(Operations):
    """Which users are active, and when users were last active."""

    update = Bound(update_presence)
    list = Bound(get_realm_presence)
    get = Bound(get_user_presence)
