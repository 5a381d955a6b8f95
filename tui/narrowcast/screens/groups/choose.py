"""Asking who should hold a permission: one group, or people and groups by name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from textual.screen import Screen

from narrowcast.screens.dialogs.confirm import Question, ask_first
from narrowcast.screens.dialogs.form import FormScreen
from narrowcast.screens.dialogs.form_fields import Names, People, UnusableValue, Values
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast_api import permissions
from narrowcast_api.errors import BadRequest, ExpectationMismatch
from narrowcast_api.model.user_groups import AdHocGroup, GroupSettingValue, UserGroup
from narrowcast_api.state.holder_rules import HolderRule
from narrowcast_api.state.state import State

_BY_NAME = -1


Save = Callable[[GroupSettingValue, GroupSettingValue | None], Awaitable[object]]
"""Sends new holders to the server, which rejects them if the current ones are not the second argument."""


def choose_holders(
    screen: Screen[Any],
    state: State,
    title: str,
    present: Callable[[], GroupSettingValue | None],
    save: Save,
    started: Callable[[Awaitable[object]], None],
    rule: HolderRule,
) -> None:
    """Offers the groups that the permission's rule allows, and people by name unless it allows only system
    groups. ``present`` returns the current holders; ``started`` runs the request of ``save``. If somebody else has
    changed the holders since, the user decides with the current ones in view.
    """
    shown = present()
    choices = [
        Choice(group.id, permissions.group_name(state, group.id), "current" if group.id == shown else "")
        for group in permissions.possible_holders(state, rule)
    ]
    now = "current: " + permissions.holders(state, shown) if isinstance(shown, AdHocGroup) else ""
    if not rule.system_only:
        choices.append(Choice(_BY_NAME, "Users and groups by name…", now))

    async def saved(new: GroupSettingValue, expected: GroupSettingValue | None) -> object:
        try:
            return await save(new, expected)
        except (ExpectationMismatch, BadRequest) as error:
            if not _is_conflict(error, expected, present()):
                raise
            question = Question(
                f"Change it to {permissions.holders(state, new)}?",
                "Change it",
                _changed(state, title, present()),
            )
            ask_first(screen, question, lambda: started(saved(new, present())))
            raise

    def chosen(group_id: int | None) -> None:
        if group_id == _BY_NAME:
            screen.app.push_screen(_by_name(state, title, present, save, rule))
        elif group_id is not None and group_id != shown:
            started(saved(group_id, shown))

    screen.app.push_screen(Picker(title, choices), chosen)


def _is_conflict(
    error: ExpectationMismatch | BadRequest,
    expected: GroupSettingValue | None,
    present: GroupSettingValue | None,
) -> bool:
    """Whether somebody else has changed the holders. Servers may say so with the general code, in any language."""
    return isinstance(error, ExpectationMismatch) or (type(error) is BadRequest and present != expected)


def _changed(state: State, title: str, present: GroupSettingValue | None) -> str:
    """The sentence that somebody else has changed a permission."""
    who = "" if present is None else f"; it is now {permissions.holders(state, present)}"
    return f"{title}: somebody else has changed this in the meantime{who}."


def _by_name(
    state: State,
    title: str,
    present: Callable[[], GroupSettingValue | None],
    save: Save,
    rule: HolderRule,
) -> FormScreen:
    shown = present()
    expected = [shown]
    people = sorted(shown.direct_members) if isinstance(shown, AdHocGroup) else []
    groups = sorted(shown.direct_subgroups) if isinstance(shown, AdHocGroup) else []
    if isinstance(shown, int):
        groups = [shown]

    known = group_names(state, permissions.possible_holders(state, rule))
    known |= {group_id: permissions.group_name(state, group_id) for group_id in groups}

    async def submit(values: Values) -> object:
        people, groups = values.ids("people"), values.ids("groups")
        if not people and not groups and not rule.nobody:
            raise UnusableValue("people", "Someone must have this permission.")
        try:
            return await save(setting_of(people, groups), expected[0])
        except (ExpectationMismatch, BadRequest) as error:
            if not _is_conflict(error, expected[0], present()):
                raise
            expected[0] = present()
            said = f"{_changed(state, title, expected[0])} Save again to replace it."
            raise UnusableValue("", said) from error

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


def group_names(state: State, groups: Iterable[UserGroup]) -> dict[int, str]:
    """The names of groups by id; system groups have the names of their roles."""
    return {group.id: permissions.group_name(state, group.id) for group in groups}


def setting_of(people: Iterable[int], groups: Iterable[int]) -> GroupSettingValue:
    """People and groups as the value of a permission; a single group becomes its id."""
    members, subgroups = frozenset(people), frozenset(groups)
    if not members and len(subgroups) == 1:
        return next(iter(subgroups))
    return AdHocGroup(members, subgroups)
