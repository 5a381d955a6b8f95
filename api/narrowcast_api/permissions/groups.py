"""Who may change user groups, and to which groups a permission may be given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from narrowcast_api.model.user_groups import (
    GroupSettingValue,
    UserGroup,
    group_settings,
    names_group,
    read_group_setting,
)
from narrowcast_api.permissions.refusal import ALLOWED, Refusal
from narrowcast_api.permissions.roles import holders, is_administrator, only
from narrowcast_api.state.holder_rules import HolderRule
from narrowcast_api.wire.vocabulary import GroupSetting as GroupPermission

if TYPE_CHECKING:
    from narrowcast_api.state.state import State

_ROLES = (
    "role:everyone",
    "role:members",
    "role:fullmembers",
    "role:moderators",
    "role:administrators",
    "role:owners",
    "role:nobody",
)
"""The system groups that may hold a permission, largest first, with nobody last."""


def named_groups(state: State) -> list[UserGroup]:
    """The groups that users created, by name, without deactivated ones."""
    groups = [group for group in state.user_groups if not group.is_system and not group.deactivated]
    return sorted(groups, key=lambda group: group.name.casefold())


def possible_holders(state: State, rule: HolderRule | None = None) -> list[UserGroup]:
    """The groups that may hold a permission: system groups, largest first, then the others by name."""
    rule = rule or HolderRule()
    by_name = {group.name: group for group in state.user_groups if group.is_system}
    roles = [by_name[name] for name in _ROLES if name in by_name and rule.allows(name)]
    return roles if rule.system_only else [*roles, *named_groups(state)]


def manages_all_groups(state: State) -> bool:
    """Whether the current user manages all groups: by default owners, on older servers administrators."""
    if "can_manage_all_groups" in state.organization:
        return state.has_permission("can_manage_all_groups")
    return is_administrator(state)


def in_use_refusal(state: State, group: UserGroup) -> Refusal:
    """Returns a refusal if the group is part of another or holds a permission, as far as the current user can see."""
    groups = [other for other in state.user_groups if not other.deactivated]
    places = [f"a subgroup of @{other.name}" for other in groups if group.id in other.subgroups]
    places += [
        f"in the permissions of @{other.name}"
        for other in groups
        if _is_named(group, other.permissions.values())
    ]
    places += [
        f"in the permissions of #{channel.name}"
        for channel in state.channels
        if not channel.is_archived and _is_named(group, channel.permissions.values())
    ]
    if _is_named(group, (setting for _, setting in group_settings(state.organization.items()))):
        places.append("in the permissions of the organization")
    return Refusal(f"@{group.name} is in use: it is {', '.join(places)}.") if places else ALLOWED


def _is_named(group: UserGroup, settings: Iterable[GroupSettingValue]) -> bool:
    return any(names_group(setting, group.id) for setting in settings)


def group_refusal(state: State, group: UserGroup, permission: GroupPermission | None, act: str) -> Refusal:
    """Returns a refusal unless the current user manages the group or holds its ``permission``; always for
    system groups.
    """
    if group.is_system:
        return Refusal("The groups of the roles follow from the roles; they are not edited.")
    if manages_all_groups(state):
        return ALLOWED
    names = [GroupPermission.MANAGE] if permission is None else [GroupPermission.MANAGE, permission]
    given = {name: group.permissions[name] for name in names if name in group.permissions}
    if not given or any(state.holds("group", name, setting) for name, setting in given.items()):
        return ALLOWED
    everywhere = read_group_setting(state.organization.get("can_manage_all_groups"))
    managers = "admins" if everywhere is None else holders(state, everywhere)
    who = dict.fromkeys(
        name for name in (managers, holders(state, list(given.values())[-1])) if name != "nobody"
    )
    return only(" and ".join(who) or "nobody", act)
