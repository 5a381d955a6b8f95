"""Strings that bots store on the server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.levels import Gate
from narrowcast_server.http.params import mapping, optional, required, strings
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.checks import check_string
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


routes = Routes()

STORAGE = required("storage", mapping)
KEYS = optional("keys", strings)


@routes.add("PUT", "/bot_storage", STORAGE)
def update_storage(call: Call) -> ResponseBody:
    """Stores strings for a bot, by key."""
    _check_bot(call)
    values = {key: check_string(f'storage["{key}"]', value) for key, value in call[STORAGE].items()}
    keep(call.organization, call.user, values)
    return {}


@routes.get("/bot_storage", KEYS)
def get_storage(call: Call) -> ResponseBody:
    """What a bot has stored: everything, or the given keys."""
    _check_bot(call)
    storage = stored(call.organization, call.user)
    keys = call[KEYS]
    if keys is None:
        return {"storage": storage}
    if absent := [key for key in keys if key not in storage]:
        raise ServiceError(f"Key does not exist: {absent[0]}")
    return {"storage": {key: storage[key] for key in keys}}


@routes.delete("/bot_storage", KEYS)
def remove_storage(call: Call) -> ResponseBody:
    """Deletes what a bot has stored: everything, or the given keys."""
    _check_bot(call)
    forget(call.organization, call.user, call[KEYS])
    return {}


def _check_bot(call: Call) -> None:
    """From level 494 on, people have no storage."""
    if call.level >= Gate.BOT_STORAGE_OF_BOTS.level and not call.user.is_bot:
        raise ServiceError("Must be a bot user")
