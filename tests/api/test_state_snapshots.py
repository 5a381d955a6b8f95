"""What is cached of a snapshot for the next start: in large organizations only what the first frame shows."""

from __future__ import annotations

import gc
import json
import weakref

import pytest

from narrowcast_api.state.settings import ServerOffers, read_server_offers
from narrowcast_api.state.snapshots import cacheable, dump_progress
from narrowcast_api.state.state import State
from narrowcast_api.state.users import UNKNOWN_NAME
from support.live import channel, make_state, snapshot

ME, FRIEND, GROUPMATE, STRANGER = 1, 2, 3, 4


def organization(people: int) -> dict[str, object]:
    """That many people: the user talks with 2, with 3 in a group, and with nobody else; 5 just wrote."""
    everybody = [
        {"user_id": number, "full_name": f"Person {number}", "email": f"p{number}@example.org", "role": 400}
        for number in range(1, people + 1)
    ]
    now = {"active_timestamp": 1_800_000_000, "idle_timestamp": 1_800_000_000}
    return snapshot(
        user_id=ME,
        realm_users=everybody,
        realm_non_active_users=[{"user_id": people + 1, "full_name": "Gone", "email": "gone@example.org"}],
        realm_bots=[{"user_id": 9, "api_key": "canary", "full_name": "Iris"}],
        recent_private_conversations=[
            {"user_ids": [FRIEND], "max_message_id": 11},
            {"user_ids": [FRIEND, GROUPMATE], "max_message_id": 12},
        ],
        presences={str(number): now for number in (FRIEND, STRANGER)},
        user_status={str(number): {"status_text": "away"} for number in (FRIEND, STRANGER)},
        subscriptions=[{"stream_id": 7, "name": "general", "subscribers": []}],
        streams=[{"stream_id": number, "name": f"c{number}"} for number in range(8, 40)],
        unread_msgs={
            "streams": [{"stream_id": 7, "topic": "lunch", "unread_message_ids": [13]}],
            "pms": [{"other_user_id": 5, "unread_message_ids": [14]}],
            "huddles": [],
            "mentions": [13],
            "old_unreads_missing": False,
        },
    )


def restarted(response: dict[str, object]) -> State:
    """The state that the next start shows first."""
    return State.from_snapshot(json.loads(json.dumps(cacheable(response))), from_cache=True)


def test_up_to_five_thousand_people_are_kept_all() -> None:
    state = restarted(organization(5_000))
    assert state.users.get(STRANGER) is not None
    assert sum(user.user_id <= 5_000 for user in state.users) == 5_000


def test_of_more_people_those_one_talks_with_are_kept_by_name() -> None:
    state = restarted(organization(5_001))
    assert {user.user_id for user in state.users} == {ME, FRIEND, GROUPMATE, 5}
    for user_id in (ME, FRIEND, GROUPMATE, 5):
        assert state.users.name(user_id) == f"Person {user_id}"
    assert state.statuses.get(FRIEND) is not None
    assert state.statuses.get(STRANGER) is None


def test_unread_messages_and_subscriptions_are_cached_completely() -> None:
    response = organization(5_001)
    state, whole = restarted(response), State.from_snapshot(response)
    assert set(state.unreads) == set(whole.unreads) == {13, 14}
    assert state.unreads.mentions == whole.unreads.mentions
    assert list(state.directs.recent()) == list(whole.directs.recent())
    assert [channel.channel_id for channel in state.channels.subscribed()] == [7]
    assert state.channels.get(8) is None, "those one is not in come with the next snapshot"
    assert state.limits == whole.limits


def test_a_user_who_is_not_cached_has_the_placeholder_name() -> None:
    state = restarted(organization(5_001))
    assert state.users.get(STRANGER) is None
    assert state.users.name(STRANGER) == UNKNOWN_NAME


@pytest.mark.parametrize("people", [3, 5_001])
def test_no_key_of_a_bot_reaches_the_disk(people: int) -> None:
    assert "canary" not in json.dumps(cacheable(organization(people)))


def test_a_large_snapshot_is_small_on_the_disk() -> None:
    response = organization(20_000)
    assert len(json.dumps(cacheable(response))) < len(json.dumps(response)) / 50


def test_progress_kept_beside_a_trimmed_snapshot_is_read_back() -> None:
    response = organization(5_001)
    state = State.from_snapshot(response)
    again = State.from_snapshot({**cacheable(response), **dump_progress(state)}, from_cache=True)
    assert set(again.unreads) == {13, 14}
    assert list(again.directs.recent()) == list(state.directs.recent())


@pytest.mark.parametrize("wrong", [None, 7, "x", [None, 7, {}], {"x": 1}])
def test_a_hostile_snapshot_of_many_people_is_trimmed_without_an_error(wrong: object) -> None:
    response = organization(5_001)
    for key in ("recent_private_conversations", "unread_msgs", "presences", "user_status", "user_id"):
        cacheable({**response, key: wrong})
    people = response["realm_users"]
    assert isinstance(people, list)
    cacheable({**response, "realm_users": [*people, wrong]})


def test_a_server_that_says_nothing_offers_nothing() -> None:
    assert read_server_offers({}) == ServerOffers()
    assert not any(ServerOffers())


def test_the_name_of_a_channel_that_is_gone_from_a_snapshot_is_kept_through_the_next_ones() -> None:
    first = make_state(streams=[channel(20, "lunch"), channel(21, "tea")], subscriptions=[])
    without = make_state(streams=[channel(21, "tea")], subscriptions=[])
    without.channels.carry_over_names(first.channels)
    assert (without.channels.last_name(20), without.channels.last_name(21)) == ("lunch", "tea")
    later = make_state(streams=[], subscriptions=[])
    later.channels.carry_over_names(without.channels)
    assert (later.channels.last_name(20), later.channels.last_name(21)) == ("lunch", "tea")


def test_a_state_that_is_replaced_is_free_at_once() -> None:
    collecting = gc.isenabled()
    gc.disable()  # as during startup, when the cached state is replaced
    try:
        state = weakref.ref(make_state())
        assert state() is None
    finally:
        if collecting:
            gc.enable()
