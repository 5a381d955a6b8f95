"""User groups are updated by events; the permissions that users hold through them."""

from __future__ import annotations

from typing import Any

import pytest

from narrowcast_api.model.user_groups import AdHocGroup
from narrowcast_api.state.changes import UserGroupsChanged
from narrowcast_api.state.state import State
from support.live import ADA, BRUNO, CHIYO, apply, make_state

COOKS, BAKERS, GUILD = 31, 32, 33


def state_with(**fields: object) -> State:
    """The cooks, the bakers, and a guild of both; `fields` apply to the cooks."""
    rows = [
        {"id": COOKS, "name": "cooks", "members": [ADA], "direct_subgroup_ids": [], **fields},
        {"id": BAKERS, "name": "bakers", "members": [BRUNO], "direct_subgroup_ids": []},
        {"id": GUILD, "name": "guild", "members": [], "direct_subgroup_ids": [COOKS, BAKERS]},
    ]
    return make_state(realm_user_groups=rows)


def event(op: str, group_id: int = COOKS, **fields: Any) -> dict[str, Any]:
    return {"type": "user_group", "op": op, "group_id": group_id, **fields}


def members(state: State, group_id: int = COOKS) -> tuple[set[int], set[int]]:
    """The direct members and subgroups of a group."""
    group = state.user_groups.get(group_id)
    assert group is not None
    return set(group.members), set(group.subgroups)


def test_people_and_groups_come_to_a_group_and_leave_it() -> None:
    state = state_with()
    for op, field, ids, after in (
        ("add_members", "user_ids", [BRUNO, CHIYO], ({ADA, BRUNO, CHIYO}, set())),
        ("remove_members", "user_ids", [ADA, CHIYO], ({BRUNO}, set())),
        ("add_subgroups", "direct_subgroup_ids", [BAKERS], ({BRUNO}, {BAKERS})),
        ("remove_subgroups", "direct_subgroup_ids", [BAKERS], ({BRUNO}, set())),
    ):
        assert apply(state, {**event(op), field: ids}) == [UserGroupsChanged()]
        assert members(state) == after
        apply(state, {**event(op, 99), field: ids})
    assert members(state, GUILD) == (set(), {COOKS, BAKERS})


def test_a_group_that_is_gone_is_part_of_none() -> None:
    state = state_with()
    apply(state, event("remove"))
    assert state.user_groups.get(COOKS) is None
    assert members(state, GUILD) == (set(), {BAKERS})
    apply(state, event("remove"))
    assert [group.name for group in state.user_groups] == ["bakers", "guild"]


@pytest.mark.parametrize("setting", [GUILD, AdHocGroup(frozenset(), frozenset({GUILD}))])
def test_members_of_a_subgroup_hold_the_permissions_of_the_outer_group(setting: int | AdHocGroup) -> None:
    state = state_with()
    assert [state.user_groups.contains(setting, one) for one in (ADA, BRUNO, CHIYO)] == [True, True, False]
    apply(state, event("add_subgroups", direct_subgroup_ids=[GUILD]))
    assert [state.user_groups.contains(setting, one) for one in (ADA, CHIYO)] == [True, False], "circles end"
    apply(state, event("update", data={"deactivated": True}))
    assert [state.user_groups.contains(setting, one) for one in (ADA, BRUNO)] == [False, True]
    assert state.user_groups.contains(AdHocGroup(frozenset({CHIYO}), frozenset()), CHIYO)


def test_who_is_deactivated_leaves_the_groups_that_they_are_in() -> None:
    state = state_with(can_join_group={"direct_members": [CHIYO], "direct_subgroups": []})
    for user_id, changes in ((BRUNO, True), (CHIYO, True), (99, False)):
        person = {"user_id": user_id, "is_active": False}
        found = apply(state, {"type": "realm_user", "op": "update", "person": person})
        assert (UserGroupsChanged() in found) is changes
    assert (members(state, BAKERS), members(state)) == ((set(), set()), ({ADA}, set()))


def test_an_update_changes_what_it_carries() -> None:
    state = state_with(description="They cook", can_join_group=BAKERS)
    apply(state, event("update", data={"name": "chefs"}), event("update", 99, data={"name": "nobody"}))
    group = state.user_groups.get(COOKS)
    assert group is not None
    assert (group.name, group.description, group.deactivated) == ("chefs", "They cook", False)
    apply(state, event("update", data={"can_join_group": GUILD, "description": 7, "deactivated": "yes"}))
    group = state.user_groups.get(COOKS)
    assert group is not None
    assert (group.name, group.description, group.deactivated) == ("chefs", "They cook", False)
    assert group.permissions == {"can_join_group": GUILD}
