"""Permissions to change user groups and their members."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import GroupSetting
from narrowcast_server.organization.errors import ServiceError, insufficient_permission
from narrowcast_server.organization.models import Group, User
from narrowcast_server.organization.realm_settings import GROUP_SETTINGS
from narrowcast_server.rules.permissions import (
    group_allows,
    realm_allows,
    require_member,
)

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def group_named_by(organization: Organization, group_id: int) -> Group:
    """The group with this id; raises BAD_REQUEST if there is none (GRPU-10)."""
    group = organization.groups.get(group_id)
    if group is None:
        raise ServiceError("Invalid user group")
    return group


def may_manage(organization: Organization, user: User, group: Group) -> bool:
    """Whether the user may change the group: from level 283 holders of can_manage_group (GRPU-11), and
    holders of the organization's can_manage_all_groups, or administrators at levels without that permission.
    """
    if organization.level < Gate.MANAGE_ALL_GROUPS.level:
        if user.is_administrator:
            return True
    elif realm_allows(organization, user, "can_manage_all_groups"):
        return True
    return organization.level >= Gate.GROUP_MANAGE.level and group_allows(
        organization, user, group, GroupSetting.MANAGE
    )


def may_add_members(organization: Organization, user: User, group: Group) -> bool:
    """Whether the user may manage the group or, from level 305, holds can_add_members_group (GSV-08, INV-19)."""
    if may_manage(organization, user, group):
        return True
    return organization.level >= Gate.GROUP_ADD_MEMBERS.level and group_allows(
        organization, user, group, GroupSetting.ADD_MEMBERS
    )


def may_remove_members(organization: Organization, user: User, group: Group) -> bool:
    if may_manage(organization, user, group):
        return True
    return organization.level >= Gate.GROUP_REMOVE_MEMBERS.level and group_allows(
        organization, user, group, GroupSetting.REMOVE_MEMBERS
    )


def uses(organization: Organization, group: Group) -> list[dict[str, object]]:
    """Groups that contain the group and permissions that name it; archived and deactivated holders do not count."""
    found: list[dict[str, object]] = []
    if above := [
        i for i in organization.memberships.above(group.id) if not organization.groups[i].deactivated
    ]:
        found.append({"type": "subgroup", "supergroup_ids": above})
    for channel in organization.channels.all():
        if not channel.is_archived and (names := _naming(group, channel.settings)):
            found.append({"type": "channel", "channel_id": channel.id, "settings": names})
    for other in organization.groups.all():
        if not other.deactivated and (names := _naming(group, other.settings)):
            found.append({"type": "user_group", "group_id": other.id, "settings": names})
    if names := _naming(group, {name: organization.settings[name] for name in GROUP_SETTINGS}):
        found.append({"type": "realm", "settings": names})
    return found


def _naming(group: Group, settings: Mapping[str, object]) -> list[str]:
    """The names of the permissions whose value names the group."""
    return [
        name
        for name, value in settings.items()
        if value == group.id or (isinstance(value, dict) and group.id in value["direct_subgroups"])
    ]


def managed_group(organization: Organization, user: User, group_id: int) -> Group:
    """A group that the user may change; raises BAD_REQUEST for others, and for system groups."""
    group = group_named_by(organization, group_id)
    if group.is_system or not may_manage(organization, user, group):
        raise insufficient_permission()
    return group


def check_membership(
    organization: Organization, user: User, group: Group, joins: set[int], leaves: set[int]
) -> None:
    only_self = {user.id}
    may_join = joins == only_self and group_allows(organization, user, group, GroupSetting.JOIN)
    may_leave = leaves == only_self and group_allows(organization, user, group, GroupSetting.LEAVE)
    allowed = (not joins or may_join or may_add_members(organization, user, group)) and (
        not leaves or may_leave or may_remove_members(organization, user, group)
    )
    if group.is_system or not allowed:
        raise insufficient_permission()


def check_may_create_group(organization: Organization, user: User) -> None:
    """Raises BAD_REQUEST for guests, and for users without permission."""
    require_member(user)
    if not realm_allows(organization, user, "can_create_groups"):
        raise insufficient_permission()
