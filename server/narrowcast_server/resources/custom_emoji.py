"""The organization's own emoji."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from narrowcast_assets.emoji import emoji_names
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError, insufficient_permission
from narrowcast_server.organization.models import User
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.rules.permissions import Callers, realm_allows
from narrowcast_server.rules.quotas import check_room
from narrowcast_server.uploads.files import ORGANIZATION
from narrowcast_server.uploads.pictures import MAX_PICTURE_MIB, picture_bytes, picture_stored
from narrowcast_server.uploads.receiving import single_file

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

PICTURES: Final = "/user_avatars"
MAX_NAME: Final = 50
_NAME = re.compile(r"[a-z0-9 _-]*[a-z0-9][a-z0-9 _-]*")


def custom_emoji_table(core: Core) -> dict[str, dict[str, object]]:
    """All custom emoji by id, including deactivated ones: `realm_emoji` of registration."""
    return {
        str(row["id"]): {
            "id": str(row["id"]),
            "name": row["name"],
            "source_url": row["source_url"],
            "deactivated": bool(row["deactivated"]),
            "author_id": row["author_id"],
            "still_url": row["still_url"],
        }
        for row in core.store.all("SELECT * FROM custom_emoji ORDER BY id")
    }


def check_may_add_emoji(core: Core, user: User, *, overrides_default: bool) -> None:
    """Raises BAD_REQUEST without permission; only administrators may override a default emoji."""
    if not realm_allows(core, user, "can_add_custom_emoji_group"):
        raise insufficient_permission()
    if overrides_default and not user.is_administrator:
        raise ServiceError("Only administrators can override default emoji.")


def check_may_retire_emoji(user: User, author_id: int | None) -> None:
    """Raises BAD_REQUEST unless the user is an administrator or the emoji's author."""
    if author_id != user.id and not user.is_administrator:
        raise ServiceError("Must be an organization administrator or emoji author")


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
    _emit_emoji(core)
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
    _emit_emoji(core)


def _emit_emoji(core: Core) -> None:
    """Sends everybody the current table."""
    core.emit(
        {"type": "realm_emoji", "op": "update", "realm_emoji": custom_emoji_table(core)}, core.user_ids()
    )


@part("realm_emoji")
def emoji(request: Snapshot) -> dict[str, object]:
    """Custom emoji by id, deactivated ones included."""
    return {"realm_emoji": custom_emoji_table(request.core)}


routes = Routes()


@routes.get("/realm/emoji")
def get_emoji(call: Call) -> ResponseBody:
    """The organization's custom emoji."""
    return {"emoji": custom_emoji_table(call.core)}


@routes.add("POST", "/realm/emoji/{name}", streaming=True, callers=Callers.MEMBERS)
async def post_emoji(call: Call) -> ResponseBody:
    """Adds an emoji from a picture."""
    one = "You must upload exactly one file."
    async with single_file(call.request, MAX_PICTURE_MIB, one, one) as upload:
        picture = await picture_bytes(upload)
    call.confirm()
    with picture_stored(call.core, picture) as stored:
        add_emoji(call.core, call.user, call.path["name"], stored)
    return {}


@routes.delete("/realm/emoji/{name}")
def delete_emoji(call: Call) -> ResponseBody:
    """Deactivates a custom emoji."""
    deactivate_emoji(call.core, call.user, call.path["name"])
    return {}
