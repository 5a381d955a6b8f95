"""When users were last seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization.models import User
from narrowcast_server.queries.users import shows_presence
from narrowcast_server.rules.addresses import api_address
from narrowcast_server.rules.visibility import visible_ids
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


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
