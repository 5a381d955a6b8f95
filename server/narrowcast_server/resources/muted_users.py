"""Muted users, whose messages are marked as read at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError, no_such_user
from narrowcast_server.organization.models import User
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.queries.unread import unread_from
from narrowcast_server.resources.messages.moves import mark_read
from narrowcast_server.rules.quotas import check_room

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def is_muted(organization: Organization, user: User, muted_id: int) -> bool:
    """Whether `user` has muted the user with this id."""
    row = organization.store.one(
        "SELECT 1 FROM muted_users WHERE user_id = ? AND muted_id = ?", user.id, muted_id
    )
    return row is not None


def muted_users_of(organization: Organization, user: User) -> list[dict[str, object]]:
    """The users whom `user` has muted, by time, in the form of responses and events."""
    rows = organization.store.all(
        "SELECT muted_id, timestamp FROM muted_users WHERE user_id = ? ORDER BY timestamp", user.id
    )
    return [{"id": row["muted_id"], "timestamp": row["timestamp"]} for row in rows]


def mute(organization: Organization, user: User, muted_id: int) -> None:
    """Mutes a user; raises BAD_REQUEST for the user themselves, unknown users, and users who are muted already."""
    if muted_id == user.id:
        raise ServiceError("Cannot mute self")
    if organization.users.get(muted_id) is None:
        raise no_such_user()
    if is_muted(organization, user, muted_id):
        raise ServiceError("User already muted")
    check_room(organization, user, "muted_users")
    organization.store.execute(
        "INSERT INTO muted_users VALUES (?, ?, ?)", user.id, muted_id, organization.now()
    )
    mark_read(organization, user, unread_from(organization, user, muted_id))
    _emit_muted_users(organization, user)


def unmute(organization: Organization, user: User, muted_id: int) -> None:
    """Unmutes a user; raises BAD_REQUEST if the user is not muted."""
    if not is_muted(organization, user, muted_id):
        raise ServiceError("User is not muted")
    organization.store.execute(
        "DELETE FROM muted_users WHERE user_id = ? AND muted_id = ?", user.id, muted_id
    )
    _emit_muted_users(organization, user)


def _emit_muted_users(organization: Organization, user: User) -> None:
    organization.emit({"type": "muted_users", "muted_users": muted_users_of(organization, user)}, [user.id])


@part("muted_users")
def muted_users(request: Snapshot) -> dict[str, object]:
    """The users whom the caller has muted."""
    return {"muted_users": muted_users_of(request.organization, request.user)}


routes = Routes()


@routes.post("/users/me/muted_users/{muted_user_id}")
def post_muted_user(call: Call) -> ResponseBody:
    """Mutes a user: their messages are marked as read for the caller."""
    mute(call.organization, call.user, call.path_id("muted_user_id"))
    return {}


@routes.delete("/users/me/muted_users/{muted_user_id}")
def delete_muted_user(call: Call) -> ResponseBody:
    unmute(call.organization, call.user, call.path_id("muted_user_id"))
    return {}
