"""Permissions to change messages, and their time limits, as the client computes them before any request."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from narrowcast_api import permissions
from narrowcast_api.model.messages import Message, read_message
from narrowcast_api.model.user_groups import AdHocGroup
from narrowcast_api.state.state import State
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import Role
from support.live import ADA, CHIYO, GENERAL, RANDOM, channel_message
from support.permissions import FRIENDS, person, set_channel, state_as

HOUR = 3600


def test_a_guest_acts_on_no_message_of_a_channel_that_is_only_open_to_the_web() -> None:
    for role, channel_id, is_refused in (
        (Role.GUEST, RANDOM, True),
        (Role.GUEST, GENERAL, False),
        (Role.MEMBER, RANDOM, False),
    ):
        state = state_as(role)
        assert (permissions.flag_refusal(state, channel_id) != "") is is_refused
        assert (permissions.act_refusal(state, channel_id) != "") is is_refused
        assert permissions.flag_refusal(state, None) == ""
    set_channel(state, GENERAL, is_archived=True)
    assert permissions.act_refusal(state, GENERAL) == "#general is archived: its messages stay as they are."
    assert permissions.act_refusal(state, None) == ""


def test_own_messages_can_be_edited_within_the_limit_by_the_servers_clock() -> None:
    state = state_as(Role.MEMBER, message_content_edit_limit_seconds=HOUR)
    mine = read_message(channel_message(101, sender=ADA, timestamp=0))
    assert permissions.edit_refusal(state, mine, HOUR) == ""
    assert permissions.edit_seconds_left(state, mine, HOUR - 10) == 10
    assert permissions.edit_seconds_left(state, mine, HOUR + 10) == 0
    late = "Messages can be edited for 1 hour only, and that time has passed."
    assert permissions.edit_refusal(state, mine, HOUR + 1) == late
    state.presence.server_offset = -60
    assert permissions.edit_refusal(state, mine, HOUR + 1) == ""
    state.organization.put("message_content_edit_limit_seconds", None)
    assert permissions.edit_refusal(state, mine, 1e9) == ""
    assert permissions.edit_seconds_left(state, mine, 1e9) is None
    state.organization.put("message_content_edit_limit_seconds", 0)
    assert permissions.edit_refusal(state, mine, 1e9) == ""
    theirs = read_message(channel_message(102, timestamp=0))
    assert permissions.edit_refusal(state, theirs, 0) == "You can only edit your own messages."
    state.organization.put("allow_message_editing", False)
    assert permissions.edit_refusal(state, mine, 0) == "Messages cannot be edited in this organization."


@pytest.mark.parametrize(
    ("seconds", "period"),
    [
        (86_400, "1 day"),
        (172_800, "2 days"),
        (5_400, "90 minutes"),
        (7_200, "2 hours"),
        (60, "1 minute"),
        (61, "61 seconds"),
        (1, "1 second"),
    ],
)
def test_limits_are_said_in_the_largest_unit_that_is_exact(seconds: int, period: str) -> None:
    state = state_as(Role.MEMBER, message_content_delete_limit_seconds=seconds)
    mine = read_message(channel_message(101, sender=ADA, timestamp=0))
    refusal = permissions.delete_refusal(state, mine, seconds + 1)
    assert refusal == f"Messages can be deleted for {period} only, and that time has passed."
    assert refusal.short == f"only within {period}"


def test_messages_are_deleted_by_holders_senders_and_owners_of_bots() -> None:
    mine, theirs = (
        read_message(channel_message(number, sender=number, timestamp=0)) for number in (ADA, CHIYO)
    )
    state = state_as(Role.MEMBER)
    assert permissions.delete_refusal(state, mine, 0) == ""
    assert (
        permissions.delete_refusal(state, theirs, 0) == "Only administrators can delete messages of others."
    )
    assert permissions.delete_refusal(state_as(Role.ADMINISTRATOR), theirs, 0) == ""
    state = state_as(Role.MEMBER, can_delete_any_message_group=FRIENDS, can_delete_own_message_group=FRIENDS)
    assert permissions.delete_refusal(state, theirs, 0) == "Only friends can delete messages of others."
    assert permissions.delete_refusal(state, mine, 0) == "Only friends can delete their own messages."
    state.organization.put("can_delete_own_message_group", "of the future")
    assert permissions.delete_refusal(state, mine, 0) == "Only administrators can delete their own messages."
    oneself = AdHocGroup(frozenset({ADA}), frozenset())
    set_channel(state, GENERAL, permissions={"can_delete_own_message_group": oneself})
    assert permissions.delete_refusal(state, mine, 0) == ""
    person(state, CHIYO, is_bot=True, bot_owner_id=ADA)
    assert permissions.delete_refusal(state, theirs, 0) == ""
    set_channel(state, GENERAL, permissions={"can_delete_any_message_group": oneself})
    person(state, CHIYO, is_bot=False, bot_owner_id=None)
    assert permissions.delete_refusal(state, theirs, 0) == ""


@pytest.mark.parametrize(
    ("refusal_of", "permission", "own", "limit", "what"),
    [
        (
            permissions.move_topic_refusal,
            "can_move_messages_between_topics_group",
            "can_move_messages_within_channel_group",
            "move_messages_within_stream_limit_seconds",
            "topics",
        ),
        (
            permissions.move_channel_refusal,
            "can_move_messages_between_channels_group",
            "can_move_messages_out_of_channel_group",
            "move_messages_between_streams_limit_seconds",
            "channels",
        ),
    ],
)
def test_holders_of_the_permission_move_messages_for_a_limited_time_and_moderators_without_limit(
    refusal_of: Callable[[State, Message, float], permissions.Refusal],
    permission: str,
    own: str,
    limit: str,
    what: str,
) -> None:
    message = read_message(channel_message(101, timestamp=0))
    late = "Messages can be moved for 1 hour only, and that time has passed."
    for role, said in ((Role.MEMBER, late), (Role.MODERATOR, "")):
        state = state_as(role, **{limit: HOUR})
        assert refusal_of(state, message, HOUR) == ""
        assert refusal_of(state, message, HOUR + 1) == said
    state.organization.put(permission, FRIENDS)
    assert refusal_of(state, message, 0) == f"Only friends can move messages between {what}."
    set_channel(state, GENERAL, permissions={own: AdHocGroup(frozenset({ADA}), frozenset())})
    assert refusal_of(state, message, 0) == ""
    set_channel(state, GENERAL, is_archived=True)
    assert refusal_of(state, message, 0) == "#general is archived: its messages stay as they are."


def test_topics_are_resolved_by_holders_of_either_permission_and_never_without_a_name() -> None:
    state = state_as(Role.MEMBER, can_resolve_topics_group=FRIENDS)
    assert permissions.resolve_refusal(state, GENERAL, "soup") == "Only friends can resolve topics."
    assert "cannot be resolved" in permissions.resolve_refusal(state, GENERAL, "")
    oneself = AdHocGroup(frozenset({ADA}), frozenset())
    set_channel(state, GENERAL, permissions={"can_resolve_topics_group": oneself})
    assert permissions.resolve_refusal(state, GENERAL, "soup") == ""
    assert permissions.resolve_refusal(state_as(Role.MEMBER), RANDOM) == ""
    assert permissions.resolve_refusal(state, 99) == "Only friends can resolve topics."
    set_channel(state, GENERAL, is_archived=True)
    assert permissions.resolve_refusal(state, GENERAL) == "#general is archived: its topics stay as they are."


@pytest.mark.parametrize(
    ("refusal_of", "policy", "act"),
    [
        (permissions.move_topic_refusal, "edit_topic_policy", "move messages between topics"),
        (
            permissions.move_channel_refusal,
            "move_messages_between_streams_policy",
            "move messages between channels",
        ),
        (permissions.delete_refusal, "delete_own_message_policy", "delete their own messages"),
    ],
)
def test_older_servers_say_by_a_policy_who_moves_and_deletes_messages(
    refusal_of: Callable[[State, Message, float], permissions.Refusal], policy: str, act: str
) -> None:
    message = read_message(channel_message(101, sender=ADA))
    for number, refused, who in ((1, [], ""), (2, [Role.MEMBER, Role.MODERATOR], "admins"), (5, [], "")):
        for role in (Role.MEMBER, Role.MODERATOR, Role.ADMINISTRATOR):
            said = f"Only {who} can {act}." if role in refused else ""
            assert refusal_of(state_as(role, **{policy: number}), message, 0) == said


def test_the_sender_of_a_message_changes_its_topic_where_older_servers_let_them() -> None:
    state = state_as(Role.MEMBER, edit_topic_policy=2)
    mine, theirs = (read_message(channel_message(101, sender=sender)) for sender in (ADA, CHIYO))
    for level, is_mine_moved in ((Gate.OWN_TOPIC_POLICY.level, False), (121, True)):
        state.server = replace(state.server, level=level)
        assert (permissions.move_topic_refusal(state, mine, 0) == "") is is_mine_moved
        assert permissions.move_topic_refusal(state, theirs, 0) != ""


def test_before_resolving_topics_had_a_permission_of_its_own_it_needed_that_of_moving_messages() -> None:
    state = state_as(Role.MEMBER, edit_topic_policy=2)
    assert permissions.resolve_refusal(state, GENERAL) == "Only admins can resolve topics."
    state.server = replace(state.server, level=121)
    assert permissions.resolve_refusal(state, GENERAL) == "", "a sender may: the server checks it"
    state = state_as(Role.MEMBER, can_move_messages_between_topics_group=FRIENDS)
    assert permissions.resolve_refusal(state, GENERAL) == "Only friends can resolve topics."
    state.organization.put("can_resolve_topics_group", {"direct_members": [ADA], "direct_subgroups": []})
    assert permissions.resolve_refusal(state, GENERAL) == ""
