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
    from narrowcast_server.organization.organization import Organization

PICTURES: Final = "/user_avatars"
MAX_NAME: Final = 50
_NAME = re.compile(r"[a-z0-9 _-]*[a-z0-9][a-z0-9 _-]*")


def custom_emoji_table(organization: Organization) -> dict[str, dict[str, object]]:
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
        for row in organization.store.all("SELECT * FROM custom_emoji ORDER BY id")
    }


def check_may_add_emoji(organization: Organization, user: User, *, overrides_default: bool) -> None:
    """Raises BAD_REQUEST without permission; only administrators may override a default emoji."""
    if not realm_allows(organization, user, "can_add_custom_emoji_group"):
        raise insufficient_permission()
    if overrides_default and not user.is_administrator:
        raise ServiceError("Only administrators can override default emoji.")


def check_may_retire_emoji(user: User, author_id: int | None) -> None:
    """Raises BAD_REQUEST unless the user is an administrator or the emoji's author."""
    if author_id != user.id and not user.is_administrator:
        raise ServiceError("Must be an organization administrator or emoji author")


def add_emoji(organization: Organization, user: User, name: str, stored: str) -> int:
    """Adds an emoji with a stored picture; returns its id."""
    check_may_add_emoji(organization, user, overrides_default=False)
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME:
        raise ServiceError(
            "Emoji names must contain only lowercase English letters, digits, spaces, dashes,"
            " and underscores."
        )
    name = name.strip().replace(" ", "_")
    if active_id(organization, name) is not None:
        raise ServiceError("A custom emoji with this name already exists.")
    check_may_add_emoji(organization, user, overrides_default=emoji_names().code(name) is not None)
    check_room(organization, user, "custom_emoji")
    identity = organization.store.insert(
        "INSERT INTO custom_emoji (name, author_id, source_url) VALUES (?, ?, ?)",
        name,
        user.id,
        f"{PICTURES}/{ORGANIZATION}/emoji/images/{stored}",
    )
    _emit_emoji(organization)
    return identity


def active_id(organization: Organization, name: str) -> int | None:
    """The id of the active emoji with this name."""
    return organization.store.integer("SELECT id FROM custom_emoji WHERE name = ? AND deactivated = 0", name)


def deactivate_emoji(organization: Organization, user: User, name: str) -> None:
    """Deactivates an emoji; messages that contain it keep it."""
    identity = active_id(organization, name)
    if identity is None:
        raise ServiceError(f"Emoji '{name}' does not exist", status=404)
    author = organization.store.integer("SELECT author_id FROM custom_emoji WHERE id = ?", identity)
    check_may_retire_emoji(user, author)
    organization.store.execute("UPDATE custom_emoji SET deactivated = 1 WHERE id = ?", identity)
    _emit_emoji(organization)


def _emit_emoji(organization: Organization) -> None:
    """Sends everybody the current table."""
    organization.emit(
        {"type": "realm_emoji", "op": "update", "realm_emoji": custom_emoji_table(organization)},
        organization.user_ids(),
    )


@part("realm_emoji")
def emoji(request: Snapshot) -> dict[str, object]:
    """Custom emoji by id, deactivated ones included."""
    return {"realm_emoji": custom_emoji_table(request.organization)}


routes = Routes()


@routes.get("/realm/emoji")
def get_emoji(call: Call) -> ResponseBody:
    """The organization's custom emoji."""
    return {"emoji": custom_emoji_table(call.organization)}


@routes.add("POST", "/realm/emoji/{name}", streaming=True, callers=Callers.MEMBERS)
async def post_emoji(call: Call) -> ResponseBody:
    """Adds an emoji from a picture."""
    one = "You must upload exactly one file."
    async with single_file(call.request, MAX_PICTURE_MIB, one, one) as upload:
        picture = await picture_bytes(upload)
    call.confirm()
    with picture_stored(call.organization, picture) as stored:
        add_emoji(call.organization, call.user, call.path["name"], stored)
    return {}


@routes.delete("/realm/emoji/{name}")
def delete_emoji(call: Call) -> ResponseBody:
    """Deactivates a custom emoji."""
    deactivate_emoji(call.organization, call.user, call.path["name"])
    return {}
