"""Strings that bots store on the server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_MAX_CHARACTERS: Final = 10_000_000
"""Code points that one bot may store."""


def stored(organization: Organization, bot: User) -> dict[str, str]:
    """What a bot has stored, by key."""
    rows = organization.store.all("SELECT name, value FROM bot_storage WHERE user_id = ?", bot.id)
    return {row["name"]: row["value"] for row in rows}


def keep(organization: Organization, bot: User, values: Mapping[str, str]) -> None:
    """Stores strings, keeping those under other keys; raises BAD_REQUEST above the storage limit."""
    organization.store.execute_many(
        "INSERT INTO bot_storage (user_id, name, value) VALUES (?, ?, ?)"
        " ON CONFLICT DO UPDATE SET value = excluded.value",
        [(bot.id, key, value) for key, value in values.items()],
    )
    size = organization.store.integer(
        "SELECT sum(length(name) + length(value)) FROM bot_storage WHERE user_id = ?", bot.id
    )
    if size is not None and size > _MAX_CHARACTERS:
        raise ServiceError("Request exceeds storage limit.")


def forget(organization: Organization, bot: User, keys: Sequence[str] | None) -> None:
    """Deletes these keys, or all if None."""
    if keys is None:
        organization.store.execute("DELETE FROM bot_storage WHERE user_id = ?", bot.id)
        return
    organization.store.execute_many(
        "DELETE FROM bot_storage WHERE user_id = ? AND name = ?", [(bot.id, key) for key in keys]
    )
