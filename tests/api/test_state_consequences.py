"""Consequences of an event that the server reports with no other event."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast_api.model.user_groups import AdHocGroup
from narrowcast_api.state.changes import ProfileFieldsChanged, UsersChanged
from narrowcast_api.state.state import State
from narrowcast_api.wire.vocabulary import Role
from support import live
from support.live import (
    ADA,
    BRUNO,
    CHIYO,
    GENERAL,
    apply,
    channel_message,
    direct_message,
    make_state,
    message_event,
)
from support.server import running_server
from support.sessions import session_of, until

NOBODY: frozenset[int] = frozenset()


def deactivate(state: State, user_id: int) -> list[object]:
    person = {"user_id": user_id, "is_active": False}
    return apply(state, {"type": "realm_user", "op": "update", "person": person})


def test_the_deactivated_leave_groups_and_permissions() -> None:
    both = {"direct_members": [BRUNO, CHIYO], "direct_subgroups": []}
    group = {"id": 5, "name": "cooks", "members": [BRUNO, CHIYO], "can_manage_group": both}
    channel = live.subscription(GENERAL, "general", can_send_message_group=both)
    state = make_state(realm_user_groups=[group], subscriptions=[channel], realm_can_invite_users_group=both)
    changes = deactivate(state, BRUNO)
    cooks, general = state.user_groups.get(5), state.channels.get(GENERAL)
    assert cooks is not None
    assert general is not None
    left = AdHocGroup(frozenset({CHIYO}), NOBODY)
    assert (cooks.members, cooks.permissions["can_manage_group"]) == (frozenset({CHIYO}), left)
    assert general.permissions["can_send_message_group"] == left
    assert state.organization.get("can_invite_users_group") == {
        "direct_members": [CHIYO],
        "direct_subgroups": [],
    }
    assert {type(change).__name__ for change in changes} == {
        "UsersChanged",
        "UserGroupsChanged",
        "ChannelsChanged",
        "SettingsChanged",
    }


@pytest.mark.parametrize("level", [221, 222])
@pytest.mark.parametrize("how", ["update", "remove"])
def test_who_is_deactivated_or_out_of_sight_has_neither_status_nor_presence(how: str, level: int) -> None:
    """Found on a live server: a snapshot does not mention them."""
    state = make_state(zulip_feature_level=level)
    apply(state, {"type": "user_status", "user_id": BRUNO, "status_text": "busy"})
    apply(state, {"type": "presence", "user_id": BRUNO, "presence": {"website": {"timestamp": 5}}})
    assert state.statuses.get(BRUNO) is not None
    assert state.presence.seen(BRUNO) is not None
    if how == "update":
        deactivate(state, BRUNO)
    else:
        apply(state, {"type": "realm_user", "op": "remove", "person": {"user_id": BRUNO, "full_name": "B"}})
    assert (state.statuses.get(BRUNO), state.presence.seen(BRUNO)) == (None, None)


def test_somebody_whom_an_event_removes_is_deactivated_before_level_222_and_out_of_sight_since() -> None:
    removal = {"type": "realm_user", "op": "remove", "person": {"user_id": BRUNO, "full_name": "Bruno"}}
    old, new = make_state(zulip_feature_level=221), make_state(zulip_feature_level=222)
    apply(old, removal)
    apply(new, removal)
    bruno = old.users.get(BRUNO)
    assert bruno is not None
    assert (bruno.is_active, new.users.get(BRUNO)) == (False, None)


def created(count: int, channel_id: int = 30) -> dict[str, object]:
    return {
        "type": "stream",
        "op": "create",
        "streams": [live.channel(channel_id, "new", subscriber_count=count)],
    }


def joined(*user_ids: int, channel_id: int = 30) -> dict[str, object]:
    return {"type": "subscription", "op": "peer_add", "stream_ids": [channel_id], "user_ids": list(user_ids)}


def count(state: State) -> int | None:
    channel = state.channels.get(30)
    assert channel is not None
    return channel.subscriber_count


def test_those_whom_the_servers_number_counted_are_not_counted_twice() -> None:
    state = make_state()
    apply(state, created(3), joined(7, 8, 9))
    assert count(state) == 3
    apply(state, joined(10, 11, 12))
    assert count(state) == 6


def test_a_channel_that_was_empty_counts_those_who_come() -> None:
    state = make_state()
    apply(state, created(0), joined(7, 8))
    assert count(state) == 2


def test_who_comes_after_something_else_happened_is_new() -> None:
    state = make_state()
    apply(state, created(3), message_event(channel_message(101)), joined(7, 8, 9))
    assert count(state) == 6


def test_wildcards_mention_nobody_where_the_topic_or_channel_is_muted() -> None:
    state = make_state()
    apply(
        state,
        message_event(channel_message(101, "soup"), "stream_wildcard_mentioned"),
        message_event(channel_message(102, "soup"), "mentioned"),
        message_event(channel_message(103, "stew"), "topic_wildcard_mentioned"),
    )
    assert state.unreads.mentions == {101, 102, 103}
    policy = {"type": "user_topic", "stream_id": GENERAL, "topic_name": "soup", "visibility_policy": 1}
    apply(state, policy)
    assert (state.unreads.mentions, state.unreads.count_mentions()) == ({102, 103}, 2)
    muted = {
        "type": "subscription",
        "op": "update",
        "stream_id": GENERAL,
        "property": "is_muted",
        "value": True,
    }
    apply(state, {**policy, "visibility_policy": 0}, muted)
    assert state.unreads.mentions == {102}
    apply(state, {**policy, "visibility_policy": 2})
    assert state.unreads.mentions == {101, 102}


def test_an_edit_changes_the_kind_of_a_mention() -> None:
    state = make_state(user_topics=[{"stream_id": GENERAL, "topic_name": "soup", "visibility_policy": 1}])
    apply(state, message_event(channel_message(101, "soup"), "wildcard_mentioned"))
    assert state.unreads.mentions == set()
    event = {"type": "update_message", "user_id": BRUNO, "message_id": 101, "message_ids": [101]}
    edited = {**event, "rendered_content": "x"}
    apply(state, {**edited, "flags": ["mentioned"]})
    assert state.unreads.mentions == {101}
    apply(state, {**edited, "flags": []})
    assert state.unreads.mentions == set()


def test_values_go_with_their_profile_field() -> None:
    values = {"1": {"value": "Meridian"}, "2": {"value": "north"}}
    people = [live.user(ADA, "Ada"), live.user(BRUNO, "Bruno", profile_data=values)]
    fields = [{"id": number, "name": f"Field {number}", "type": 1} for number in (1, 2)]
    state = make_state(realm_users=people, custom_profile_fields=fields)
    gone = {"type": "custom_profile_fields", "fields": fields[1:]}
    assert apply(state, gone) == [ProfileFieldsChanged(), UsersChanged((BRUNO,))]
    assert apply(state, gone) == [ProfileFieldsChanged()]
    bruno = state.users.get(BRUNO)
    assert bruno is not None
    assert set(bruno.profile) == {2}


def test_a_value_of_a_profile_is_set_and_taken_away() -> None:
    people = [live.user(ADA, "Ada"), live.user(BRUNO, "Bruno", profile_data={"2": {"value": "north"}})]
    state = make_state(realm_users=people)
    for value, fields in (("Meridian", {1, 2}), (None, {2}), (None, {2})):
        person = {"user_id": BRUNO, "custom_profile_field": {"id": 1, "value": value}}
        apply(state, {"type": "realm_user", "op": "update", "person": person})
        bruno = state.users.get(BRUNO)
        assert bruno is not None
        assert set(bruno.profile) == fields


async def test_a_new_role_of_the_current_user_requires_a_new_snapshot(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path / "server") as server,
        session_of(server.account("dario"), tmp_path / "dario") as dario,
    ):
        before, queue = dario.state, dario.queue_id
        role = {"role": int(Role.ADMINISTRATOR)}
        await server.call("ada", "PATCH", f"/users/{server.id('dario')}", role)
        await until(lambda: dario.state is not before and dario.queue_id not in (None, queue))
        own = dario.state.users.get(dario.state.me)
        assert own is not None
        assert own.role == Role.ADMINISTRATOR
        await until(lambda: dario.is_live)


async def test_a_reactivated_user_has_the_groups_and_permissions_of_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("narrowcast_api.state.apply.REACTIVATION_SPREAD", 0.0)
    async with running_server(tmp_path / "server") as server:
        farid, general = server.id("farid"), server.channel("general")
        both = {"direct_members": sorted([farid, server.id("dario")]), "direct_subgroups": []}
        cooks = {"name": "cooks", "description": "", "members": [farid], "can_manage_group": both}
        made = await server.call("ada", "POST", "/user_groups/create", cooks)
        may_send = {"can_send_message_group": {"new": both}}
        await server.call("ada", "PATCH", f"/streams/{general}", may_send)
        await server.call("ada", "DELETE", f"/users/{farid}")
        async with session_of(server.account("dario"), tmp_path / "dario") as dario:

            def holds() -> bool:
                group, channel = (
                    dario.state.user_groups.get(made["group_id"]),
                    dario.state.channels.get(general),
                )
                assert group is not None
                assert channel is not None
                wanted = AdHocGroup(frozenset(both["direct_members"]), NOBODY)
                return (
                    farid in group.members
                    and group.permissions["can_manage_group"] == wanted
                    and channel.permissions["can_send_message_group"] == wanted
                )

            assert not holds()
            await server.call("ada", "POST", f"/users/{farid}/reactivate")
            await until(holds)


def test_a_direct_conversation_stays_when_its_last_message_is_deleted_and_others_were_before() -> None:
    bruno = frozenset({BRUNO})
    earlier = [{"user_ids": [BRUNO], "max_message_id": 90}]
    state = make_state(recent_private_conversations=earlier)
    apply(state, message_event(direct_message(101)), message_event(direct_message(102)))
    deleted = {"type": "delete_message", "message_type": "private"}
    apply(state, {**deleted, "message_ids": [102]})
    assert state.directs.newest(bruno) == 101
    apply(state, {**deleted, "message_ids": [101]})
    assert state.directs.newest(bruno) == 90
    apply(state, {**deleted, "message_ids": [90]})
    assert state.directs.recent() == [bruno]


def test_an_older_message_of_a_direct_conversation_does_not_take_the_place_of_one_that_is_not_known() -> None:
    earlier = [{"user_ids": [BRUNO], "max_message_id": 112}]
    state = make_state(recent_private_conversations=earlier)
    apply(state, message_event(direct_message(106)))
    apply(state, {"type": "delete_message", "message_type": "private", "message_ids": [112]})
    bruno = frozenset({BRUNO})
    assert state.directs.newest(bruno) == 112


def test_a_direct_conversation_of_which_all_is_deleted_goes() -> None:
    state = make_state()
    apply(state, message_event(direct_message(101)))
    apply(state, {"type": "delete_message", "message_type": "private", "message_ids": [101]})
    assert state.directs.recent() == []


async def test_a_new_role_of_another_user_needs_no_snapshot(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path / "server") as server,
        session_of(server.account("dario"), tmp_path / "dario") as dario,
    ):
        before, elif_id = dario.state, server.id("elif")
        await server.call("ada", "PATCH", f"/users/{elif_id}", {"role": int(Role.MODERATOR)})
        await until(
            lambda: (user := dario.state.users.get(elif_id)) is not None and user.role == Role.MODERATOR
        )
        assert dario.state is before


def test_a_rendering_alone_changes_neither_flags_nor_the_time_of_the_edit() -> None:
    state = make_state()
    apply(state, message_event(channel_message(101), "mentioned"))
    event = {
        "type": "update_message",
        "message_id": 101,
        "message_ids": [101],
        "edit_timestamp": 5,
        "flags": [],
    }
    apply(state, {**event, "rendered_content": "<p>new</p>", "rendering_only": True, "user_id": None})
    message = state.messages.get(101)
    assert message is not None
    assert (message.content, message.flags, message.edited_at) == (
        "<p>new</p>",
        frozenset({"mentioned"}),
        None,
    )


def test_a_move_to_the_empty_topic_is_a_move_there() -> None:
    state = make_state()
    apply(state, message_event(channel_message(101, "soup")))
    moved = {"type": "update_message", "message_id": 101, "message_ids": [101], "stream_id": GENERAL}
    apply(state, {**moved, "edit_timestamp": 5, "orig_subject": "soup", "subject": ""})
    message = state.messages.get(101)
    assert message is not None
    assert (message.topic, state.unreads.topic_ids(GENERAL, "")) == ("", [101])


def test_messages_that_leave_the_empty_topic_are_marked_as_moved() -> None:
    state = make_state()
    apply(state, message_event(channel_message(101, "")))
    moved = {"type": "update_message", "message_id": 101, "message_ids": [101], "stream_id": GENERAL}
    apply(state, {**moved, "edit_timestamp": 5, "orig_subject": "", "subject": "soup"})
    message = state.messages.get(101)
    assert message is not None
    assert (message.topic, message.moved_at) == ("soup", 5)


def test_drafts_go_from_the_state_when_they_are_no_longer_synchronized_and_not_before() -> None:
    draft = {"id": 3, "type": "", "to": [], "topic": "", "content": "words"}
    state = make_state(drafts=[draft])
    setting = {"type": "user_settings", "op": "update", "property": "enable_drafts_synchronization"}
    apply(state, {**setting, "value": True})
    apply(state, {**setting, "property": "send_read_receipts", "value": False})
    assert [one.content for one in state.drafts] == ["words"]
    apply(state, {**setting, "value": False})
    assert list(state.drafts) == []
