"""Custom emoji."""

from __future__ import annotations

from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.queries.custom_emoji import custom_emoji_table
from narrowcast_server.resources.custom_emoji import add_emoji, deactivate_emoji
from narrowcast_server.rules.permissions import Callers
from narrowcast_server.uploads.pictures import MAX_PICTURE_MIB, picture_bytes, picture_stored
from narrowcast_server.uploads.receiving import single_file

routes = Routes()


@routes.get("/realm/emoji")
def list_emoji(call: Call) -> ResponseBody:
    """The organization's custom emoji."""
    return {"emoji": custom_emoji_table(call.core)}


@routes.add("POST", "/realm/emoji/{name}", streaming=True, callers=Callers.MEMBERS)
async def create_emoji(call: Call) -> ResponseBody:
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
