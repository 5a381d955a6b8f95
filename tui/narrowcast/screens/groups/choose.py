"""Asking who shall hold a permission."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from textual.screen import Screen

from narrowcast.commands import permissions
from narrowcast.screens.dialogs.form import FormScreen
from narrowcast.screens.dialogs.form_fields import Line, People, Refused, Values
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.screens.groups.holders import group_id_of, groups_to_name, setting_of, suggest_groups
from narrowcast_api.state.groups import AdHocGroup, GroupSetting
from narrowcast_api.state.state import State

_BY_NAME = -1


def choose_holders(
    screen: Screen[Any],
    state: State,
    title: str,
    present: GroupSetting | None,
    save: Callable[[GroupSetting], Awaitable[object]],
    started: Callable[[Awaitable[object]], None],
) -> None:
    """Offer the groups, and people by name. ``save`` tells the server; ``started`` runs that work."""
    choices = [
        Choice(group.id, permissions.group_name(state, group.id), "now" if group.id == present else "")
        for group in groups_to_name(state)
    ]
    now = "now: " + permissions.holders(state, present) if isinstance(present, AdHocGroup) else ""
    choices.append(Choice(_BY_NAME, "People and groups by name…", now))

    def chosen(group_id: int | None) -> None:
        if group_id == _BY_NAME:
            screen.app.push_screen(_by_name(state, title, present, save))
        elif group_id is not None and group_id != present:
            started(save(group_id))

    screen.app.push_screen(Picker(title, choices), chosen)


def _by_name(
    state: State,
    title: str,
    present: GroupSetting | None,
    save: Callable[[GroupSetting], Awaitable[object]],
) -> FormScreen:
    people = sorted(present.direct_members) if isinstance(present, AdHocGroup) else []
    groups = sorted(present.direct_subgroups) if isinstance(present, AdHocGroup) else []
    if isinstance(present, int):
        groups = [present]

    async def submit(values: Values) -> object:
        ids = []
        for name in filter(None, (part.strip() for part in values.text("groups").split(";"))):
            group_id = group_id_of(state, name)
            if group_id is None:
                raise Refused("groups", f"There is no user group {name!r}. Tab completes names.")
            ids.append(group_id)
        return await save(setting_of(values.people("people"), ids))

    return FormScreen(
        title,
        [
            People("people", "People", value=people),
            Line(
                "groups",
                "Groups",
                "Separated by semicolons; both empty: nobody",
                value="; ".join(permissions.group_name(state, group_id) for group_id in groups),
                suggest=lambda typed: suggest_groups(state, typed),
            ),
        ],
        state=state,
        submit=submit,
    )
