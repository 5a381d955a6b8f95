"""Restrictions on who may hold a permission: excluded system groups, and permissions for system groups only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import SystemGroup
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.realm_settings import (
    CHANNEL_GROUP_SETTINGS,
    GROUP_SETTINGS,
    USER_GROUP_SETTINGS,
)
from narrowcast_server.rules.permissions import NO_GUESTS

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_DEFAULTS: Final = {"realm": GROUP_SETTINGS, "stream": CHANNEL_GROUP_SETTINGS, "group": USER_GROUP_SETTINGS}
_ROLES_ONLY: Final[dict[str, tuple[SystemGroup, ...]]] = {
    "can_access_all_users_group": (SystemGroup.EVERYONE, SystemGroup.MEMBERS),
    "can_create_web_public_channel_group": (
        SystemGroup.MODERATORS,
        SystemGroup.ADMINISTRATORS,
        SystemGroup.OWNERS,
        SystemGroup.NOBODY,
    ),
}
"""Permissions that must be held by one system group -> the groups that are possible."""
_SOMEBODY: Final = frozenset(
    {"can_access_all_users_group", "can_manage_all_groups", "can_manage_billing_group"}
)
"""Permissions that cannot be given to the system group "nobody"."""
_HELD_BY_CREATOR: Final = {
    "can_administer_channel_group": "stream_creator_or_nobody",
    "can_add_members_group": "group_creator",
    "can_manage_group": "group_creator",
}
"""Permissions that the creator of a channel or group holds by default."""


def supported() -> dict[str, object]:
    """All permissions with their rules, as in the response of POST /register: of the organization, channels, groups."""
    return {
        kind: {name: _rule(kind, name, holder) for name, holder in defaults.items()}
        for kind, defaults in _DEFAULTS.items()
    }


def _rule(kind: str, name: str, holder: str) -> dict[str, object]:
    return {
        "allow_nobody_group": name not in _SOMEBODY,
        "allow_everyone_group": name not in NO_GUESTS[kind] and name != "can_create_web_public_channel_group",
        "allow_internet_group": False,
        "default_group_name": _HELD_BY_CREATOR.get(name, holder),
        "default_for_system_groups": SystemGroup.NOBODY.value if kind == "group" else None,
        "require_system_group": name in _ROLES_ONLY,
        "allowed_system_groups": [group.value for group in _ROLES_ONLY.get(name, ())],
    }


def check_topic_creators(organization: Organization, *, protected: bool, value: object) -> None:
    """Raises BAD_REQUEST if history is protected and not everyone may create topics: new subscribers do not
    see old topics, so they cannot know whether a topic is new.
    """
    group = organization.groups.get(value) if isinstance(value, int) else None
    if protected and (group is None or group.name != SystemGroup.EVERYONE):
        raise ServiceError("Only everyone can create topics in private channels with protected history.")


def check_holder(organization: Organization, kind: str, name: str, value: object) -> None:
    """Raises ServiceError for a checked group-setting value that the permission cannot have."""
    group = organization.groups.get(value) if isinstance(value, int) else None
    if name in _ROLES_ONLY and (group is None or not group.is_system):
        raise ServiceError(
            f"'{name}' must be a system user group.", "SYSTEM_GROUP_REQUIRED", setting_name=name
        )
    if group is None:
        if name in _SOMEBODY and isinstance(value, dict) and not any(value.values()):
            raise ServiceError(f"'{name}' setting cannot be set to 'role:nobody' group.")
        return
    refused = (
        group.name == SystemGroup.INTERNET
        or (group.name == SystemGroup.EVERYONE and name in NO_GUESTS[kind])
        or (group.name == SystemGroup.NOBODY and name in _SOMEBODY)
        or (name in _ROLES_ONLY and group.name not in _ROLES_ONLY[name])
    )
    if group.is_system and refused:
        raise ServiceError(f"'{name}' setting cannot be set to '{group.name}' group.")
