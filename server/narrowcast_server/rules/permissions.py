"""Evaluation of permissions: group-setting values with nested subgroups."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import TYPE_CHECKING, Final, cast

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import Role, SystemGroup
from narrowcast_server.organization.errors import ServiceError, not_administrator, not_owner
from narrowcast_server.organization.models import Channel, Group, User

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

SettingValue = int | dict[str, list[int]]
"""A group id, or `direct_members` and `direct_subgroups` (GSV-01, GSV-02)."""

_LEAST_ROLE: Final[dict[str, Role]] = {
    SystemGroup.INTERNET: Role.GUEST,
    SystemGroup.EVERYONE: Role.GUEST,
    SystemGroup.MEMBERS: Role.MEMBER,
    SystemGroup.FULL_MEMBERS: Role.MEMBER,
    SystemGroup.MODERATORS: Role.MODERATOR,
    SystemGroup.ADMINISTRATORS: Role.ADMINISTRATOR,
    SystemGroup.OWNERS: Role.OWNER,
}
NO_GUESTS: Final = {
    "realm": frozenset(
        {
            "create_multiuse_invite_group",
            "can_add_subscribers_group",
            "can_add_custom_emoji_group",
            "can_create_bots_group",
            "can_create_groups",
            "can_create_public_channel_group",
            "can_create_private_channel_group",
            "can_create_write_only_bots_group",
            "can_delete_any_message_group",
            "can_invite_users_group",
            "can_manage_all_groups",
            "can_manage_billing_group",
            "can_move_messages_between_channels_group",
            "can_set_delete_message_policy_group",
        }
    ),
    "stream": frozenset({"can_add_subscribers_group", "can_administer_channel_group", "can_subscribe_group"}),
    "group": frozenset(
        {"can_add_members_group", "can_join_group", "can_manage_group", "can_remove_members_group"}
    ),
}
"""Permissions that guests never hold, by kind of object, so that they cannot be given to everyone either."""
_DAY: Final = 86_400


def system_group(organization: Organization, name: str) -> Group:
    """The system group of this name."""
    for group in organization.groups.all():
        if group.is_system and group.name == name:
            return group
    raise LookupError(name)


def in_group(organization: Organization, user: User, group_id: int) -> bool:
    """Whether a user is in a group, directly or through subgroups; deactivated groups have no members."""
    members = organization.memberships.members_of(group_id)
    return user.id in members.user_ids or any(
        _in_system_group(organization, user, name) for name in members.system_groups
    )


def _in_system_group(organization: Organization, user: User, name: str) -> bool:
    if not user.is_active:
        return False
    if name == SystemGroup.FULL_MEMBERS and user.role is Role.MEMBER:
        return (
            organization.now() - user.date_joined
            >= organization.setting("waiting_period_threshold", int) * _DAY
        )
    least = _LEAST_ROLE.get(name)
    return least is not None and user.role <= least


def all_members(organization: Organization, group_id: int) -> set[int]:
    """Ids of the active users in a group and its subgroups."""
    return {
        user.id
        for user in organization.users.all()
        if user.is_active and in_group(organization, user, group_id)
    }


def holds(organization: Organization, user: User, value: object) -> bool:
    """Whether a group-setting value includes a user; never for deactivated users."""
    if not user.is_active:
        return False
    if isinstance(value, int):
        return in_group(organization, user, value)
    if not isinstance(value, dict):
        return False
    parts = cast("dict[str, list[int]]", value)
    return user.id in parts.get("direct_members", ()) or any(
        in_group(organization, user, group_id) for group_id in parts.get("direct_subgroups", ())
    )


def realm_allows(organization: Organization, user: User, setting: str) -> bool:
    """Whether a user holds a permission of the organization."""
    return _allows(organization, user, "realm", setting, organization.settings[setting])


def channel_allows(organization: Organization, user: User, channel: Channel, setting: str) -> bool:
    """Whether a user holds a permission of a channel."""
    return _allows(organization, user, "stream", setting, channel.settings.get(setting))


def group_allows(organization: Organization, user: User, group: Group, setting: str) -> bool:
    """Whether a user holds a permission of a user group."""
    return _allows(organization, user, "group", setting, group.settings.get(setting))


def _allows(organization: Organization, user: User, kind: str, setting: str, value: object) -> bool:
    if user.is_guest and setting in NO_GUESTS[kind]:
        return False
    return holds(organization, user, value)


def allows_in(
    organization: Organization, user: User, channel: Channel | None, of_realm: str, of_channel: str
) -> bool:
    """Whether a user holds a permission of the organization or, if a channel is given, one of the channel."""
    return realm_allows(organization, user, of_realm) or (
        channel is not None and channel_allows(organization, user, channel, of_channel)
    )


def administers_channel(organization: Organization, user: User, channel: Channel) -> bool:
    """Whether the user is an administrator or holds the channel's own permission to administer it."""
    return user.is_administrator or channel_allows(
        organization, user, channel, "can_administer_channel_group"
    )


