"""People and bots (USR rows)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from narrowcast_api.model.reading import LARGEST, BadRow, Row, id_of_key, optional_int, optional_text, table

MEMBER_ROLE = 400


_FLAG_ROLES = (("is_owner", 100), ("is_admin", 200), ("is_moderator", 300), ("is_guest", 600))


class ProfileValue(NamedTuple):
    """What somebody filled into one custom profile field; `rendered` is HTML, for fields with Markdown."""

    value: str
    rendered: str | None = None


class User(NamedTuple):
    """One person or bot. A tuple, because organizations have 50,000 of them."""

    user_id: int
    full_name: str
    email: str
    delivery_email: str | None = None
    role: int = MEMBER_ROLE
    is_active: bool = True
    is_bot: bool = False
    bot_type: int | None = None
    bot_owner_id: int | None = None
    is_system_bot: bool = False
    timezone: str = ""
    date_joined: str = ""
    profile: Mapping[int, ProfileValue] = {}


def read_role(row: Row) -> int:
    """The role code; servers that do not send it say the same with booleans."""
    role = row.get("role")
    if type(role) is int:
        return role
    for flag, code in _FLAG_ROLES:
        if row.get(flag) is True:
            return code
    return MEMBER_ROLE


def read_user(row: Row, *, is_active: bool = True) -> User:
    """A row of `realm_users`, `realm_non_active_users`, `cross_realm_bots` or of a `realm_user` event.

    The checks by hand are for speed: each call would cost a snapshot of 50,000 people some milliseconds.
    """
    get = row.get
    user_id = get("user_id")
    if type(user_id) is not int or not -LARGEST <= user_id <= LARGEST:
        raise BadRow("user_id")
    name, email, role, profile = get("full_name"), get("email"), get("role"), get("profile_data")
    address, active = get("delivery_email"), get("is_active")
    zone, joined = get("timezone"), get("date_joined")
    is_bot = get("is_bot") is True
    return User(
        user_id,
        name if type(name) is str else "",
        email if type(email) is str else "",
        address if type(address) is str else None,
        role if type(role) is int else read_role(row),
        active if type(active) is bool else is_active,
        is_bot,
        optional_int(row, "bot_type") if is_bot else None,
        optional_int(row, "bot_owner_id") if is_bot else None,
        get("is_system_bot") is True,
        zone if type(zone) is str else "",
        joined if type(joined) is str else "",
        _read_profile(profile) if profile else _NO_PROFILE,
    )


_NO_PROFILE: Mapping[int, ProfileValue] = MappingProxyType({})


def _read_profile(value: object) -> dict[int, ProfileValue]:
    profile: dict[int, ProfileValue] = {}
    for key, entry in table(value).items():
        fields = table(entry)
        content = fields.get("value")
        field_id = id_of_key(str(key))
        if field_id is not None and content is not None:
            profile[field_id] = ProfileValue(str(content), optional_text(fields, "rendered_value"))
    return profile
