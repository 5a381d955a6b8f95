"""Setting and removing the caller's avatar."""

from __future__ import annotations

from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.models import User
from narrowcast_server.organization.organization import Organization
from narrowcast_server.queries.users import avatar_url
from narrowcast_server.resources.custom_emoji import PICTURES
from narrowcast_server.resources.users.accounts import emit_avatar
from narrowcast_server.rules.accounts import check_may_change_avatar
from narrowcast_server.uploads.files import ORGANIZATION
from narrowcast_server.uploads.pictures import (
    MAX_PICTURE_MIB,
    forget_picture,
    picture_bytes,
    picture_stored,
)
from narrowcast_server.uploads.receiving import single_file

routes = Routes()


@routes.add("POST", "/users/me/avatar", streaming=True)
async def set_avatar(call: Call) -> ResponseBody:
    """Sets the caller's avatar."""
    check_may_change_avatar(call.organization, call.user)
    one = "You must upload exactly one avatar."
    async with single_file(call.request, MAX_PICTURE_MIB, one, one) as upload:
        picture = await picture_bytes(upload)
    call.confirm()
    with picture_stored(call.organization, picture) as stored:
        return changed_avatar(call.organization, call.user, f"{PICTURES}/{ORGANIZATION}/{stored}")


@routes.delete("/users/me/avatar")
def delete_avatar(call: Call) -> ResponseBody:
    """Goes back to the avatar derived from the email address."""
    check_may_change_avatar(call.organization, call.user)
    return changed_avatar(call.organization, call.user, None)


def changed_avatar(organization: Organization, user: User, url: str | None) -> ResponseBody:
    """Stores the URL of the new avatar, deletes the previous picture, and notifies everyone."""
    forget_picture(organization, user.avatar_url)
    changed = organization.users.update(user.id, avatar_url=url, avatar_version=user.avatar_version + 1)
    emit_avatar(organization, changed)
    return {"avatar_url": avatar_url(changed)}
