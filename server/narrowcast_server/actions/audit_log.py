"""The audit log: who changed the organization or other users, what, and when."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from narrowcast_server.organization.models import User

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

OPERATOR: Final = "operator"
"""The name of whoever acts by the command line on the server's machine."""
_ADMINISTRATIVE: Final = (
    "/bots",
    "/calls",
    "/channel_folders",
    "/default_stream",
    "/export",
    "/invites",
    "/realm",
    "/server",
    "/streams/{",
    "/user_groups",
    "/users/{user_id}",
)
_ORDINARY: Final = (
    "/server/keys",
    "/server/second_factor",
    "/streams/{stream_id}/members",
    "/users/{user_id}/status",
    "/realm/presence",
)
_SECRET: Final = frozenset(
    {"api_key", "new_email", "new_password", "old_password", "password", "second_factor", "token"}
)
"""Parameters that are not logged: secrets, and email addresses that users may hide from administrators."""
_HIDDEN: Final = "(not shown)"
_MAX_LENGTH: Final = 200
_KEPT: Final = 20_000


def is_administrative(method: str, path: str) -> bool:
    """Whether an operation, given by its declared path, changes more than the caller's own things."""
    administrative = path == "/users" or path.startswith(_ADMINISTRATIVE)
    return method != "GET" and administrative and not path.startswith(_ORDINARY)


def record(core: Core, actor: User | None, action: str, details: Mapping[str, str]) -> None:
    """Logs an action, in the transaction of the action, and drops the oldest entries. `actor` None: the operator."""
    shown = {
        name: _HIDDEN if name in _SECRET else text[:_MAX_LENGTH] for name, text in sorted(details.items())
    }
    core.store.insert(
        "INSERT INTO acts (timestamp, user_id, act, details) VALUES (?, ?, ?, ?)",
        core.now(),
        None if actor is None else actor.id,
        action[:_MAX_LENGTH],
        json.dumps(shown),
    )
    core.store.execute("DELETE FROM acts WHERE id <= (SELECT max(id) FROM acts) - ?", _KEPT)


def entries(core: Core, limit: int, before: int | None = None) -> list[dict[str, Any]]:
    """The newest entries, or the newest before an id, newest first."""
    rows = core.store.all(
        "SELECT * FROM acts WHERE id < ? ORDER BY id DESC LIMIT ?", 2**62 if before is None else before, limit
    )
    return [
        {
            "id": row["id"],
            "timestamp": row["timestamp"],
            "user_id": row["user_id"],
            "by": OPERATOR if row["user_id"] is None else core.users[row["user_id"]].full_name,
            "act": row["act"],
            "details": _without_addresses(json.loads(row["details"])),
        }
        for row in rows
    ]


def _without_addresses(details: Mapping[str, str]) -> dict[str, str]:
    """The details without secrets and the addresses of users, which earlier versions logged."""
    return {
        name: _HIDDEN if name in _SECRET or (name == "who" and "@" in text) else text
        for name, text in details.items()
    }
