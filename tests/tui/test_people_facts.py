"""What a card shows of a user, and permissions put into sentences, even with nonsense from a server."""

from __future__ import annotations

import pytest

from narrowcast.screens.people.about import ago, facts, local_time, profile
from narrowcast.text.profile_values import options, people_of
from narrowcast_api import permissions
from narrowcast_api.model.users import ProfileValue
from narrowcast_api.resources.profile_fields import ProfileField
from narrowcast_api.state.state import State
from support.live import ADA, make_state, snapshot

NOW = 1_760_000_000.0


def field(kind: int, data: str = "") -> ProfileField:
    return ProfileField(1, "Team", kind, "", data, 0, False, True, False)


@pytest.mark.parametrize("zone", ["", "Nowhere/Land", "../../etc/passwd", "/etc/passwd", "\x00", "a" * 5000])
def test_an_invalid_time_zone_shows_no_time(zone: str) -> None:
    assert local_time(zone, NOW) == ""


def test_the_time_is_that_of_the_persons_zone() -> None:
    assert local_time("Asia/Tokyo", 0) == "09:00 (Asia/Tokyo)"
    assert local_time("Asia/Tokyo", 0, short=True) == "9:00 am (Asia/Tokyo)"
    assert local_time("UTC", 12.5 * 3600, short=True) == "12:30 pm (UTC)"


@pytest.mark.parametrize("data", ["", "[", "[1]", "null", '{"0": 1}', '{"0": {"text": 5}}', "[" * 100_000])
def test_invalid_choices_are_left_out(data: str) -> None:
    assert options(field(3, data)) == {}


def test_choices_are_in_their_order() -> None:
    data = '{"a": {"text": "late", "order": "10"}, "b": {"text": "soon", "order": "2"}}'
    assert list(options(field(3, data)).values()) == ["soon", "late"]


@pytest.mark.parametrize(
    ("value", "people"), [("[1, 2]", [1, 2]), ("", []), ("{}", []), ('["x", true, 3]', [3])]
)
def test_invalid_users_in_a_profile_field_are_skipped(value: str, people: list[int]) -> None:
    assert people_of(value) == people


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(5, "just now"), (60, "1 minute ago"), (7300, "2 hours ago"), (90_000, "1 day ago")],
)
def test_ages_are_said_in_one_unit(seconds: float, words: str) -> None:
    assert ago(seconds) == words


def test_a_card_names_the_groups_that_are_still_there() -> None:
    groups = [
        {"id": 5, "name": "cooks", "members": [ADA]},
        {"id": 6, "name": "Bakers", "members": [ADA]},
        {"id": 7, "name": "cooks 12", "members": [ADA], "deactivated": True},
        {"id": 8, "name": "role:members", "members": [ADA], "is_system_group": True},
    ]
    state = make_state(realm_user_groups=groups)
    ada = state.users.get(ADA)
    assert ada is not None
    assert dict(facts(state, ada, NOW))["Groups"] == "Bakers, cooks"


def test_everybody_in_a_snapshot_has_a_card() -> None:
    state = State.from_snapshot(snapshot())
    for user in state.users:
        assert dict(facts(state, user, NOW))["User ID"] == str(user.user_id)


def test_holders_are_named_and_the_rest_counted() -> None:
    from narrowcast_api.model.user_groups import AdHocGroup

    state = State.from_snapshot(snapshot())
    many = AdHocGroup(frozenset(range(100, 107)), frozenset())
    assert permissions.holders(state, many).endswith("and 3 more")
    assert permissions.holders(state, AdHocGroup(frozenset(), frozenset())) == "nobody"
    assert permissions.group_name(state, 987_654) == "group 987654"


def test_markdown_in_a_profile_field_is_shown_as_its_text() -> None:
    state = make_state()
    state.profile_fields.replace([field(2)])
    values = {
        1: ProfileValue("**Bold** [site](https://x.example)", "<p><strong>Bold</strong> <a>site</a></p>")
    }
    assert dict(profile(state, values, NOW)) == {"Team": "Bold site"}
