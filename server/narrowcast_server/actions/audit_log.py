"""The audit log: who changed the organization or other users, what, and when.

Entries are kept for a year, of each actor the newest `_OF_ONE`: nobody can push out what another has done, nor
fill the disk.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from narrowcast_server.organization.models import User
from narrowcast_server.rules.quotas import has_disk

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

OPERATOR: Final = "operator"
"""The name of whoever acts by the command line on the server's machine."""
_ADMINISTRATIVE: Final = (
    "/bots",
    "/channel_folders",
    "/default_stream",
    "/export",
    "/invites",
    "/realm",
    "/server/",
    "/streams/{",
    "/user_groups",
    "/users/{user_id}",
)
_ORDINARY: Final = (
    "/server/keys",
    "/server/second_factor",
    "/server/sessions",
    "/realm/test_welcome_bot_custom_message",
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
_MAX_DETAILS: Final = 2000
"""Characters of all details of an entry."""
_PAGE_CHARACTERS: Final = 1024 * 1024
_KEPT_SECONDS: Final = 365 * 86_400
_OF_ONE: Final = 5000


def is_administrative(method: str, path: str) -> bool:
    """Whether an operation, given by its declared path, changes more than the caller's own things."""
    administrative = path == "/users" or path.startswith(_ADMINISTRATIVE)
    return method != "GET" and administrative and not path.startswith(_ORDINARY)


def record(organization: Organization, actor: User | None, action: str, details: Mapping[str, str]) -> None:
    """Logs an action, in the transaction of the action, and drops old entries. `actor` None: the operator."""
    shown = json.dumps(_capped(details))
    if not has_disk(organization, len(shown)):
        # The last free space is for messages.
        shown = "{}"
    user_id = None if actor is None else actor.id
    organization.store.insert(
        "INSERT INTO acts (timestamp, user_id, act, details) VALUES (?, ?, ?, ?)",
        organization.now(),
        user_id,
        action[:_MAX_LENGTH],
        shown,
    )
    organization.store.execute("DELETE FROM acts WHERE timestamp < ?", organization.now() - _KEPT_SECONDS)
    organization.store.execute(
        "DELETE FROM acts WHERE user_id IS ? AND id <="
        " (SELECT id FROM acts WHERE user_id IS ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
        user_id,
        user_id,
        _OF_ONE,
    )


def _capped(details: Mapping[str, str]) -> dict[str, str]:
    """The parameters without secrets, as far as they fit."""
    shown: dict[str, str] = {}
    left = _MAX_DETAILS
    for name, text in sorted(details.items()):
        shown[name] = _HIDDEN if name in _SECRET else text[:_MAX_LENGTH]
        left -= len(name) + len(shown[name])
        if left < 0:
            shown[name] = "..."
            break
    return shown


def entries(organization: Organization, limit: int, before: int | None = None) -> list[dict[str, Any]]:
    """The newest entries, or the newest before an id, newest first: at most `limit`, and not more than a mebibyte
    of text.
    """
    ids, characters = list[int](), 0
    for row in organization.store.all(
        "SELECT id, length(details) AS size FROM acts WHERE id < ? ORDER BY id DESC LIMIT ?",
        2**62 if before is None else before,
        limit,
    ):
        characters += row["size"]
        if ids and characters > _PAGE_CHARACTERS:
            break
        ids.append(row["id"])
    rows = organization.store.all(
        "SELECT * FROM acts WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id DESC", json.dumps(ids)
    )
    return [
        {
            "id": row["id"],
            "timestamp": row["timestamp"],
            "user_id": row["user_id"],
            "by": OPERATOR if row["user_id"] is None else organization.users[row["user_id"]].full_name,
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