def require_administrator(user: User) -> None:
    """Raises UNAUTHORIZED_PRINCIPAL unless the user is an owner or administrator."""
    if not user.is_administrator:
        raise not_administrator()


def require_owner(user: User) -> None:
    """Raises UNAUTHORIZED_PRINCIPAL unless the user is an owner."""
    if not user.is_owner:
        raise not_owner()


class Callers(Enum):
    """Users who may call an operation, whatever its parameters: (guests, bots, lowest role)."""

    ALL = (True, True, Role.GUEST)
    PEOPLE = (True, False, Role.GUEST)
    """Everyone except bots; guests too."""
    MEMBERS = (False, False, Role.GUEST)
    """Everyone except guests and bots."""
    NO_GUESTS = (False, True, Role.GUEST)
    ADMINISTRATORS = (True, True, Role.ADMINISTRATOR)
    OWNERS = (True, True, Role.OWNER)

    def check(self, user: User) -> None:
        """Raises BAD_REQUEST or UNAUTHORIZED_PRINCIPAL if the user may not call the operation."""
        guests, bots, role = self.value
        if role is Role.OWNER:
            require_owner(user)
        elif role is Role.ADMINISTRATOR:
            require_administrator(user)
        if user.is_guest and not guests:
            raise ServiceError("Not allowed for guest users")
        if user.is_bot and not bots:
            raise ServiceError("This endpoint does not accept bot requests.")


def require_member(user: User) -> None:
    """Raises BAD_REQUEST for guests."""
    Callers.NO_GUESTS.check(user)


def setting_value(organization: Organization, raw: object) -> SettingValue:
    """A well-formed group-setting value, checked: the groups exist and are active, the users exist and are
    active (GSV-18).

    A single group becomes its id, an empty value the id of the group "nobody"
    (zulip.com/api/group-setting-values).
    """
    if isinstance(raw, int):
        _check_groups(organization, [raw])
        return raw
    assert isinstance(raw, dict)
    members, subgroups = raw.get("direct_members", []), raw.get("direct_subgroups", [])
    _check_groups(organization, subgroups)
    for user_id in members:
        user = organization.users.get(user_id)
        if user is None or not user.is_active:
            raise ServiceError(f"Invalid user ID: {user_id}")
    if not members and not subgroups:
        return system_group(organization, SystemGroup.NOBODY.value).id
    if not members and len(set(subgroups)) == 1:
        return int(subgroups[0])
    return {"direct_members": sorted(set(members)), "direct_subgroups": sorted(set(subgroups))}


def _check_groups(organization: Organization, group_ids: Iterable[int]) -> None:
    for group_id in group_ids:
        group = organization.groups.get(group_id) if abs(group_id) < 2**53 else None
        if group is None:
            raise ServiceError("Invalid user group")
        if group.deactivated:
            raise ServiceError("User group is deactivated.")


def outgoing_value(organization: Organization, value: object) -> object:
    """A group-setting value for responses and events: without deactivated users from level 303 (GSV-03)."""
    if organization.level < Gate.DIRECT_MEMBERS_ACTIVE.level or not isinstance(value, dict):
        return value
    members = [identity for identity in value["direct_members"] if organization.users[identity].is_active]
    return {**value, "direct_members": members}
