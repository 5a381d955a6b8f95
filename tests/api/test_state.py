"""What the state reports about the account as a whole."""

from __future__ import annotations

import pytest

from narrowcast_api.events.parsing import parse_event
from narrowcast_api.model.messages import read_message
from narrowcast_api.state.apply import REACTIVATION_SPREAD, snapshot_within
from narrowcast_api.wire.vocabulary import VisibilityPolicy
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
    subscription,
    user,
)


@pytest.mark.parametrize(
    ("is_channel_muted", "chosen", "next_choice"),
    [
        (False, VisibilityPolicy.NONE, VisibilityPolicy.MUTED),
        (False, VisibilityPolicy.MUTED, VisibilityPolicy.NONE),
        (False, VisibilityPolicy.FOLLOWED, VisibilityPolicy.MUTED),
        (True, VisibilityPolicy.NONE, VisibilityPolicy.UNMUTED),
        (True, VisibilityPolicy.UNMUTED, VisibilityPolicy.MUTED),
    ],
)
def test_a_topic_is_muted_and_heard_again_by_the_same_key(
    is_channel_muted: bool, chosen: VisibilityPolicy, next_choice: VisibilityPolicy
) -> None:
    state = make_state(subscriptions=[subscription(GENERAL, "general", is_muted=is_channel_muted)])
    choice = {"type": "user_topic", "stream_id": GENERAL, "topic_name": "soup", "visibility_policy": chosen}
    apply(state, choice)
    was_muted = state.is_muted(GENERAL, "Soup")
    assert state.policy_to_toggle_mute(GENERAL, "Soup") is next_choice
    apply(state, {**choice, "visibility_policy": next_choice})
    assert state.is_muted(GENERAL, "Soup") is not was_muted


def test_people_are_known_by_address_name_and_number() -> None:
    state = make_state()
    for text in ("Bruno", "user2@demo.example", str(BRUNO)):
        assert state.user_id(text) == BRUNO
    assert (state.user_id("me"), state.user_id("Nobody")) == (ADA, None)
    assert [state.user_email(one) for one in (BRUNO, 99)] == ["user2@demo.example", None]


def test_a_name_means_the_one_active_person_who_has_it() -> None:
    others = [user(4, "Sam", delivery_email="sam@home.example"), user(5, "sam"), user(6, "Kim")]
    gone = [user(7, "Kim", is_active=False), user(8, "Lee", is_active=False)]
    state = make_state(realm_users=[user(ADA, "Ada"), *others], realm_non_active_users=gone)
    for text, user_id in (
        ("Sam", None),
        ("Sam|5", 5),
        ("Sam|99", None),
        ("KIM", 6),
        ("Lee", 8),
        ("SAM@home.example", 4),
    ):
        assert state.user_id(text) == user_id
    apply(state, {"type": "realm_user", "op": "update", "person": {"user_id": 5, "full_name": "Samuel"}})
    assert (state.user_id("Sam"), state.user_id("Samuel")) == (4, 5)


def test_an_update_of_a_person_changes_what_it_carries() -> None:
    bot = user(4, "Iris", is_bot=True, bot_owner_id=ADA, delivery_email="iris@home.example")
    state = make_state(realm_users=[user(ADA, "Ada"), bot])
    update = {"type": "realm_user", "op": "update"}
    for values, after in (
        ({"full_name": "Iris B."}, ("Iris B.", ADA, "iris@home.example")),
        ({"bot_owner_id": BRUNO}, ("Iris B.", BRUNO, "iris@home.example")),
        ({"delivery_email": None}, ("Iris B.", BRUNO, None)),
        ({"delivery_email": "b@home.example", "bot_owner_id": None}, ("Iris B.", None, "b@home.example")),
    ):
        apply(state, {**update, "person": {"user_id": 4, **values}})
        iris = state.users.get(4)
        assert iris is not None
        assert (iris.full_name, iris.bot_owner_id, iris.delivery_email) == after


def test_people_are_muted_and_heard_again() -> None:
    state = make_state(muted_users=[{"id": BRUNO, "timestamp": 5}, {"timestamp": 5}])
    assert state.users.muted == {BRUNO: 5}
    for ids in ([BRUNO, CHIYO], [CHIYO], []):
        rows: list[object] = [{"id": one, "timestamp": 5} for one in ids]
        apply(state, {"type": "muted_users", "muted_users": [*rows, {"timestamp": 5}]})
        assert state.users.muted == dict.fromkeys(ids, 5)


def test_the_account_of_a_bot_is_known_as_one() -> None:
    assert [make_state(realm_users=rows).is_bot for rows in ([], [user(ADA, "Ada")])] == [False, False]
    assert make_state(realm_users=[user(ADA, "Ada", is_bot=True)]).is_bot


def test_a_fetched_page_marks_no_message_unread_that_the_snapshot_has_as_read() -> None:
    state = make_state()
    state.add_messages([read_message(channel_message(50)), read_message(channel_message(51, flags=["read"]))])
    assert set(state.unreads) == set()


def test_a_direct_message_counts_in_its_conversation() -> None:
    state = make_state()
    for number, people in enumerate(((ADA, BRUNO), (ADA, BRUNO, CHIYO), (ADA,)), start=101):
        apply(state, message_event(direct_message(number, people)))
        others = frozenset(people) - {ADA}
        assert (state.unreads.direct_ids(others), state.directs.newest(others)) == ([number], number)


@pytest.mark.parametrize(
    ("person", "within"),
    [
        ({"user_id": ADA, "role": 200}, 0.0),
        ({"user_id": ADA, "role": 400}, None),
        ({"user_id": ADA, "full_name": "Ada M."}, None),
        ({"user_id": BRUNO, "role": 200}, None),
        ({"user_id": BRUNO, "is_active": True}, None),
        ({"user_id": CHIYO, "is_active": True}, REACTIVATION_SPREAD),
        ({"user_id": CHIYO, "is_active": False}, None),
        ({"user_id": CHIYO, "full_name": "Chiyo K."}, None),
        ({"user_id": 99, "role": 200, "is_active": True}, None),
    ],
)
def test_a_snapshot_is_asked_for_where_an_event_does_not_tell_all(
    person: dict[str, object], within: float | None
) -> None:
    people = [user(ADA, "Ada"), user(BRUNO, "Bruno"), user(CHIYO, "Chiyo", is_active=False)]
    state = make_state(realm_users=people[:2], realm_non_active_users=people[2:])
    event = parse_event({"type": "realm_user", "op": "update", "id": 1, "person": person})
    assert snapshot_within(state, event) == within
