"""Who holds a permission: choosing a group, or people and groups by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from narrowcast_api import permissions
from narrowcast_api.model.user_groups import AdHocGroup, GroupSettingValue

if TYPE_CHECKING:
    from narrowcast_api.state.holder_rules import HolderRule
    from narrowcast_api.state.state import State


def group_id_of(state: State, name: str, rule: HolderRule | None = None) -> int | None:
    """The id of a group that was named; groups of the roles too, by the words that stand for them."""
    folded = name.strip().casefold()
    for group in permissions.possible_holders(state, rule):
        if folded in (group.name.casefold(), permissions.group_name(state, group.id).casefold()):
            return group.id
    return None


def suggest_groups(state: State, typed: str, rule: HolderRule | None = None) -> Sequence[str]:
    """What a list of groups, separated by semicolons, could become: names with a word that begins so."""
    done, _, last = typed.rpartition(";")
    begun = last.strip().casefold()
    lead = f"{done}; " if done else ""
    titles = [permissions.group_name(state, group.id) for group in permissions.possible_holders(state, rule)]
    return [lead + title for title in titles if f" {begun}" in f" {title.casefold()}"]


def setting_of(people: Iterable[int], groups: Iterable[int]) -> GroupSettingValue:
    """People and groups as a permission; one group alone is its id."""
    members, subgroups = frozenset(people), frozenset(groups)
    if not members and len(subgroups) == 1:
        return next(iter(subgroups))
    return AdHocGroup(members, subgroups)
