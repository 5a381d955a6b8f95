"""Muted users, whose messages are marked as read at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.actions.message_moves import mark_read
from narrowcast_server.organization.errors import ServiceError, no_such_user
from narrowcast_server.organization.models import User
from narrowcast_server.queries.muted_users import is_muted, muted_users
from narrowcast_server.queries.unread import unread_from
from narrowcast_server.rules.quotas import check_room

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def mute(core: Core, user: User, muted_id: int) -> None:
    """Mutes a user; raises BAD_REQUEST for the user themselves, unknown users, and users who are muted already."""
    if muted_id == user.id:
        raise ServiceError("Cannot mute self")
    if core.users.get(muted_id) is None:
        raise no_such_user()
    if is_muted(core, user, muted_id):
        raise ServiceError("User already muted")
    check_room(core, user, "muted_users")
    core.store.execute("INSERT INTO muted_users VALUES (?, ?, ?)", user.id, muted_id, core.now())
    mark_read(core, user, unread_from(core, user, muted_id))
    _emit_muted_users(core, user)


def unmute(core: Core, user: User, muted_id: int) -> None:
    """Unmutes a user; raises BAD_REQUEST if the user is not muted."""
    if not is_muted(core, user, muted_id):
        raise ServiceError("User is not muted")
    core.store.execute("DELETE FROM muted_users WHERE user_id = ? AND muted_id = ?", user.id, muted_id)
    _emit_muted_users(core, user)


def _emit_muted_users(core: Core, user: User) -> None:
    core.emit({"type": "muted_users", "muted_users": muted_users(core, user)}, [user.id])
