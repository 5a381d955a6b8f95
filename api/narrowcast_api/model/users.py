"""People and bots (USR rows)."""

from __future__ import annotations

from collections.abc import Mapping
from sys import intern
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from narrowcast_api.model.reading import (
    MAX_INT64,
    BadRow,
    RawRecord,
    id_of_key,
    integer,
    optional_int,
    optional_text,
    required_int,
    table,
)
from narrowcast_api.wire.vocabulary import Role

MEMBER_ROLE = 400


_FLAG_ROLES = (("is_owner", 100), ("is_admin", 200), ("is_moderator", 300), ("is_guest", 600))


_ROLES: Mapping[object, int] = {int(role): int(role) for role in Role}
"""A shared integer for each role, because the JSON decoder creates a new one for each user."""


class ProfileValue(NamedTuple):
    """A user's value of one custom profile field; `rendered` is HTML, for fields with Markdown."""

    value: str
    rendered: str | None = None


class Avatar(NamedTuple):
    """A user's picture: its address, or None for the third-party picture of the user's email address (USR-23)."""

    url: str | None
    version: int = 0


_NO_PROFILE: Mapping[int, ProfileValue] = MappingProxyType({})


class User(Struct, frozen=True, gc=False):
    """One person or bot. The garbage collector does not track them, because organizations may have 50,000.

    `delivery_email` is None if the current user may not see it, or if a server below level 163 leaves it out
    (USR-09). `is_deleted`: the account was deleted for good, so it is not active either. `date_joined` is as the
    server sent it (USR-30). `avatar` and `max_message_id` are set only in responses to requests about a user;
    `avatar` may be None even there: request it when it is needed (USR-24).
    """

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
    profile: Mapping[int, ProfileValue] = _NO_PROFILE
    avatar: Avatar | None = None
    max_message_id: int | None = None
    is_deleted: bool = False

    @property
    def known_email(self) -> str:
        """The API address; empty if it is only a placeholder (`user10@` and the server's name), which nobody knows."""
        return "" if self.email.startswith(f"user{self.user_id}@") else self.email

    @property
    def shown_email(self) -> str:
        """The real address if the current user may see it, else the API address if it is one that people know."""
        return self.delivery_email or self.known_email

    @property
    def is_owner(self) -> bool:
        return self.role == Role.OWNER

    @property
    def is_admin(self) -> bool:
        """Owners are administrators too."""
        return self.role <= Role.ADMINISTRATOR

    @property
    def is_guest(self) -> bool:
        return self.role == Role.GUEST


def read_role(row: RawRecord) -> int:
    """Reads the role code; servers that do not send it send booleans instead."""
    role = row.get("role")
    if type(role) is int:
        return role
    for flag, code in _FLAG_ROLES:
        if row.get(flag) is True:
            return code
    return MEMBER_ROLE


def read_user(row: RawRecord, *, is_active: bool = True) -> User:
    """Reads a row of `realm_users`, `realm_non_active_users`, `cross_realm_bots` or of a `realm_user` event.

    The checks are inline for speed: each call would cost some milliseconds for a snapshot of 50,000 people.
    """
    get = row.get
    user_id = get("user_id")
    if type(user_id) is not int or not -MAX_INT64 <= user_id <= MAX_INT64:
        raise BadRow("user_id")
    name, email, role, profile = get("full_name"), get("email"), get("role"), get("profile_data")
    address, active = get("delivery_email"), get("is_active")
    zone, joined = get("timezone"), get("date_joined")
    is_bot = get("is_bot") is True
    return User(
        user_id,
        name if type(name) is str else "",
        email if type(email) is str else "",
        (email if address == email else address) if type(address) is str else None,  # share one string
        _ROLES.get(role, role) if type(role) is int else read_role(row),
        active if type(active) is bool else is_active,
        is_bot,
        optional_int(row, "bot_type") if is_bot else None,
        optional_int(row, "bot_owner_id") if is_bot else None,
        get("is_system_bot") is True,
        intern(zone) if type(zone) is str else "",
        joined if type(joined) is str else "",
        _read_profile(profile) if profile else _NO_PROFILE,
        is_deleted=get("is_deleted") is True,
    )


def read_fetched_user(row: RawRecord) -> User:
    """Reads the response to a request about a user."""
    avatar = None
    if "avatar_url" in row:
        avatar = Avatar(optional_text(row, "avatar_url"), integer(row, "avatar_version"))
    return replace(read_user(row), avatar=avatar, max_message_id=optional_int(row, "max_message_id"))


class UserChange(NamedTuple):
    """Changed properties of a user, by wire name."""

    user_id: int
    values: RawRecord


def read_user_change(row: RawRecord) -> UserChange:
    """Reads the `person` of a `realm_user` update."""
    return UserChange(required_int(row, "user_id"), {key: row[key] for key in row if key != "user_id"})


def _read_profile(value: object) -> dict[int, ProfileValue]:
    profile: dict[int, ProfileValue] = {}
    for key, entry in table(value).items():
        fields = table(entry)
        content, rendered = fields.get("value"), fields.get("rendered_value")
        field_id = id_of_key(key)
        if field_id is not None and content is not None:
            profile[field_id] = ProfileValue(str(content), rendered if type(rendered) is str else None)
    return profile
