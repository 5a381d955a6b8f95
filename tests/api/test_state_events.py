"""Every kind of event is applied, and an unreadable one is reported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from narrowcast_api.errors import MalformedResponse
from narrowcast_api.events.parsing import EVENT_CLASSES, parse_event
from narrowcast_api.model.reading import BadRow
from narrowcast_api.resources.exports import RealmExportConsentEvent
from narrowcast_api.state.apply import HANDLED
from narrowcast_api.state.apply import apply as apply_event
from narrowcast_api.state.snapshots import cacheable
from narrowcast_api.state.state import State
from narrowcast_api.wire.events import (
    HeartbeatEvent,
    OnboardingStepsEvent,
    RealmDeactivatedEvent,
    RestartEvent,
    WebReloadClientEvent,
)
from support.captures import captures, fixture, needs_recordings, own_events, recorded_events
from support.ledger import proves
from support.live import apply, channel_message, direct_message, make_state, message_event, snapshot
from support.state_facts import differences, facts

WITHOUT_STATE = {
    HeartbeatEvent,
    OnboardingStepsEvent,
    RealmDeactivatedEvent,
    RealmExportConsentEvent,
    RestartEvent,
    WebReloadClientEvent,
}
"""Event types about data that screens fetch when they open, or about the connection."""


def test_every_kind_of_event_is_handled_or_known_to_concern_no_state() -> None:
    assert set(EVENT_CLASSES.values()) == HANDLED | WITHOUT_STATE
    assert not HANDLED & WITHOUT_STATE


def kind(event: dict[str, object]) -> str:
    return f"{event['type']}.{event.get('op', '')}"


DIFFERENCES = {"subscription.peer_add", "subscription.peer_remove"}
"""Events that change the number of a channel's subscribers by a difference: each counts once more."""


@pytest.mark.parametrize(
    "event", [event for event in own_events() if kind(event) not in DIFFERENCES], ids=kind
)
def test_a_sample_event_that_is_applied_again_changes_nothing(event: dict[str, object]) -> None:
    once, twice = (State.from_snapshot(fixture("snapshot.json")) for _ in range(2))
    for state in (once, twice, twice):
        apply_event(state, parse_event(event))
    assert differences(facts(twice), facts(once)) == {}


@needs_recordings
def test_every_recorded_event_applies() -> None:
    state = State.from_snapshot(fixture("snapshot.json"))
    for name, event in recorded_events():
        try:
            apply_event(state, parse_event(event))
        except Exception as error:
            pytest.fail(f"{name}: {error!r}")


def recorded_snapshots() -> list[Path]:
    folder = captures()
    return sorted((folder / "POST_register").glob("*success*.json")) if folder is not None else []


@needs_recordings
@pytest.mark.parametrize("path", recorded_snapshots(), ids=lambda path: path.stem)
def test_every_recorded_snapshot_gives_a_state_that_can_be_read(path: Path) -> None:
    response = json.loads(path.read_bytes())["response"]
    if "user_id" not in response:
        pytest.skip("registration without the current user")
    state = State.from_snapshot(response)
    facts(state)
    assert len(state.unreads) == response.get("unread_msgs", {}).get("count", 0)
    assert len(state.channels.subscribed()) == len(
        [row for row in response.get("subscriptions", []) if not row.get("is_archived")]
    )


@proves("EVT-06")
def test_an_unknown_kind_changes_nothing() -> None:
    assert apply_event(make_state(), parse_event({"id": 1, "type": "weather", "op": "rain", "mm": 3})) == ()


def test_an_unreadable_event_raises_so_that_a_snapshot_follows() -> None:
    with pytest.raises(MalformedResponse):
        apply_event(make_state(), parse_event({"id": 1, "type": "message", "message": 7}))


WRONG: tuple[object, ...] = (
    None,
    7,
    "x",
    [7, None, "x", {}],
    {"x": 1},
    [[]],
    {"1": {"active_timestamp": "x"}},
)


def test_a_snapshot_survives_values_of_wrong_types() -> None:
    for key in snapshot():
        if key != "user_id":
            for wrong in WRONG:
                State.from_snapshot(snapshot(**{key: wrong}))


def test_a_snapshot_survives_a_wrong_value_anywhere_in_it() -> None:
    for variant in variants(fixture("snapshot.json")):
        if isinstance(variant, dict) and type(variant.get("user_id")) is int and variant["user_id"] < 2**63:
            State.from_snapshot(variant)


def test_the_cached_part_of_a_snapshot_gives_the_same_people_channels_and_unread() -> None:
    response = fixture("snapshot.json")
    response["realm_bots"] = [{"user_id": 9, "api_key": "secret", "full_name": "Iris"}]
    whole, cached = State.from_snapshot(response), State.from_snapshot(cacheable(response), from_cache=True)
    assert list(cached.users) == list(whole.users)
    assert list(cached.channels) == list(whole.channels)
    assert set(cached.unreads) == set(whole.unreads)
    assert cached.limits == whole.limits
    assert cached.server == whole.server
    assert "secret" not in str(cacheable(response))


def variants(value: object) -> Iterator[object]:
    """The value with one part replaced by something of a wrong type, for each part."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from ({**value, key: other} for other in variants(part) if key not in {"type", "op"})
            yield {name: kept for name, kept in value.items() if name != key}
    elif isinstance(value, list):
        for place, part in enumerate(value[:2]):
            yield from ([*value[:place], other, *value[place + 1 :]] for other in variants(part))
    yield from (None, 2**70, "x", [], {"a": 1})


@pytest.mark.parametrize("event", own_events(), ids=kind)
def test_whatever_a_server_sends_an_event_applies_or_is_refused_in_the_two_known_ways(
    event: dict[str, object],
) -> None:
    for variant in variants(event):
        state = make_state()
        apply(state, message_event(channel_message(101)), message_event(direct_message(102)))
        try:
            apply_event(state, parse_event(variant))
        except (MalformedResponse, BadRow):
            continue
        facts(state)  # what was applied can be read


def test_who_shows_no_presence_has_no_status_by_that_alone() -> None:
    """Only snapshots report it, never events: a status that included it would change after a restart."""
    state = make_state(user_status={"11": {"away": True}, "12": {"away": True, "status_text": "lunch"}})
    assert [user_id for user_id, _ in state.statuses.items()] == [12]
    apply(state, {"type": "user_status", "user_id": 11, "status_text": "lunch"})
    assert state.statuses.get(11) == state.statuses.get(12)
