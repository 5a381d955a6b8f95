"""Users, messages and groups as shown to guests who may not know of everyone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from narrowcast_api.wire.vocabulary import Role
from narrowcast_server.organization.models import User
from narrowcast_server.queries.users import iso_time

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


UNKNOWN_NAME: Final = "Unknown user"
_UNKNOWN_PICTURE: Final = "/static/images/icon.png"


def known_of(seen: frozenset[int] | None, user_ids: Iterable[int]) -> list[int]:
    return [identity for identity in user_ids if seen is None or identity in seen]


def group_as_seen(seen: frozenset[int] | None, group: dict[str, object]) -> dict[str, object]:
    """A user group object with only those members whom the viewer may know of."""
    members = group["members"]
    assert isinstance(members, list)
    return group if seen is None else {**group, "members": known_of(seen, members)}


def unknown_person(organization: Organization, user: User) -> dict[str, object]:
    """A placeholder for a user whom the viewer may not know of, for clients that need an entry for every id."""
    return {
        "email": organization.dummy_address(user.id),
        "user_id": user.id,
        "avatar_version": 1,
        "is_admin": False,
        "is_owner": False,
        "is_guest": False,
        "role": int(Role.MEMBER),
        "is_bot": False,
        "full_name": UNKNOWN_NAME,
        "timezone": "",
        "date_joined": iso_time(organization.setting("date_created", int)),
        "delivery_email": None,
        "is_imported_stub": False,
        "avatar_url": _UNKNOWN_PICTURE,
        "bot_type": None,
        "bot_owner_id": None,
        "is_active": user.is_active,
        "profile_data": {},
    }


def reactor(organization: Organization, user_id: int) -> dict[str, object]:
    """The `user` of a reaction, for viewers who may not know of that user."""
    return {"email": organization.dummy_address(user_id), "full_name": UNKNOWN_NAME}


def as_seen(
    organization: Organization, seen: frozenset[int] | None, message: dict[str, Any]
) -> dict[str, Any]:
    """A message object without the names of users whom the viewer may not know of."""
    if seen is None or message["sender_id"] in seen:
        return message
    return without_sender(organization, message, message["sender_id"])


def without_sender(
    organization: Organization, message: dict[str, object], sender_id: int
) -> dict[str, object]:
    """A message object for viewers who may not know of its sender."""
    return {
        **message,
        "sender_full_name": UNKNOWN_NAME,
        "sender_email": organization.dummy_address(sender_id),
        "avatar_url": _UNKNOWN_PICTURE,
        "_avatar_by_provider": False,
    }
