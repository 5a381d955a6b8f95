"""Permissions to change, read and write in channels, as the client computes them before any request."""

from __future__ import annotations

import pytest

from narrowcast_api import permissions
from narrowcast_api.model.topics import Topic
from narrowcast_api.model.user_groups import AdHocGroup
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.state.holder_rules import read_holder_rules
from narrowcast_api.state.state import State
from narrowcast_api.wire.vocabulary import PlanType, Role, TopicsPolicy
from support.live import ADA, BRUNO, CHIYO, GENERAL, RANDOM
from support.permissions import FRIENDS, NOBODY, person, set_channel, state_as


def test_a_channel_is_changed_by_its_administrators_and_those_of_the_organization() -> None:
    state = state_as(Role.MEMBER)
    for setting, said in (
        (None, "Only organization administrators can change this channel; ask Bruno."),
        (NOBODY, "Only organization administrators can change this channel; ask Bruno."),
        (FRIENDS, "Only administrators and friends can change this channel."),
        (AdHocGroup(frozenset({ADA}), frozenset()), ""),
    ):
        permission = {} if setting is None else {"can_administer_channel_group": setting}
        set_channel(state, GENERAL, permissions=permission)
        channel = state.channels.get(GENERAL)
        assert channel is not None
        assert permissions.channel_refusal(state, channel) == said
        assert permissions.channel_refusal(state_as(Role.ADMINISTRATOR), channel) == ""


@pytest.mark.parametrize(
    ("setting", "private", "said"),
    [
        ("can_create_private_channel_group", True, "Only friends can create private channels."),
        ("can_create_public_channel_group", False, "Only friends can create public channels."),
    ],
)
def test_kinds_of_channels_have_permissions_of_their_own(setting: str, private: bool, said: str) -> None:
    state = state_as(Role.MEMBER, **{setting: FRIENDS})
    assert permissions.privacy_refusal(state, private=private) == said
    assert permissions.privacy_refusal(state, private=not private) == ""
    assert permissions.privacy_refusal(state) == ("" if private else said), (
        "public, where nothing else is said"
    )


@pytest.mark.parametrize(
    ("offered", "enabled", "plan", "holders", "said"),
    [
        (True, True, PlanType.SELF_HOSTED, None, ""),
        (
            False,
            True,
            PlanType.SELF_HOSTED,
            None,
            "Web-public channels are not enabled in this organization.",
        ),
        (
            True,
            False,
            PlanType.SELF_HOSTED,
            None,
            "Web-public channels are not enabled in this organization.",
        ),
        (True, True, PlanType.LIMITED, None, "Available on Zulip Cloud Standard."),
        (True, True, PlanType.STANDARD, FRIENDS, "Only friends can create web-public channels."),
    ],
)
def test_web_public_channels_need_server_organization_plan_and_permission(
    offered: bool, enabled: bool, plan: PlanType, holders: int | None, said: str
) -> None:
    state = state_as(Role.MEMBER, enable_spectator_access=enabled, plan_type=int(plan))
    state.offers = state.offers._replace(web_public=offered)
    if holders is not None:
        state.organization.put("can_create_web_public_channel_group", holders)
    assert permissions.privacy_refusal(state, web_public=True) == said
    assert permissions.privacy_refusal(state) == ""


@pytest.mark.parametrize(
    ("own", "general", "mandatory", "wanted"),
    [
        ("inherit", "inherit", False, TopicsPolicy.ALLOW_EMPTY),
        ("inherit", "inherit", True, TopicsPolicy.DISABLE_EMPTY),
        ("of the future", "empty_topic_only", True, TopicsPolicy.EMPTY_ONLY),
        ("allow_empty_topic", "disable_empty_topic", True, TopicsPolicy.ALLOW_EMPTY),
    ],
)
def test_the_rule_for_topics_of_a_channel_goes_before_that_of_the_organization(
    own: str, general: str, mandatory: bool, wanted: TopicsPolicy
) -> None:
    state = state_as(Role.MEMBER, topics_policy=general, mandatory_topics=mandatory)
    set_channel(state, GENERAL, topics_policy=own)
    assert permissions.topics_policy(state, GENERAL) is wanted


def test_a_new_topic_is_refused_without_permission_once_the_topics_are_known() -> None:
    state = state_as(Role.MEMBER)
    set_channel(state, GENERAL, permissions={"can_create_topic_group": FRIENDS})
    assert permissions.topic_refusal(state, GENERAL, "soup") == "", "nobody knows yet which there are"
    state.topics.load(GENERAL, [Topic("Soup", 50)], since=50)
    assert permissions.topic_refusal(state, GENERAL, "soup") == ""
    assert permissions.topic_refusal(state, GENERAL, " ") == ""
    refusal = permissions.topic_refusal(state, GENERAL, "stew")
    assert refusal == "Only friends can create topics in #general. Choose an existing topic."
    assert refusal.short == "only friends"
    set_channel(
        state, GENERAL, permissions={"can_create_topic_group": AdHocGroup(frozenset({ADA}), frozenset())}
    )
    assert permissions.topic_refusal(state, GENERAL, "stew") == ""


def test_a_user_may_subscribe_to_public_channels_and_where_permitted() -> None:
    for role, is_private, holders, short in (
        (Role.MEMBER, False, None, ""),
        (Role.GUEST, False, None, "not for guests"),
        (Role.MEMBER, True, None, "private"),
        (Role.MEMBER, True, FRIENDS, "private"),
        (Role.MEMBER, True, AdHocGroup(frozenset({ADA}), frozenset()), ""),
    ):
        for name in ("can_subscribe_group", "can_add_subscribers_group"):
            state = state_as(role)
            set_channel(state, RANDOM, invite_only=is_private, permissions={name: holders} if holders else {})
            channel = state.channels.get(RANDOM)
            assert channel is not None
            assert permissions.subscribe_refusal(state, channel).short == short
            kept = permissions.draft_refusal(state, ChannelDestination(RANDOM, "t"))
            assert (kept == "") is (not is_private or short == "")


