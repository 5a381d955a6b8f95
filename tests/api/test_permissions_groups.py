"""Permissions to change user groups, and what a permission may be granted to."""

from __future__ import annotations

from typing import Any

import pytest

from narrowcast_api import permissions
from narrowcast_api.model.user_groups import AdHocGroup, UserGroup
from narrowcast_api.state.holder_rules import HolderRule
from narrowcast_api.state.state import State
from narrowcast_api.wire.vocabulary import GroupSetting, Role
from support.live import ADA, GENERAL
from support.permissions import ADMINISTRATORS, FRIENDS, NOBODY, set_channel, state_as


def group_of(state: State, group_id: int, **fields: Any) -> UserGroup:
    """Replaces the fields of a group in the state and returns it."""
    known = state.user_groups.get(group_id)
    assert known is not None
    changed = known._replace(**fields)
    state.user_groups.put(changed)
    return changed


@pytest.mark.parametrize(
    ("rule", "names"),
    [
        (None, ["role:administrators", "role:nobody", "friends"]),
        (HolderRule(nobody=False), ["role:administrators", "friends"]),
        (HolderRule(system_only=True), ["role:administrators", "role:nobody"]),
        (HolderRule(roles=("role:nobody",)), ["role:nobody", "friends"]),
    ],
)
def test_a_permission_is_given_to_what_its_rule_allows(rule: HolderRule | None, names: list[str]) -> None:
    state = state_as(Role.MEMBER)
    assert [group.name for group in permissions.possible_holders(state, rule)] == names
    group_of(state, FRIENDS, deactivated=True)
    named = [name for name in names if name != "friends"]
    assert [group.name for group in permissions.possible_holders(state, rule)] == named


def test_groups_are_managed_by_who_may_manage_all_or_this_one() -> None:
    oneself, others = AdHocGroup(frozenset({ADA}), frozenset()), AdHocGroup(frozenset(), frozenset())
    manage, add, remove = "can_manage_group", "can_add_members_group", "can_remove_members_group"
    for held, permission, said in (
        ({}, None, ""),
        ({manage: oneself, add: others}, None, ""),
        ({manage: others, add: oneself}, None, "Only admins can do it."),
        ({manage: others, add: oneself}, GroupSetting.ADD_MEMBERS, ""),
        ({manage: oneself, add: others}, GroupSetting.ADD_MEMBERS, ""),
        ({manage: others, add: FRIENDS}, GroupSetting.ADD_MEMBERS, "Only admins and friends can do it."),
        ({manage: others, remove: oneself}, GroupSetting.ADD_MEMBERS, "Only admins can do it."),
    ):
        state = state_as(Role.MEMBER)
        group = group_of(state, FRIENDS, permissions=held)
        assert permissions.group_refusal(state, group, permission, "do it") == said
        assert permissions.group_refusal(state_as(Role.ADMINISTRATOR), group, permission, "do it") == ""


def test_who_manages_all_groups_is_a_permission_on_newer_servers() -> None:
    group = group_of(state_as(Role.MEMBER), FRIENDS, permissions={"can_manage_group": NOBODY})
    state = state_as(Role.ADMINISTRATOR, can_manage_all_groups=NOBODY)
    assert permissions.group_refusal(state, group, None, "do it") == "Nobody can do it."
    state = state_as(Role.MEMBER, can_manage_all_groups={"direct_members": [ADA], "direct_subgroups": []})
    assert permissions.group_refusal(state, group, None, "do it") == ""
    administrators = group_of(state, ADMINISTRATORS)
    assert "follow from the roles" in permissions.group_refusal(state, administrators, None, "do it")


def test_a_group_that_is_part_of_something_says_of_what() -> None:
    state = state_as(Role.OWNER)
    group = group_of(state, FRIENDS)
    assert permissions.in_use_refusal(state, group) == ""
    group_of(state, ADMINISTRATORS, subgroups=frozenset({FRIENDS}), permissions={"can_join_group": FRIENDS})
    set_channel(state, GENERAL, permissions={"can_send_message_group": FRIENDS})
    state.organization.put("can_invite_users_group", FRIENDS)
    assert permissions.in_use_refusal(state, group) == (
        "@friends is in use: it is a subgroup of @role:administrators, in the permissions of @role:administrators, "
        "in the permissions of #general, in the permissions of the organization."
    )
    set_channel(state, GENERAL, is_archived=True)
    group_of(state, ADMINISTRATORS, deactivated=True)
    said = "@friends is in use: it is in the permissions of the organization."
    assert permissions.in_use_refusal(state, group) == said
    for name in ("can_create_groups", "direct_message_permission_group"):
        assert permissions.in_use_refusal(state_as(Role.OWNER, **{name: FRIENDS}), group) == said
    assert permissions.in_use_refusal(state_as(Role.OWNER, message_retention_days=FRIENDS), group) == ""
