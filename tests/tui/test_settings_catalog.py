"""Which settings there are, their choices, and how values are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pytest

from narrowcast.screens.settings.catalog import Setting, SettingKind, duration
from narrowcast.screens.settings.organization import ORGANIZATION, REPLACED
from narrowcast.screens.settings.own import ELSEWHERE, OWN, options_at
from narrowcast.screens.settings.typed_values import seconds
from narrowcast_api.client import Client
from narrowcast_api.protocols.notifications import EFFECTIVE_SETTINGS
from narrowcast_api.wire.vocabulary import NOT_FOR_NEWCOMERS
from narrowcast_server.organization import personal
from narrowcast_server.organization.realm_settings import EDITABLE, GROUP_SETTINGS
from support.live import make_state
from support.request_parts import DESCRIBED_LEVEL, zulip_parameters
from support.server import TestServer

LATER = frozenset({"default_avatar_source", "gif_rating_policy", "media_preview_size"})
"""Settings of servers that are newer than the parameters in the list."""


def named(catalog: object) -> set[str]:
    assert isinstance(catalog, dict)
    return {setting.name for settings in catalog.values() for setting in settings}


def test_every_setting_of_the_server_has_a_title() -> None:
    assert set(personal.DEFAULTS) - named(OWN) - named(ELSEWHERE) == set()
    assert {*EDITABLE, *GROUP_SETTINGS} - named(ORGANIZATION) == set()


def choices(catalog: Mapping[str, Sequence[Setting]]) -> Iterator[tuple[str, object]]:
    for settings in catalog.values():
        for setting in settings:
            values = [value for value, _ in setting.options]
            assert len(values) == len(set(map(repr, values))), f"{setting.name} has a choice twice"
            yield from ((setting.name, value) for value in values)


async def test_every_choice_is_one_that_servers_take(server: TestServer) -> None:
    server.set_level(DESCRIBED_LEVEL)
    async with Client.open(server.account("ada")) as client:
        newcomers = [one for one in choices({**OWN, **ELSEWHERE}) if one[0] not in NOT_FOR_NEWCOMERS]
        for path, update, found in (
            ("/settings", client.settings.update, list(choices(OWN))),
            ("/realm/user_settings_defaults", client.organization.update_user_defaults, newcomers),
            ("/realm", client.organization.update, list(choices(ORGANIZATION))),
        ):
            assert len(found) > 10
            for name, value in found:
                real = zulip_parameters()["PATCH", path].get(name)
                if real is None:
                    assert name in {*REPLACED, *LATER}, "neither older nor later"
                    continue
                assert not real.words or value in real.words, (name, value)
                response = await update(settings={name: value})
                assert not response.ignored_parameters_unsupported, name


@pytest.mark.parametrize(
    ("level", "name", "value", "label"),
    [
        (226, "desktop_icon_count_display", 2, "DMs and mentions"),
        (226, "desktop_icon_count_display", 3, "None"),
        (227, "desktop_icon_count_display", 3, "DMs and mentions"),
        (453, "web_home_view", "recent_topics", "Recent conversations"),
        (454, "web_home_view", "recent", "Recent conversations"),
        (454, "web_home_view", "inbox", "Inbox"),
    ],
)
def test_a_choice_has_the_value_that_the_servers_level_gives_it(
    level: int, name: str, value: object, label: str
) -> None:
    (setting,) = [one for settings in OWN.values() for one in settings if one.name == name]
    offered = options_at(make_state(zulip_feature_level=level), setting)
    assert dict(offered)[value] == label
    assert len({label for _, label in offered}) == len(offered)


def test_only_notification_settings_that_affect_the_app_are_shown() -> None:
    assert {setting.name for setting in OWN["Notifications"]} == EFFECTIVE_SETTINGS
    others = {name for name in named(OWN) - EFFECTIVE_SETTINGS if "notif" in name}
    assert all("typing" in name for name in others)


@pytest.mark.parametrize(
    ("text", "period"),
    [("90", 90), ("10 m", 600), ("2 hours", 7200), ("7d", 604_800), ("no limit", None), ("", None)],
)
def test_periods_are_read_as_people_write_them(text: str, period: int | None) -> None:
    assert seconds(text) == period
    assert seconds(duration(period) if period is not None else "no limit") == period


@pytest.mark.parametrize("text", ["soon", "10 fortnights", "-3", "1.5 h"])
def test_an_invalid_period_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match="unit"):
        seconds(text)


def test_no_limit_is_shown_in_both_forms_that_servers_send() -> None:
    setting = Setting(
        "message_content_edit_limit_seconds", "Time limit for editing messages", SettingKind.SECONDS
    )
    assert [setting.shown(value) for value in (None, 0, 600)] == ["No limit", "No limit", "10 minutes"]


def test_a_number_of_days_is_said_in_words() -> None:
    setting = Setting("message_retention_days", "Message retention period", SettingKind.DAYS)
    assert [setting.shown(value) for value in (1, 30, -1, None)] == ["1 day", "30 days", "Forever", "Forever"]
