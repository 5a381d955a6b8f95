"""User status (rows STAT)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_api.wire.levels import Gate
from narrowcast_server.organization.dialect import outgoing_reaction_type
from narrowcast_server.organization.models import User
from narrowcast_server.organization.personal import switched_on
from narrowcast_server.rules.visibility import visible_ids
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def status_of(core: Core, user: User) -> dict[str, object]:
    """The parts of a status that are set; `away` if the user hides their presence."""
    return _status(core, user, core.store.one("SELECT * FROM statuses WHERE user_id = ?", user.id))


def _status(core: Core, user: User, row: Row | None) -> dict[str, object]:
    result: dict[str, object] = {}
    if row is not None and row["status_text"]:
        result["status_text"] = row["status_text"]
    # Levels without status emoji show none, even if one is stored.
    if row is not None and row["emoji_name"] and core.level >= Gate.STATUS_EMOJI.level:
        result |= {name: row[name] for name in ("emoji_name", "emoji_code")}
        result["reaction_type"] = outgoing_reaction_type(core.config, row["reaction_type"])
    if not switched_on(user, "presence_enabled"):
        result["away"] = True
    return result


def all_statuses(core: Core, viewer: User) -> dict[str, dict[str, object]]:
    """The non-empty statuses of active users, by user id as decimal text, as in the response of POST /register."""
    seen = visible_ids(core, viewer)
    people = [user for user in core.users.all() if user.is_active and (seen is None or user.id in seen)]
    rows = {row["user_id"]: row for row in core.store.all("SELECT * FROM statuses")}
    statuses = {str(user.id): _status(core, user, rows.get(user.id)) for user in people}
    return {user_id: status for user_id, status in statuses.items() if status}
