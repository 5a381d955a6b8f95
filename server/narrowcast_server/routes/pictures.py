"""Uploaded pictures: the caller's avatar, the organization's icon, its logos for light and dark themes."""

from __future__ import annotations

from narrowcast_server.http.params import boolean, missing, required
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.models import User
from narrowcast_server.organization.organization import Organization
from narrowcast_server.queries.organization import Picture, picture_source, picture_url
from narrowcast_server.queries.users import avatar_url
from narrowcast_server.resources.custom_emoji import PICTURES
from narrowcast_server.resources.users.accounts import emit_avatar
from narrowcast_server.rules.accounts import check_may_change_avatar
from narrowcast_server.rules.permissions import Callers
from narrowcast_server.uploads.files import ORGANIZATION
from narrowcast_server.uploads.pictures import (
    MAX_PICTURE_MIB,
    forget_picture,
    picture_bytes,
    picture_stored,
)
from narrowcast_server.uploads.receiving import file_and_fields, single_file

routes = Routes()

NIGHT = required("night", boolean)


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


@routes.add("POST", "/realm/icon", streaming=True, callers=Callers.ADMINISTRATORS)
async def set_icon(call: Call) -> ResponseBody:
    await _set(call, "icon")
    return {"icon_url": picture_url(call.organization, "icon")}


@routes.delete("/realm/icon", callers=Callers.ADMINISTRATORS)
def delete_icon(call: Call) -> ResponseBody:
    """Goes back to this server's own logo as the icon."""
    _store(call.organization, "icon", None)
    return {"icon_url": picture_url(call.organization, "icon")}


@routes.add("POST", "/realm/logo", streaming=True, callers=Callers.ADMINISTRATORS)
async def set_logo(call: Call) -> ResponseBody:
    """Sets the logo for light themes, or with `night` for dark themes."""
    await _set(call, None)
    return {}


@routes.delete("/realm/logo", NIGHT, callers=Callers.ADMINISTRATORS)
def delete_logo(call: Call) -> ResponseBody:
    """Goes back to this server's own logo."""
    _store(call.organization, "night_logo" if call[NIGHT] else "logo", None)
    return {}


async def _set(call: Call, picture: Picture | None) -> None:
    one = "You must upload exactly one icon." if picture else "You must upload exactly one logo."
    async with file_and_fields(call.request, MAX_PICTURE_MIB, one, one) as (upload, fields):
        if picture is None:
            if "night" not in fields:
                raise missing("night")
            picture = "night_logo" if boolean("night", fields["night"]) else "logo"
        content = await picture_bytes(upload)
    call.confirm()
    with picture_stored(call.organization, content) as stored:
        _store(call.organization, picture, stored)


def _store(organization: Organization, picture: Picture, stored: str | None) -> None:
    """Stores the name of the new picture, deletes the previous picture, and notifies everyone."""
    name = f"{picture}_picture"
    before, after = (
        organization.settings[name],
        None if stored is None else f"{PICTURES}/{ORGANIZATION}/{stored}",
    )
    if before == after:
        return
    forget_picture(organization, before)
    organization.set_settings(**{name: after})
    data = {
        f"{picture}_url": picture_url(organization, picture),
        f"{picture}_source": picture_source(organization, picture),
    }
    event = {"type": "realm", "op": "update_dict", "property": picture, "data": data}
    organization.emit(event, organization.user_ids())
