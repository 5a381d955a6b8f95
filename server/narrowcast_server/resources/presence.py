"""When users were last seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization.models import User
from narrowcast_server.organization.personal import change, switched_on
from narrowcast_server.queries.presence import older_presence, slim_presence
from narrowcast_server.queries.users import shows_presence
from narrowcast_server.rules.addresses import api_address
from narrowcast_server.rules.visibility import watchers

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

_QUIET_SECONDS = 55
"""A report causes no event if the last event, of the same kind, is younger than this."""


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
