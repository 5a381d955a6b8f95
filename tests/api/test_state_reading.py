"""A snapshot becomes the state: complete, fast for large organizations, and robust against hostile rows."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from narrowcast_api.model.user_groups import AdHocGroup
from narrowcast_api.state.state import State
from narrowcast_api.wire.vocabulary import Dialect
from support.captures import fixture, recorded_responses
from support.ledger import proves
from support.properties import deep, examples, hostile_json
from support.responses import operation


def sample(**changes: object) -> dict[str, Any]:
    raw: dict[str, Any] = fixture("snapshot.json")
    return {**raw, **changes}


def read(raw: dict[str, Any]) -> State:
    return State.from_snapshot(raw, now=0.0, monotonic=lambda: 0.0)


@proves("CONV-12")
def test_limits_periods_and_the_name_of_the_empty_topic_are_read() -> None:
    state = read(sample(max_avatar_file_size_mib=1, max_icon_file_size_mib=2, max_logo_file_size_mib=3))
    limits = state.limits
    assert (
        limits.max_avatar_file_size_mib,
        limits.max_icon_file_size_mib,
        limits.max_logo_file_size_mib,
    ) == (1, 2, 3)
    assert state.limits.empty_topic_name == "general chat"
    assert state.limits.max_topic_length == 60
    assert state.limits.typing_started_wait == 30
    assert state.limits.longpoll_timeout == 90
    assert (state.server.level, state.server.version) == (400, "1.2")


@pytest.mark.parametrize("dialect", list(Dialect))
def test_both_dialects_of_a_snapshot_read_alike(dialect: Dialect) -> None:
    raw = {f"{dialect}_feature_level": 300, f"{dialect}_version": "abc", f"{dialect}_merge_base": ""}
    server = read({"user_id": 1, **raw}).server
    assert (server.dialect, server.level, server.version) == (dialect, 300, "abc")


def test_a_server_that_names_itself_neutrally_too_is_written_to_by_those_names() -> None:
    server = read({"user_id": 1, "service_version": "1", "zulip_feature_level": 9}).server
    assert (server.dialect, server.level) == (Dialect.SERVICE, 9)


def test_people_come_from_all_three_lists() -> None:
    users = {user.user_id: user for user in read(sample()).users}
    assert set(users) == {1, 11, 12, 17}
    assert not users[17].is_active
    assert users[1].is_system_bot


def test_channels_come_with_how_the_caller_sees_them() -> None:
    channels = read(sample()).channels
    quay = next(channel for channel in channels if channel.name == "quay")
    assert quay.subscription is not None
    assert (quay.subscription.pin_to_top, quay.subscriber_count) == (True, 2)
    assert quay.permissions["can_administer_channel_group"] == AdHocGroup(frozenset({11}), frozenset())
    assert quay.permissions["can_send_message_group"] == 53
    assert not any(channel.is_subscribed for channel in channels if channel.channel_id == 33)


def test_unread_reads_the_old_name_of_the_other_person() -> None:
    unreads = read(sample()).unreads
    assert all(unreads.count_direct(frozenset({other})) for other in (12, 13))
    assert unreads.old_missing


def test_a_snapshot_with_only_the_current_user_gives_a_state() -> None:
    state = read({"user_id": 5})
    assert (state.me, state.server.level, len(state.users), len(state.unreads)) == (5, 0, 0, 0)


def test_one_hostile_user_row_is_skipped_alone() -> None:
    raw = sample()
    raw["realm_users"].insert(1, {"user_id": "eleven", "full_name": ["x"]})
    assert {user.user_id for user in read(raw).users} == {1, 11, 12, 17}


def test_one_hostile_value_is_as_if_it_had_not_been_sent() -> None:
    state = read(sample(max_topic_length="sixty", user_settings={"timezone": 5, "enter_sends": True}))
    assert state.limits.max_topic_length == read({"user_id": 1}).limits.max_topic_length
    assert (state.settings.text("timezone"), state.settings.flag("enter_sends")) == ("", True)


def test_legacy_presences_by_email_are_not_read_as_ids() -> None:
    website = {"client": "website", "status": "active", "timestamp": 1790000000, "pushable": False}
    state = read(sample(presences={"user12@demo.example": {"website": website}}))
    assert list(state.presence.items()) == []


@pytest.mark.parametrize("part", sorted(set(sample()) - {"user_id"}))
@given(value=hostile_json())
@examples(10)
def test_no_part_raises_whatever_the_server_sends(part: str, value: object) -> None:
    read(sample(**{part: value}))


@pytest.mark.parametrize("part", sorted(set(sample()) - {"user_id"}))
def test_no_part_raises_for_what_is_nested_without_end(part: str) -> None:
    read(sample(**{part: deep(5_000)}))


def test_every_snapshot_is_read_whole(caplog: pytest.LogCaptureFixture) -> None:
    read(sample())
    for source, record in recorded_responses():
        request, response = record["request"], record["response"]
        if operation(request["method"], request["path"]) == "POST register" and "user_id" in response:
            read(response)
            assert caplog.messages == [], source
    assert caplog.messages == []


def big() -> dict[str, Any]:
    """10,000 people, 1,000 channels with 100 subscribers, 20,000 unread messages in 2,000 topics."""
    base = sample()
    person, channel = base["realm_users"][1], base["subscriptions"][0]
    base["realm_users"] = [{**person, "user_id": n, "full_name": f"Person {n}"} for n in range(1, 10_001)]
    base["subscriptions"] = [
        {**channel, "stream_id": n, "name": f"channel {n}", "subscribers": list(range(1, 101))}
        for n in range(1, 1_001)
    ]
    base["unread_msgs"]["streams"] = [
        {
            "stream_id": n % 1000 + 1,
            "topic": f"topic {n}",
            "unread_message_ids": list(range(n * 10, n * 10 + 10)),
        }
        for n in range(2_000)
    ]
    return base


def cpu_seconds(work: Callable[[], object]) -> float:
    """The best of five runs, in CPU seconds of this process, so that a busy machine does not affect it."""
    gc.freeze()  # objects of other tests are excluded from collection
    times = []
    for _ in range(5):
        gc.collect()
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    gc.unfreeze()
    return min(times)


def test_a_big_organization_is_read_in_the_time_that_its_json_takes_twice() -> None:
    body = json.dumps(big()).encode()
    raw = json.loads(body)
    state = read(raw)
    assert (len(state.users), len(state.channels.subscribed())) == (10_000, 1_000)
    assert cpu_seconds(lambda: read(raw)) < 2 * cpu_seconds(lambda: json.loads(body))


@pytest.mark.parametrize("number", [10**400, 2**63, -(2**70), float("nan"), float("inf"), 1e300])
def test_a_number_that_no_id_or_time_can_be_counts_as_absent(number: float) -> None:
    raw = sample(max_message_id=number, server_timestamp=number, presences={"9" * 5000: {}, "12": {}})
    raw["realm_users"].insert(1, {"user_id": number, "full_name": "Nobody"})
    state = read(raw)
    assert (state.max_message_id, state.presence.server_offset) == (0, 0.0)
    assert {user.user_id for user in state.users} == {1, 11, 12, 17}
    assert [user_id for user_id, _ in state.presence.items()] == [12]
