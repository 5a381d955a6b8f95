"""Pictures: the current user's own, the organization's icon and logos (outside the contract, CONV-23)."""

from __future__ import annotations

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import Bound, Done, Operations, read
from narrowcast_api.wire.organization import IconResponse
from narrowcast_api.wire.users import AvatarResponse


async def set_avatar(
    connection: Connection, *, image: bytes, file_name: str = "avatar.png", content_type: str = "image/png"
) -> str:
    """POST /users/me/avatar: upload a picture; returns its address, relative to the organization's.

    Raises BadImage, which is a BadRequest, if it is not an image or too large.
    """
    files = {"file": (file_name, _checked(image), content_type)}
    return read(AvatarResponse, await connection.request("POST", "/users/me/avatar", files=files)).avatar_url


async def delete_avatar(connection: Connection) -> str:
    """DELETE /users/me/avatar: remove the picture; returns the address of the one that replaces it."""
    return read(AvatarResponse, await connection.request("DELETE", "/users/me/avatar")).avatar_url


async def set_icon(
    connection: Connection, *, image: bytes, file_name: str = "icon.png", content_type: str = "image/png"
) -> str:
    """POST /realm/icon: upload the organization's square picture; returns its address.

    Raises BadImage, which is a BadRequest, if it is not an image or too large; UnauthorizedPrincipal if the
    current user is not an administrator.
    """
    files = {"file": (file_name, _checked(image), content_type)}
    return read(IconResponse, await connection.request("POST", "/realm/icon", files=files)).icon_url


async def remove_icon(connection: Connection) -> str:
    """DELETE /realm/icon: restore the server's default icon; returns its address."""
    return read(IconResponse, await connection.request("DELETE", "/realm/icon")).icon_url


async def set_logo(
    connection: Connection,
    *,
    image: bytes,
    night: bool = False,
    file_name: str = "logo.png",
    content_type: str = "image/png",
) -> Done:
    """POST /realm/logo: upload the organization's wide picture, or with `night` the one for dark themes.
    Raises the same errors as `set_icon`.
    """
    files = {"file": (file_name, _checked(image), content_type)}
    return read(Done, await connection.request("POST", "/realm/logo", {"night": night}, files=files))


async def remove_logo(connection: Connection, *, night: bool = False) -> Done:
    """DELETE /realm/logo: restore the server's default logo."""
    return read(Done, await connection.request("DELETE", "/realm/logo", {"night": night}))


def _checked(image: bytes) -> bytes:
    if not image:
        raise InvalidInput("the picture is empty")
    return image


class AvatarOperations(Operations):
    """The current user's own picture."""

    set = Bound(set_avatar)
    delete = Bound(delete_avatar)


class OrganizationPictureOperations(Operations):
    """The organization's icon and logos."""

    set_icon = Bound(set_icon)
    remove_icon = Bound(remove_icon)
    set_logo = Bound(set_logo)
    remove_logo = Bound(remove_logo)
