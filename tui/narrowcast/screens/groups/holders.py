"""Who holds a permission: choosing a group, or people and groups by name, and the value as it travels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from narrowcast.commands import permissions
from narrowcast_api.state.groups import AdHocGroup, Group, GroupSetting

if TYPE_CHECKING:
    from narrowcast_api.state.state import State
    from narrowcast_api.wire.groups import GroupSettingValue, UserGroup

_ORDER = (
    "role:everyone",
    "role:members",
    "role:fullmembers",
    "role:moderators",
    "role:administrators",
    "role:owners",
    "role:nobody",
)
"""The groups of the roles that a permission may name, the largest first; nobody last."""


def groups_to_name(state: State) -> list[Group]:
    """The groups that a permission may be given to: those of the roles, then the others by name."""
    by_name = {group.name: group for group in state.groups if group.is_system}
    roles = [by_name[name] for name in _ORDER if name in by_name]
    return [*roles, *named_groups(state)]


def named_groups(state: State) -> list[Group]:
    """The groups that people made, by name; deactivated ones not."""
    found = [group for group in state.groups if not group.is_system and not group.deactivated]
    return sorted(found, key=lambda group: group.name.casefold())


def group_id_of(state: State, name: str) -> int | None:
    """The id of a group that was named; groups of the roles too, by the words that stand for them."""
    wanted = name.strip().casefold()
    for group in groups_to_name(state):
        if wanted in (group.name.casefold(), permissions.group_name(state, group.id).casefold()):
            return group.id
    return None


def suggest_groups(state: State, typed: str) -> Sequence[str]:
    """What a list of groups, separated by semicolons, could become."""
    done, _, last = typed.rpartition(";")
    begun = last.strip().casefold()
    lead = f"{done}; " if done else ""
    titles = [permissions.group_name(state, group.id) for group in groups_to_name(state)]
    return [lead + title for title in titles if title.casefold().startswith(begun)]


def setting_of(people: Iterable[int], groups: Iterable[int]) -> GroupSetting:
    """People and groups as a permission; one group alone is its id."""
    members, subgroups = frozenset(people), frozenset(groups)
    if not members and len(subgroups) == 1:
        return next(iter(subgroups))
    return AdHocGroup(members, subgroups)


def to_wire(setting: GroupSetting) -> int | dict[str, list[int]]:
    """A permission as settings of the organization carry it."""
    if isinstance(setting, AdHocGroup):
        return {
            "direct_members": sorted(setting.direct_members),
            "direct_subgroups": sorted(setting.direct_subgroups),
        }
    return setting


def to_model(setting: GroupSetting) -> GroupSettingValue:
    """A permission as the routes of groups take it."""
    from narrowcast_api.wire.groups import GroupSettingMembers

    if isinstance(setting, AdHocGroup):
        return GroupSettingMembers(
            direct_members=sorted(setting.direct_members), direct_subgroups=sorted(setting.direct_subgroups)
        )
    return setting


def as_model(group: Group) -> UserGroup:
    """A group as the routes take it, for what must travel along with a change."""
    from narrowcast_api.wire.groups import UserGroup

    return UserGroup(
        id=group.id, name=group.name, description=group.description, deactivated=group.deactivated
    )
