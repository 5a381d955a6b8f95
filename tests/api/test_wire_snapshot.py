"""A snapshot is read in parts: typed, fast for big organizations, and hardy against hostile rows."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given

from narrowcast_api.wire.base import WireModel
from narrowcast_api.wire.channels import Subscription
from narrowcast_api.wire.groups import GroupSettingMembers
from narrowcast_api.wire.snapshot import Snapshot
from narrowcast_api.wire.tables import ChannelRow, MembersRow, PresenceRow, UserRow
from narrowcast_api.wire.users import Presence, User
from narrowcast_api.wire.vocabulary import Dialect
from support.captures import fixture
from support.exploring import examples
from support.hostile import deep, hostile_json
from support.ledger import proves


def _raw(**changes: object) -> dict[str, Any]:
    raw: dict[str, Any] = fixture("snapshot.json")
    return {**raw, **changes}


PARTS = [name for name, value in vars(Snapshot).items() if type(value).__name__ == "cached_property"]


@proves("CONV-12")
def test_limits_periods_and_the_name_of_the_empty_topic_are_read() -> None:
    registration = Snapshot(_raw()).registration
    assert registration.realm_empty_topic_display_name == "general chat"
    assert registration.max_topic_length == 60
    assert registration.server_typing_started_wait_period_milliseconds == 30000
    assert registration.event_queue_longpoll_timeout_seconds == 90
    assert (registration.feature_level, registration.version) == (400, "1.2")


@proves("LIM-02")
def test_a_limit_that_the_server_does_not_send_is_unknown() -> None:
    registration = Snapshot({"queue_id": "q"}).registration
    assert registration.max_message_length is None
    assert registration.max_file_upload_size_mib is None
    assert registration.server_typing_stopped_wait_period_milliseconds is None


@pytest.mark.parametrize("dialect", list(Dialect))
def test_both_dialects_of_a_snapshot_read_alike(dialect: Dialect) -> None:
    raw = {f"{dialect}_feature_level": 300, f"{dialect}_version": "abc", f"{dialect}_merge_base": ""}
    snapshot = Snapshot(raw)
    assert snapshot.dialect is dialect
    assert snapshot.registration.feature_level == 300
    assert (snapshot.registration.version, snapshot.registration.merge_base) == ("abc", "")


def test_legacy_presences_are_converted_and_keyed_by_id() -> None:
    website = {"client": "website", "status": "active", "timestamp": 1790000000, "pushable": False}
    raw = _raw(
        presences={"user12@demo.example": {"website": website}, "who@demo.example": {"website": website}}
    )
    assert Snapshot(raw).presences == {12: PresenceRow(1790000000, 1790000000)}


def test_people_come_from_all_three_lists() -> None:
    users = {user.user_id: user for user in Snapshot(_raw()).users}
    assert set(users) == {1, 11, 12, 17}
    assert not users[17].is_active
    assert users[1].is_system_bot


def test_channels_come_with_how_the_caller_sees_them() -> None:
    snapshot = Snapshot(_raw())
    quay = snapshot.subscriptions[0]
    assert (quay.name, quay.pin_to_top, quay.subscribers) == ("quay", True, [11, 12])
    assert quay.can_administer_channel_group == MembersRow([11], [])
    assert quay.can_send_message_group == 53
    assert snapshot.unsubscribed[0].is_muted
    assert snapshot.never_subscribed[0].stream_id == 33


def test_unread_reads_the_old_name_of_the_other_person() -> None:
    unread = Snapshot(_raw()).unread
    assert [direct.other_user_id for direct in unread.pms] == [12, 13]
    assert unread.old_unreads_missing


def test_a_snapshot_without_parts_is_empty_and_whole() -> None:
    snapshot = Snapshot({})
    for part in PARTS:
        getattr(snapshot, part)
    assert snapshot.problems == []
    assert snapshot.settings.send_read_receipts
    assert snapshot.registration.feature_level == 0


def test_one_hostile_person_costs_that_person_only() -> None:
    raw = _raw()
    raw["realm_users"].insert(1, {"user_id": "eleven", "full_name": ["x"]})
    snapshot = Snapshot(raw)
    assert {user.user_id for user in snapshot.users} == {1, 11, 12, 17}
    assert [(problem.field, problem.where) for problem in snapshot.problems] == [("realm_users", 1)]


def test_one_hostile_limit_is_as_if_it_had_not_been_sent() -> None:
    snapshot = Snapshot(_raw(max_topic_length="sixty", max_message_length=10000))
    assert snapshot.registration.max_topic_length is None
    assert snapshot.registration.max_message_length == 10000
    assert [problem.field for problem in snapshot.problems] == ["max_topic_length"]


def test_one_hostile_setting_has_its_default() -> None:
    snapshot = Snapshot(_raw(user_settings={"timezone": 5, "enter_sends": True}))
    assert (snapshot.settings.timezone, snapshot.settings.enter_sends) == ("", True)


@pytest.mark.parametrize("part", PARTS)
@given(value=hostile_json())
@examples(15)
def test_no_part_raises_whatever_the_server_sends(part: str, value: object) -> None:
    raw = dict.fromkeys(_raw(), value)
    snapshot = Snapshot(raw)
    getattr(snapshot, part)


@pytest.mark.parametrize("part", PARTS)
def test_no_part_raises_for_what_is_nested_without_end(part: str) -> None:
    snapshot = Snapshot(dict.fromkeys(_raw(), deep(5_000)))
    getattr(snapshot, part)


@pytest.mark.parametrize(
    ("row", "model"), [(UserRow, User), (ChannelRow, Subscription), (PresenceRow, Presence)]
)
def test_rows_have_the_names_and_defaults_of_the_models(
    row: type[msgspec.Struct], model: type[WireModel]
) -> None:
    for field in msgspec.structs.fields(row):
        assert field.name in model.model_fields, field.name
        required = model.model_fields[field.name].is_required()
        assert field.required == required, field.name
        if not required:
            assert field.default == model.model_fields[field.name].default, field.name


def test_the_members_row_has_the_fields_of_its_model() -> None:
    names = {field.name for field in msgspec.structs.fields(MembersRow)}
    assert names == set(GroupSettingMembers.model_fields)


def _big() -> dict[str, Any]:
    """20,000 people, 2,000 channels with 100 subscribers, 40,000 unread messages in 4,000 topics."""
    base = _raw()
    person, channel = base["realm_users"][1], base["subscriptions"][0]
    base["realm_users"] = [{**person, "user_id": n, "full_name": f"Person {n}"} for n in range(1, 20_001)]
    base["subscriptions"] = [
        {**channel, "stream_id": n, "name": f"channel {n}", "subscribers": list(range(1, 101))}
        for n in range(1, 2_001)
    ]
    base["unread_msgs"]["streams"] = [
        {
            "stream_id": n % 2000 + 1,
            "topic": f"topic {n}",
            "unread_message_ids": list(range(n * 10, n * 10 + 10)),
        }
        for n in range(4_000)
    ]
    return base


def _cpu(work: Callable[[], object]) -> float:
    """The best of five, in seconds of this process, so that a busy machine does not decide."""
    times = []
    for _ in range(5):
        gc.collect()
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def test_a_big_organization_is_read_faster_than_its_json_is_decoded() -> None:
    body = json.dumps(_big()).encode()
    raw = json.loads(body)

    def read() -> None:
        snapshot = Snapshot(raw)
        assert (len(snapshot.users), len(snapshot.subscriptions)) == (20_002, 2_000)
        assert len(snapshot.unread.streams) == 4_000

    assert _cpu(read) < _cpu(lambda: json.loads(body))
