"""Presence and statuses of users."""

from __future__ import annotations

import pytest

from narrowcast_api.resources.presence import Availability, Seen
from narrowcast_api.resources.status import Status
from narrowcast_api.state.changes import PresenceChanged
from narrowcast_api.state.state import State
from support.live import ADA, BRUNO, CHIYO, apply, make_state

NOW = 1_800_000_000.0
"""When the snapshot of `make_state` arrived."""


@pytest.mark.parametrize(
    ("state", "lasts", "ahead"),
    [
        (State(ADA), 140, 0),
        (make_state(), 140, 0),
        (make_state(server_presence_offline_threshold_seconds=200), 200, 0),
        (make_state(server_timestamp=NOW + 30), 140, 30),
    ],
    ids=["before a snapshot", "unsaid", "said", "another clock"],
)
def test_a_sighting_counts_for_as_long_as_the_server_says_and_by_its_clock(
    state: State, lasts: int, ahead: int
) -> None:
    state.presence.put(BRUNO, Seen(NOW, NOW + 50))
    for later, standing in (
        (lasts, Availability.ACTIVE),
        (lasts + 0.5, Availability.IDLE),
        (lasts + 50, Availability.IDLE),
        (lasts + 50.5, Availability.OFFLINE),
    ):
        assert state.presence.of(BRUNO, NOW - ahead + later) is standing
    assert state.presence.of(CHIYO, NOW) is Availability.OFFLINE, "nobody has seen them"


def test_sightings_are_read_where_they_are_of_somebody() -> None:
    sighting = {"active_timestamp": 5, "idle_timestamp": 7}
    presences = {"2": sighting, "bruno@demo.example": sighting, "3": [5, 7], "4": None}
    assert list(make_state(presences=presences).presence.items()) == [(BRUNO, Seen(5, 7))]
    assert list(make_state(presences=[sighting]).presence.items()) == []


def test_an_outdated_presence_reports_no_change() -> None:
    presence = make_state().presence
    for sightings, news, after in (
        ({BRUNO: Seen(10, 20), CHIYO: Seen(10, 20)}, (BRUNO, CHIYO), Seen(10, 20)),
        ({BRUNO: Seen(10, 20), CHIYO: Seen(10, 20)}, (), Seen(10, 20)),
        ({BRUNO: Seen(5, 20), CHIYO: Seen(10, 21)}, (CHIYO,), Seen(10, 20)),
        ({BRUNO: Seen(5, 30)}, (BRUNO,), Seen(10, 30)),
        ({BRUNO: Seen(40, 20)}, (BRUNO,), Seen(40, 30)),
    ):
        assert presence.merge_seen(sightings) == news
        assert presence.seen(BRUNO) == after


def test_an_outdated_presence_event_changes_nothing() -> None:
    state = make_state()
    event = {"type": "presence", "user_id": BRUNO, "server_timestamp": 9}
    for at, changes in ((5, [PresenceChanged((BRUNO,))]), (5, []), (4, []), (6, [PresenceChanged((BRUNO,))])):
        presence = {"website": {"timestamp": at, "status": "active"}}
        assert apply(state, {**event, "presence": presence}) == changes


def test_a_status_keeps_what_an_event_does_not_say_and_goes_when_it_is_empty() -> None:
    state = make_state()
    emoji = {"emoji_name": "soup", "emoji_code": "1f372", "reaction_type": "unicode_emoji"}
    for said, after in (
        ({"status_text": "lunch"}, Status("lunch")),
        (emoji, Status("lunch", "soup", "1f372", "unicode_emoji")),
        ({"status_text": "late lunch"}, Status("late lunch", "soup", "1f372", "unicode_emoji")),
        ({"emoji_name": ""}, Status("late lunch")),
        ({"status_text": "", **emoji}, Status("", "soup", "1f372", "unicode_emoji")),
        ({"emoji_name": ""}, None),
        ({"status_text": ""}, None),
    ):
        apply(state, {"type": "user_status", "user_id": BRUNO, **said})
        assert state.statuses.get(BRUNO) == after
    assert list(state.statuses.items()) == []
