"""Static pictures and tables that clients fetch besides the API, and uploaded avatars and emoji."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from starlette.responses import Response

from narrowcast_assets.emoji import EMOJI_FILE
from narrowcast_assets.logo import LOGO_FILE, LOGO_SVG
from narrowcast_server.http.routing import Call, Routes
from narrowcast_server.markdown.inline import EXTRA_EMOJI_URL
from narrowcast_server.resources.custom_emoji import PICTURES
from narrowcast_server.uploads.files import Folder, content_type
from narrowcast_server.uploads.pictures import stored_picture
from narrowcast_server.uploads.ranges import RangedFile
from narrowcast_server.uploads.serving import file_response, missing_file

routes = Routes()

EMOJI_DATA_PATH: Final = "/static/emoji.json"
_LOGO_NAMES: Final = ("icon.png", "logo.png", "notification-bot.png")


@routes.add("GET", f"{PICTURES}/{{path:path}}", absolute=True, public=True, accepts_anything=True)
def open_picture(call: Call) -> Response:
    """Avatars and custom emoji; public, but with names that cannot be guessed."""
    name = stored_picture(call.path["path"])
    if name is None:
        raise missing_file()
    return file_response(Folder(call.organization).public(name), content_type(name), name, private=False)


@routes.add("GET", EMOJI_DATA_PATH, absolute=True, public=True, accepts_anything=True)
def emoji_data(call: Call) -> Response:
    """Names of the Unicode emoji: `server_emoji_data_url` in the response of POST /register."""
    return asset(EMOJI_FILE, "application/json")


@routes.add("GET", EXTRA_EMOJI_URL, absolute=True, public=True, accepts_anything=True)
def extra_emoji(call: Call) -> Response:
    """The picture of the one extra emoji of the service."""
    headers = {"Cache-Control": "max-age=86400", "X-Content-Type-Options": "nosniff"}
    return Response(LOGO_SVG, media_type="image/svg+xml", headers=headers)


@routes.add("GET", "/static/images/{name}", absolute=True, public=True, accepts_anything=True)
def logo(call: Call) -> Response:
    """This server's own logo, which is the default icon and logo of the organization and the avatar of its bot."""
    if call.path["name"] not in _LOGO_NAMES:
        raise missing_file()
    return asset(LOGO_FILE, "image/png")


def asset(path: Path, media_type: str) -> Response:
    """A file that is part of the server's package."""
    headers = {"Cache-Control": "max-age=86400"}
    return RangedFile(path, media_type=media_type, headers=headers, stat_result=path.stat())
