"""Settings of the user and the organization, and the server's features, as the snapshot reports them."""

from __future__ import annotations

import pytest

from narrowcast_api.state.settings import Settings, read_server_offers
from support.live import make_state


def test_a_setting_of_another_type_counts_as_absent() -> None:
    settings, names = Settings({"on": True, "many": 5, "words": "x"}), ("on", "many", "words", "unsaid")
    assert [settings.flag(name) for name in names] == [True, False, False, False]
    assert [settings.number(name) for name in names] == [0, 5, 0, 0]
    assert [settings.text(name) for name in names] == ["", "", "x", ""]
    assert [settings.flag(name, True) for name in names] == [True] * 4


def test_settings_of_the_organization_are_what_the_snapshot_says_of_it_but_for_its_tables() -> None:
    before = dict(make_state().organization.items())
    state = make_state(realm_name="Demo", realm_linkifiers=[], name="Ada", max_icon_file_size_mib=3)
    assert dict(state.organization.items()) == {**before, "name": "Demo"}


def test_older_servers_send_the_settings_of_notifications_among_everything_else() -> None:
    values: dict[str, object] = {
        "enable_sounds": False,
        "notification_sound": "ding",
        "desktop_icon_count_display": 3,
        "enable_stream_desktop_notifications": True,
        "enable_stream_audible_notifications": True,
    }
    settings = dict(make_state(zulip_feature_level=88, user_settings=None, **values).settings.items())
    assert settings == values


@pytest.mark.parametrize(
    ("said", "where"),
    [
        ({}, ""),
        ({"jitsi_server_url": "https://old.example"}, "https://old.example"),
        ({"server_jitsi_server_url": "https://new.example"}, "https://new.example"),
        (
            {"jitsi_server_url": "https://old.example", "server_jitsi_server_url": "https://new.example"},
            "https://new.example",
        ),
    ],
)
def test_an_older_server_says_under_another_name_where_calls_are(said: dict[str, str], where: str) -> None:
    assert read_server_offers(said).jitsi_url == where
