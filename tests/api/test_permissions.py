"""Permissions to change accounts, names and bots, as the client computes them before any request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from narrowcast_api import permissions
from narrowcast_api.model.user_groups import AdHocGroup
from narrowcast_api.state.holder_rules import read_holder_rules
from narrowcast_api.state.state import State
from narrowcast_api.wire.vocabulary import BotType, Role
from support.live import ADA, BRUNO, CHIYO
from support.permissions import ADMINISTRATORS, FRIENDS, person, state_as


@pytest.mark.parametrize(
    ("role", "other", "may_leave"),
    [
        (Role.OWNER, Role.ADMINISTRATOR, False),
        (Role.OWNER, Role.OWNER, True),
        (Role.ADMINISTRATOR, Role.OWNER, True),
        (Role.MEMBER, Role.MEMBER, True),
    ],
)
def test_only_the_last_owner_stays(role: Role, other: Role, may_leave: bool) -> None:
    state = state_as(role)
    person(state, BRUNO, role=other)
    person(state, CHIYO, role=Role.OWNER, is_bot=True)
    assert (permissions.leaving_refusal(state) == "") is may_leave


def test_what_is_for_members_is_for_all_but_guests() -> None:
    for role in Role:
        said = permissions.only_members(state_as(role), "have bots")
        assert said == ("Only members can have bots." if role == Role.GUEST else "")


def test_holders_are_named_one_by_one_as_far_as_a_line_goes() -> None:
    state = state_as(Role.MEMBER)
    everybody = frozenset({ADA, BRUNO, CHIYO})
    assert (
        permissions.holders(state, AdHocGroup(everybody, frozenset({FRIENDS})))
        == "friends, Ada, Bruno, Chiyo"
    )
    both = AdHocGroup(everybody, frozenset({FRIENDS, ADMINISTRATORS}))
    assert permissions.holders(state, both) == "admins, friends, Ada, Bruno and 1 more"
    assert permissions.holders(state, AdHocGroup(frozenset(), frozenset())) == "nobody"
    assert permissions.holders(state, 99) == "group 99"


def test_a_refusal_names_an_administrator_to_ask_who_is_neither_a_bot_nor_the_current_user() -> None:
    state = state_as(Role.MEMBER)
    assert (
        permissions.only_administrators(state) == "Only organization administrators can do this; ask Bruno."
    )
    assert permissions.only_owners(state) == "Only organization owners can do this."
    person(state, BRUNO, is_bot=True)
    assert permissions.only_administrators(state) == "Only organization administrators can do this."


@pytest.mark.parametrize("role", [Role.MEMBER, Role.ADMINISTRATOR, Role.OWNER])
def test_accounts_are_changed_by_administrators_and_bots_by_their_owners(role: Role) -> None:
    state = state_as(role)
    administers = role <= Role.ADMINISTRATOR
    human = person(state, CHIYO)
    assert (permissions.may_administer(state, human) == "") is administers
    for owner, is_ones_own in ((ADA, True), (BRUNO, False)):
        bot = person(state, CHIYO, is_bot=True, bot_owner_id=owner)
        assert (permissions.may_administer(state, bot) == "") is (administers or is_ones_own)


def test_owners_are_deactivated_by_owners_and_by_themselves() -> None:
    for role in (Role.MEMBER, Role.ADMINISTRATOR, Role.OWNER):
        state = state_as(role)
        people = [person(state, ADA), person(state, CHIYO), person(state, BRUNO, role=Role.OWNER)]
        said = [permissions.may_deactivate(state, one) == "" for one in people]
        assert said == [role <= Role.ADMINISTRATOR] * 2 + [role == Role.OWNER]


def test_only_roles_that_the_user_can_assign_are_offered() -> None:
    all_roles = {Role.OWNER, Role.ADMINISTRATOR, Role.MODERATOR, Role.MEMBER, Role.GUEST}
    for role, to_member, to_owner in (
        (Role.MEMBER, set(), set()),
        (Role.ADMINISTRATOR, all_roles - {Role.OWNER}, set()),
        (Role.OWNER, all_roles, all_roles),
    ):
        state = state_as(role)
        assert set(permissions.roles_to_give(state, person(state, CHIYO))) == to_member
        assert set(permissions.roles_to_give(state, person(state, BRUNO, role=Role.OWNER))) == to_owner


def test_only_kinds_of_bots_that_the_user_may_create_are_offered() -> None:
    every = [BotType.GENERIC, BotType.INCOMING_WEBHOOK, BotType.OUTGOING_WEBHOOK]
    for role, settings, kinds in (
        (Role.MEMBER, {}, every),
        (Role.GUEST, {}, []),
        (Role.MEMBER, {"can_create_bots_group": FRIENDS}, []),
        (Role.MEMBER, {"can_create_bots_group": FRIENDS, "can_create_write_only_bots_group": FRIENDS}, []),
        (
            Role.MEMBER,
            {
                "can_create_bots_group": FRIENDS,
                "can_create_write_only_bots_group": {"direct_members": [ADA], "direct_subgroups": []},
            },
            [BotType.INCOMING_WEBHOOK],
        ),
        (Role.MEMBER, {"bot_creation_policy": 1}, every),
        (Role.MEMBER, {"bot_creation_policy": 2}, every[1:]),
        (Role.MEMBER, {"bot_creation_policy": 3}, []),
        (Role.MEMBER, {"bot_creation_policy": 4}, every),
        (Role.ADMINISTRATOR, {"bot_creation_policy": 3}, every),
        (Role.MEMBER, {"bot_creation_policy": 3, "can_create_bots_group": {"direct_members": [ADA]}}, every),
    ):
        state = state_as(role, **settings)
        assert permissions.bot_types(state) == kinds
        assert (permissions.bot_refusal(state) == "") is bool(kinds)


@pytest.mark.parametrize(
    ("refusal_of", "offer", "setting"),
    [
        (permissions.name_refusal, "names_fixed", "name_changes_disabled"),
        (permissions.picture_refusal, "pictures_fixed", "avatar_changes_disabled"),
    ],
)
def test_names_and_pictures_that_are_fixed_are_changed_by_administrators(
    refusal_of: Callable[[State], permissions.Refusal], offer: str, setting: str
) -> None:
    for role in (Role.MEMBER, Role.ADMINISTRATOR):
        for by_server in (False, True):
            for by_organization in (False, True):
                state = state_as(role, **{setting: by_organization})
                offered: dict[str, Any] = {offer: by_server}
                state.offers = state.offers._replace(**offered)
                is_fixed = role == Role.MEMBER and (by_server or by_organization)
                assert (refusal_of(state) != "") is is_fixed


def test_files_are_uploaded_where_the_server_takes_any() -> None:
    state = state_as(Role.MEMBER)
    for most, said in (
        (0, "File and image uploads have been disabled for this organization."),
        (1, ""),
        (25, ""),
    ):
        state.limits = state.limits._replace(max_file_upload_size_mib=most)
        assert permissions.upload_refusal(state) == said


def test_summaries_are_for_who_wants_them_where_the_server_has_them() -> None:
    state = state_as(Role.MEMBER, can_summarize_topics_group=FRIENDS)
    assert permissions.summary_refusal(state) == "This server does not offer AI summaries."
    state.offers = state.offers._replace(summaries=True)
    assert permissions.summary_refusal(state) == "Only friends can summarize topics."
    state.organization.put("can_summarize_topics_group", {"direct_members": [ADA], "direct_subgroups": []})
    assert permissions.summary_refusal(state) == ""
    state.settings.put("hide_ai_features", True)
    assert "turned on" in permissions.summary_refusal(state)


def test_guests_hold_no_permission_that_cannot_be_given_to_everyone() -> None:
    rules = {"realm": {"can_x": {"allow_everyone_group": False}, "can_y": {"allow_everyone_group": True}}}
    oneself = {"direct_members": [ADA], "direct_subgroups": []}
    for role, holds in ((Role.MEMBER, True), (Role.GUEST, False)):
        state = state_as(role, can_x=oneself, can_y=oneself)
        state.holder_rules = read_holder_rules({"server_supported_permission_settings": rules})
        assert (state.has_permission("can_x"), state.has_permission("can_y")) == (holds, True)
