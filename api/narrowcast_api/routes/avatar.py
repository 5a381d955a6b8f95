"""The current user's own picture (outside the contract, CONV-23)."""

from __future__ import annotations

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import Bound, Operations, read
from narrowcast_api.wire.users import AvatarResponse


async def set_avatar(
    connection: Connection, *, image: bytes, file_name: str = "avatar.png", content_type: str = "image/png"
) -> str:
    """POST /users/me/avatar: upload a picture; returns its address, relative to the organization's.

    Raises BadImage, which is a BadRequest, if it is not an image or too large.
    """
    if not image:
        raise InvalidInput("the picture is empty")
    files = {"file": (file_name, image, content_type)}
    return read(AvatarResponse, await connection.request("POST", "/users/me/avatar", files=files)).avatar_url


async def delete_avatar(connection: Connection) -> str:
    """DELETE /users/me/avatar: remove the picture; returns the address of the one that replaces it."""
    return read(AvatarResponse, await connection.request("DELETE", "/users/me/avatar")).avatar_url


class AvatarOperations(Operations):
    """The current user's own picture."""

    set = Bound(set_avatar)
    delete = Bound(delete_avatar)
