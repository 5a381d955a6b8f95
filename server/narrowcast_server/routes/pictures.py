"""Avatars, custom emoji, and the pictures and tables that clients fetch beside the API."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from starlette.responses import Response

from narrowcast_assets.emoji import EMOJI_FILE
from narrowcast_assets.logo import LOGO_FILE, LOGO_SVG
from narrowcast_server.actions.users import emit_avatar
from narrowcast_server.http.routing import Answer, Call, Routes
from narrowcast_server.markdown.inline import EXTRA_EMOJI_URL
from narrowcast_server.organization.core import Core
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.queries.users import avatar_url
from narrowcast_server.uploads.custom_emoji import PICTURES, add_emoji, custom_emoji_table, deactivate_emoji
from narrowcast_server.uploads.files import ORGANIZATION, Folder, content_type
from narrowcast_server.uploads.pictures import LARGEST_PICTURE_MIB, keep_picture, picture_bytes
from narrowcast_server.uploads.ranges import RangedFile
from narrowcast_server.uploads.receiving import single_file
from narrowcast_server.uploads.serving import file_response, missing_file

routes = Routes()

EMOJI_DATA_PATH: Final = "/static/emoji.json"
_LOGO_NAMES: Final = ("icon.png", "logo.png", "notification-bot.png")
_PICTURE_NAME = re.compile(r"[0-9a-f]{40}\.(?:png|jpg|gif|webp)")


@routes.add("POST", "/users/me/avatar", streaming=True)
async def set_avatar(call: Call) -> Answer:
    """Sets the caller's picture."""
    if call.core.setting_bool("avatar_changes_disabled") and not call.user.is_administrator:
        raise ServiceError("Avatar changes are disabled in this organization.")
    one = "You must upload exactly one avatar."
    async with single_file(call.request, LARGEST_PICTURE_MIB, one, one) as upload:
        picture = await picture_bytes(upload)
    stored = keep_picture(call.core, picture)
    with call.core.transaction():
        return changed_avatar(call.core, call.user, f"{PICTURES}/{ORGANIZATION}/{stored}")


@routes.delete("/users/me/avatar")
def delete_avatar(call: Call) -> Answer:
    """Goes back to the picture that the address gives."""
    if call.core.setting_bool("avatar_changes_disabled") and not call.user.is_administrator:
        raise ServiceError("Avatar changes are disabled in this organization.")
    return changed_avatar(call.core, call.user, None)


def changed_avatar(core: Core, user: User, url: str | None) -> Answer:
    """Stores the picture's address and tells everybody. The picture before it goes."""
    before = (user.avatar_url or "").rpartition("/")[2]
    if _PICTURE_NAME.fullmatch(before):
        Folder(core).public(before).unlink(missing_ok=True)
    changed = core.users.update(user.id, avatar_url=url, avatar_version=user.avatar_version + 1)
    emit_avatar(core, changed)
    return {"avatar_url": avatar_url(changed)}


@routes.get("/realm/emoji")
def list_emoji(call: Call) -> Answer:
    """The organization's own emoji."""
    return {"emoji": custom_emoji_table(call.core)}


@routes.add("POST", "/realm/emoji/{name}", streaming=True)
async def create_emoji(call: Call) -> Answer:
    """Adds an emoji from a picture."""
    one = "You must upload exactly one file."
    async with single_file(call.request, LARGEST_PICTURE_MIB, one, one) as upload:
        picture = await picture_bytes(upload)
    with call.core.transaction():
        add_emoji(call.core, call.user, call.path["name"], picture)
    return {}


@routes.delete("/realm/emoji/{name}")
def delete_emoji(call: Call) -> Answer:
    """Takes an emoji out of use."""
    deactivate_emoji(call.core, call.user, call.path["name"])
    return {}


@routes.add("GET", f"{PICTURES}/{{path:path}}", absolute=True, public=True, accepts_anything=True)
def open_picture(call: Call) -> Response:
    """Avatars and emoji; public, under names that nobody guesses."""
    name = call.path["path"].rpartition("/")[2]
    if not _PICTURE_NAME.fullmatch(name):
        raise missing_file()
    return file_response(Folder(call.core).public(name), content_type(name), name, private=False)


@routes.add("GET", EMOJI_DATA_PATH, absolute=True, public=True, accepts_anything=True)
def emoji_data(call: Call) -> Response:
    """Names of the Unicode emoji: `server_emoji_data_url` of registration."""
    return asset(EMOJI_FILE, "application/json")


@routes.add("GET", EXTRA_EMOJI_URL, absolute=True, public=True, accepts_anything=True)
def extra_emoji(call: Call) -> Response:
    """The picture of the one emoji that the service adds of its own."""
    headers = {"Cache-Control": "max-age=86400", "X-Content-Type-Options": "nosniff"}
    return Response(LOGO_SVG, media_type="image/svg+xml", headers=headers)


@routes.add("GET", "/static/images/{name}", absolute=True, public=True, accepts_anything=True)
def logo(call: Call) -> Response:
    """The organization's icon and logo, and the picture of its bot: this server's mark for all of them."""
    if call.path["name"] not in _LOGO_NAMES:
        raise missing_file()
    return asset(LOGO_FILE, "image/png")


def asset(path: Path, media_type: str) -> Response:
    """A file that came with the server."""
    headers = {"Cache-Control": "max-age=86400"}
    return RangedFile(path, media_type=media_type, headers=headers, stat_result=path.stat())
