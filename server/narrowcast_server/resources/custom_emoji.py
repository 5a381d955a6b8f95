"""The organization's own emoji."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from narrowcast_assets.emoji import emoji_names
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.queries.custom_emoji import custom_emoji_table
from narrowcast_server.rules.custom_emoji import check_may_add_emoji, check_may_retire_emoji
from narrowcast_server.rules.quotas import check_room
from narrowcast_server.uploads.files import ORGANIZATION

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

PICTURES: Final = "/user_avatars"
MAX_NAME: Final = 50
_NAME = re.compile(r"[a-z0-9 _-]*[a-z0-9][a-z0-9 _-]*")


def add_emoji(core: Core, user: User, name: str, stored: str) -> int:
    """Adds an emoji with a stored picture; returns its id."""
    check_may_add_emoji(core, user, overrides_default=False)
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME:
        raise ServiceError(
            "Emoji names must contain only lowercase English letters, digits, spaces, dashes,"
            " and underscores."
        )
    name = name.strip().replace(" ", "_")
    if active_id(core, name) is not None:
        raise ServiceError("A custom emoji with this name already exists.")
    check_may_add_emoji(core, user, overrides_default=emoji_names().code(name) is not None)
    check_room(core, user, "custom_emoji")
    identity = core.store.insert(
        "INSERT INTO custom_emoji (name, author_id, source_url) VALUES (?, ?, ?)",
        name,
        user.id,
        f"{PICTURES}/{ORGANIZATION}/emoji/images/{stored}",
    )
    emit(core)
    return identity


def active_id(core: Core, name: str) -> int | None:
    """The id of the active emoji with this name."""
    return core.store.integer("SELECT id FROM custom_emoji WHERE name = ? AND deactivated = 0", name)


def deactivate_emoji(core: Core, user: User, name: str) -> None:
    """Deactivates an emoji; messages that contain it keep it."""
    identity = active_id(core, name)
    if identity is None:
        raise ServiceError(f"Emoji '{name}' does not exist", status=404)
    author = core.store.integer("SELECT author_id FROM custom_emoji WHERE id = ?", identity)
    check_may_retire_emoji(user, author)
    core.store.execute("UPDATE custom_emoji SET deactivated = 1 WHERE id = ?", identity)
    emit(core)


def emit(core: Core) -> None:
    """Sends everybody the current table."""
    core.emit(
        {"type": "realm_emoji", "op": "update", "realm_emoji": custom_emoji_table(core)}, core.user_ids()
    )
