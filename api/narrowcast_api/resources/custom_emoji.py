"""The organization's own emoji (outside the contract, CONV-23)."""

from __future__ import annotations

from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import Bound, Done, Group, read, text_segment
from narrowcast_api.model import custom_emoji as model
from narrowcast_api.wire.organization import CustomEmojiList


async def list_custom_emoji(connection: Connection) -> dict[str, model.CustomEmoji]:
    """GET /realm/emoji: emoji by id, including deactivated ones, because old messages still show them."""
    return dict(read(CustomEmojiList, await connection.request("GET", "/realm/emoji")).emoji)


async def upload_custom_emoji(
    connection: Connection,
    *,
    emoji_name: str,
    image: bytes,
    file_name: str = "emoji.png",
    content_type: str = "image/png",
) -> Done:
    """POST /realm/emoji/{emoji_name}: create an emoji from the bytes of an image.

    Raises BadRequest if the name is taken or invalid, BadImage if it is not an image.
    """
    path = f"/realm/emoji/{text_segment(emoji_name, 'emoji_name')}"
    files = {"filename": (file_name, image, content_type)}
    return read(Done, await connection.request("POST", path, files=files))


async def deactivate_custom_emoji(connection: Connection, *, emoji_name: str) -> Done:
    """DELETE /realm/emoji/{emoji_name}: deactivate an emoji. Raises NotFound if there is none of that name."""
    path = f"/realm/emoji/{text_segment(emoji_name, 'emoji_name')}"
    return read(Done, await connection.request("DELETE", path))


class CustomEmoji(Group):
    """The organization's own emoji."""

    list = Bound(list_custom_emoji)
    upload = Bound(upload_custom_emoji)
    deactivate = Bound(deactivate_custom_emoji)
