"""Who may change a user group and its members."""

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
    from narrowcast_server.organization.core import Core


def group_named_by(core: Core, group_id: int) -> Group:
    """The group of this id; raises BAD_REQUEST (GRPU-10)."""
    group = core.groups.get(group_id)
    if group is None:
        raise ServiceError("Invalid user group")
    return group


def may_manage(core: Core, user: User, group: Group) -> bool:
    """From level 283 the holders of can_manage_group (GRPU-11), and who manages all groups: the holders of the
    organization's permission, before there was one administrators.
    """
    if core.level < Gate.MANAGE_ALL_GROUPS.level:
        if user.is_administrator:
            return True
    elif realm_allows(core, user, "can_manage_all_groups"):
        return True
    return core.level >= Gate.GROUP_MANAGE.level and group_allows(core, user, group, GroupSetting.MANAGE)


def may_add_members(core: Core, user: User, group: Group) -> bool:
    """Managers, and from level 305 the holders of can_add_members_group (GSV-08, INV-19)."""
    if may_manage(core, user, group):
        return True
    return core.level >= Gate.GROUP_ADD_MEMBERS.level and group_allows(
        core, user, group, GroupSetting.ADD_MEMBERS
    )


def may_remove_members(core: Core, user: User, group: Group) -> bool:
    if may_manage(core, user, group):
        return True
    return core.level >= Gate.GROUP_REMOVE_MEMBERS.level and group_allows(
        core, user, group, GroupSetting.REMOVE_MEMBERS
    )


def uses(core: Core, group: Group) -> list[dict[str, object]]:
    """Where a group is part of another, or holds a permission; what is archived or deactivated does not count."""
    found: list[dict[str, object]] = []
    if above := [i for i in core.memberships.above(group.id) if not core.groups[i].deactivated]:
        found.append({"type": "subgroup", "supergroup_ids": above})
    for channel in core.channels.all():
        if not channel.is_archived and (names := _naming(group, channel.settings)):
            found.append({"type": "channel", "channel_id": channel.id, "settings": names})
    for other in core.groups.all():
        if not other.deactivated and (names := _naming(group, other.settings)):
            found.append({"type": "user_group", "group_id": other.id, "settings": names})
    if names := _naming(group, {name: core.settings[name] for name in GROUP_SETTINGS}):
        found.append({"type": "realm", "settings": names})
    return found


def _naming(group: Group, settings: Mapping[str, object]) -> list[str]:
    """The permissions whose value names a group."""
    return [
        name
        for name, value in settings.items()
        if value == group.id or (isinstance(value, dict) and group.id in value["direct_subgroups"])
    ]


def managed_group(core: Core, user: User, group_id: int) -> Group:
    """A group that somebody may change; raises BAD_REQUEST, for system groups too."""
    group = group_named_by(core, group_id)
    if group.is_system or not may_manage(core, user, group):
        raise insufficient_permission()
    return group


def check_membership(core: Core, user: User, group: Group, joins: set[int], leaves: set[int]) -> None:
    oneself = {user.id}
    may_join = joins == oneself and group_allows(core, user, group, GroupSetting.JOIN)
    may_leave = leaves == oneself and group_allows(core, user, group, GroupSetting.LEAVE)
    allowed = (not joins or may_join or may_add_members(core, user, group)) and (
        not leaves or may_leave or may_remove_members(core, user, group)
    )
    if group.is_system or not allowed:
        raise insufficient_permission()


def check_may_create_group(core: Core, user: User) -> None:
    """Raises BAD_REQUEST for guests, and for who lacks the permission."""
    require_member(user)
    if not realm_allows(core, user, "can_create_groups"):
        raise insufficient_permission()
