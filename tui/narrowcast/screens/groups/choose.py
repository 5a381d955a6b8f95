"""Asking who should hold a permission."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from textual.screen import Screen

from narrowcast.screens.dialogs.form import FormScreen
from narrowcast.screens.dialogs.form_fields import Names, People, Refused, Values
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.screens.groups.holders import group_names, setting_of
from narrowcast_api import permissions
from narrowcast_api.model.user_groups import AdHocGroup, GroupSettingValue
from narrowcast_api.state.holder_rules import HolderRule
from narrowcast_api.state.state import State

_BY_NAME = -1


def choose_holders(
    screen: Screen[Any],
    state: State,
    title: str,
    present: GroupSettingValue | None,
    save: Callable[[GroupSettingValue], Awaitable[object]],
    started: Callable[[Awaitable[object]], None],
    rule: HolderRule,
) -> None:
    """Offers the groups that the permission's rule allows, and people by name unless it allows only system
    groups. ``save`` sends the choice to the server; ``started`` runs that request.
    """
    choices = [
        Choice(group.id, permissions.group_name(state, group.id), "current" if group.id == present else "")
        for group in permissions.possible_holders(state, rule)
    ]
    now = "current: " + permissions.holders(state, present) if isinstance(present, AdHocGroup) else ""
    if not rule.system_only:
        choices.append(Choice(_BY_NAME, "Users and groups by name…", now))

    def chosen(group_id: int | None) -> None:
        if group_id == _BY_NAME:
            screen.app.push_screen(_by_name(state, title, present, save, rule))
        elif group_id is not None and group_id != present:
            started(save(group_id))

    screen.app.push_screen(Picker(title, choices), chosen)


def _by_name(
    state: State,
    title: str,
    present: GroupSettingValue | None,
    save: Callable[[GroupSettingValue], Awaitable[object]],
    rule: HolderRule,
) -> FormScreen:
    people = sorted(present.direct_members) if isinstance(present, AdHocGroup) else []
    groups = sorted(present.direct_subgroups) if isinstance(present, AdHocGroup) else []
    if isinstance(present, int):
        groups = [present]

    known = group_names(state, permissions.possible_holders(state, rule))
    known |= {group_id: permissions.group_name(state, group_id) for group_id in groups}

    async def submit(values: Values) -> object:
        people, groups = values.ids("people"), values.ids("groups")
        if not people and not groups and not rule.nobody:
            raise Refused("people", "Someone must have this permission.")
        return await save(setting_of(people, groups))

    return FormScreen(
        title,
        [
            People("people", "Users", value=people),
            Names(
                "groups",
                "Groups",
                "Leave both empty for nobody" if rule.nobody else "",
                what="user group",
                known=known,
                value=groups,
            ),
        ],
        state=state,
        submit=submit,
    )
