"""The holders of a permission: one group, or people and groups by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from narrowcast_api import permissions
from narrowcast_api.model.user_groups import AdHocGroup, GroupSettingValue, UserGroup

if TYPE_CHECKING:
    from narrowcast_api.state.state import State


def group_names(state: State, groups: Iterable[UserGroup]) -> dict[int, str]:
    """The names of groups by id; system groups have the names of their roles."""
    return {group.id: permissions.group_name(state, group.id) for group in groups}


def setting_of(people: Iterable[int], groups: Iterable[int]) -> GroupSettingValue:
    """People and groups as the value of a permission; a single group becomes its id."""
    members, subgroups = frozenset(people), frozenset(groups)
    if not members and len(subgroups) == 1:
        return next(iter(subgroups))
    return AdHocGroup(members, subgroups)