def test_drafts_are_synced_for_channels_that_the_user_can_read() -> None:
    state = state_as(Role.GUEST)
    where = ChannelDestination(GENERAL, "t")
    assert permissions.draft_refusal(state, None) == ""
    assert permissions.draft_refusal(state, DirectDestination(frozenset({BRUNO}))) == ""
    set_channel(state, GENERAL, invite_only=True)
    assert permissions.draft_refusal(state, where) == ""
    set_channel(state, GENERAL, is_archived=True)
    assert permissions.draft_refusal(state, where) == "#general is archived: nobody can post in it."
    assert "no longer exists" in permissions.draft_refusal(state, ChannelDestination(99, "t"))


def test_writing_is_not_refused_before_any_channel_is_known() -> None:
    where = ChannelDestination(99, "t")
    assert permissions.write_refusal(State(0), where) == ""
    assert "no longer exists" in permissions.write_refusal(state_as(Role.MEMBER), where)


def test_a_refusal_to_write_to_somebody_names_them() -> None:
    state = state_as(Role.MEMBER)
    both = frozenset({BRUNO, CHIYO})
    assert permissions.direct_refusal(state, both) == ""
    state.organization.put("private_message_policy", 1)
    assert permissions.direct_refusal(state, both) == ""
    state.organization.put("private_message_policy", 2)
    assert permissions.direct_refusal(state, both) == "Direct messages are disabled in this organization."
    state.organization.put("direct_message_permission_group", NOBODY)
    assert permissions.direct_refusal(state, both) == "Direct messages are disabled in this organization."
    state.organization.put("direct_message_permission_group", {"direct_members": [], "direct_subgroups": []})
    assert permissions.direct_refusal(state, both) == "Direct messages are disabled in this organization."
    assert permissions.direct_refusal(state, frozenset()) == "", "a note to oneself"
    for people in (
        {"direct_members": [4], "direct_subgroups": []},
        {"direct_members": [], "direct_subgroups": [99]},
    ):
        state.organization.put("direct_message_permission_group", people)
        assert "must include somebody from" in permissions.direct_refusal(state, both)
    state.organization.put("direct_message_permission_group", FRIENDS)
    assert permissions.direct_refusal(state, both) == ""
    only_bruno = permissions.direct_refusal(state, frozenset({BRUNO}))
    assert only_bruno == "Direct messages must include somebody from friends."
    person(state, BRUNO, is_bot=True)
    assert permissions.direct_refusal(state, frozenset({BRUNO})) == "", "bots may be written to"
    person(state, BRUNO, is_bot=True, is_active=False)
    left = "Bruno has left: the account is deactivated."
    assert permissions.direct_refusal(state, frozenset({BRUNO})) == left
    person(state, BRUNO, is_deleted=True)
    left = "Bruno has left: the account is deleted."
    assert permissions.direct_refusal(state, frozenset({BRUNO})) == left


def test_a_user_who_may_not_start_conversations_may_write_in_existing_ones() -> None:
    state = state_as(Role.MEMBER, direct_message_initiator_group=FRIENDS)
    refused = "Only friends can start direct message conversations."
    assert permissions.direct_refusal(state, frozenset({BRUNO})) == refused
    state.directs.add_message(frozenset({BRUNO}), 50)
    assert permissions.direct_refusal(state, frozenset({BRUNO})) == ""
    assert permissions.direct_refusal(state, frozenset({CHIYO})) == refused


@pytest.mark.parametrize(("policy", "least"), [(1, Role.GUEST), (2, Role.ADMINISTRATOR), (4, Role.MODERATOR)])
def test_who_posts_is_a_role_on_older_servers_and_a_group_since(policy: int, least: Role) -> None:
    for role in Role:
        state = state_as(role)
        set_channel(state, GENERAL, post_policy=policy, permissions={})
        assert (permissions.channel_write_refusal(state, GENERAL) == "") is (role <= least)
        oneself = AdHocGroup(frozenset({ADA}), frozenset())
        set_channel(state, GENERAL, permissions={"can_send_message_group": oneself})
        assert permissions.channel_write_refusal(state, GENERAL) == ""
        set_channel(state, GENERAL, permissions={"can_send_message_group": FRIENDS})
        assert permissions.channel_write_refusal(state, GENERAL) == "Only friends can post in #general."


def test_guests_hold_no_permission_of_a_channel_that_cannot_be_given_to_everyone() -> None:
    names = ("can_send_message_group", "can_create_topic_group", "can_resolve_topics_group")
    oneself = AdHocGroup(frozenset({ADA}), frozenset())
    for role, allowed in ((Role.MEMBER, True), (Role.GUEST, False)):
        state = state_as(role, can_resolve_topics_group=NOBODY)
        state.holder_rules = read_holder_rules(
            {
                "server_supported_permission_settings": {
                    "stream": {name: {"allow_everyone_group": False} for name in names}
                }
            }
        )
        set_channel(state, GENERAL, permissions=dict.fromkeys(names, oneself))
        state.topics.load(GENERAL, [], since=0)
        assert [
            permissions.channel_write_refusal(state, GENERAL) == "",
            permissions.topic_refusal(state, GENERAL, "stew") == "",
            permissions.resolve_refusal(state, GENERAL) == "",
        ] == [allowed] * 3
