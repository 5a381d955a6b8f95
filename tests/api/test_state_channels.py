"""Channels and subscriptions are updated by events."""

from __future__ import annotations

import pytest

from narrowcast_api.model.channels import Channel
from narrowcast_api.state.changes import UnreadsChanged
from narrowcast_api.state.state import State
from support.live import (
    ADA,
    BRUNO,
    CHIYO,
    DESIGN,
    GENERAL,
    RANDOM,
    apply,
    channel_message,
    make_state,
    message_event,
    subscription,
)


def general_of(state: State) -> Channel:
    channel = state.channels.get(GENERAL)
    assert channel is not None
    return channel


def updated(name: str, value: object, channel_id: int = GENERAL) -> dict[str, object]:
    return {"type": "subscription", "op": "update", "stream_id": channel_id, "property": name, "value": value}


def test_an_older_server_mutes_by_what_is_in_the_home_view() -> None:
    state = make_state()
    for in_home_view in (False, True):
        apply(state, updated("in_home_view", in_home_view))
        assert general_of(state).is_muted is not in_home_view


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("of_the_future", True),
        ("color", {"of": "the future"}),
        ("color", 7),
        ("in_home_view", "no"),
        ("_replace", "x"),
    ],
)
def test_what_is_not_known_of_a_subscription_changes_nothing(name: str, value: object) -> None:
    state = make_state()
    before = general_of(state)
    apply(state, updated(name, value), updated("color", "#ffffff", RANDOM), updated("color", "#ffffff", 99))
    assert general_of(state) == before
    random = state.channels.get(RANDOM)
    assert random is not None
    assert random.subscription is None


def test_a_channel_keeps_what_an_event_says_in_a_wrong_form() -> None:
    state = make_state()
    update = {"type": "stream", "op": "update", "stream_id": GENERAL, "name": "general"}
    for name, value in (("name", "everybody"), ("description", "for all"), ("invite_only", True)):
        apply(state, {**update, "property": name, "value": value})
    after = general_of(state)
    assert (after.name, after.description, after.invite_only) == ("everybody", "for all", True)
    for name, wrong in (("name", 7), ("invite_only", "yes"), ("can_send_message_group", "nobody")):
        apply(state, {**update, "property": name, "value": wrong})
    assert general_of(state) == after


def test_who_leaves_is_counted_out_once() -> None:
    state = make_state()
    gone = {
        "type": "subscription",
        "op": "remove",
        "subscriptions": [{"stream_id": GENERAL, "name": "general"}],
    }
    for _ in range(2):
        apply(state, gone)
        left = general_of(state)
        assert (left.subscription, left.subscriber_count) == (None, 2)
    peers = {"type": "subscription", "op": "peer_remove", "stream_ids": [GENERAL], "user_ids": [ADA, BRUNO]}
    apply(state, peers)
    assert general_of(state).subscriber_count == 1
    apply(state, {**peers, "user_ids": [BRUNO, CHIYO, 4]})
    assert general_of(state).subscriber_count == 0


@pytest.mark.parametrize(("channel_id", "unread"), [(GENERAL, {101}), (RANDOM, set())])
def test_unread_messages_of_a_channel_that_becomes_private_stay_only_for_subscribers(
    channel_id: int, unread: set[int]
) -> None:
    state = make_state()
    apply(state, message_event(channel_message(101, channel_id=channel_id)))
    update = {"type": "stream", "op": "update", "stream_id": channel_id, "name": "x"}
    assert UnreadsChanged() not in apply(state, {**update, "property": "description", "value": "new"})
    private = {**update, "property": "invite_only", "value": True}
    assert (UnreadsChanged() in apply(state, private)) is (not unread)
    assert set(state.unreads) == unread
    assert UnreadsChanged() not in apply(state, private)


def test_numbers_are_taken_as_numbers_or_as_none() -> None:
    state = make_state()
    update = {"type": "stream", "op": "update", "stream_id": GENERAL, "name": "general"}
    for name, value in (
        ("message_retention_days", 30),
        ("message_retention_days", "for ever"),
        ("of_the_future", 7),
    ):
        apply(state, {**update, "property": name, "value": value})
        assert general_of(state).message_retention_days == 30
    apply(state, {**update, "property": "message_retention_days", "value": None})
    assert general_of(state).message_retention_days is None


def test_archived_channels_are_not_among_the_subscribed_ones() -> None:
    state = make_state(subscriptions=[subscription(GENERAL, "general"), subscription(DESIGN, "Design")])
    assert [channel.name for channel in state.channels.subscribed()] == ["Design", "general"]
    archived = {"type": "stream", "op": "update", "stream_id": GENERAL, "name": "general"}
    apply(state, {**archived, "property": "is_archived", "value": True})
    assert [channel.name for channel in state.channels.subscribed()] == ["Design"]


@pytest.mark.parametrize("default", [[GENERAL, DESIGN], [{"stream_id": GENERAL}, {"stream_id": DESIGN}]])
def test_the_channels_of_newcomers_are_ids_or_on_older_servers_objects(default: list[object]) -> None:
    assert make_state(realm_default_streams=default).channels.default_ids == {GENERAL, DESIGN}
