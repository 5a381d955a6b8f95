"""Every personal setting of the server acts: here, with the test that shows it, on the server, or elsewhere."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from narrowcast.screens.settings.own import BY_SERVER, ELSEWHERE, OWN, WEB_APP
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.protocols.notifications import EFFECTIVE_SETTINGS
from narrowcast_server.organization import personal
from support.screens import card_of, screen_text
from support.sessions import until
from support.stage import Stage, on_stage

TESTS = Path(__file__).parents[1]
HERE = "tui/test_settings_act.py"
SHOWN_IN = {
    "web_home_view": "tui/test_home_view.py",
    "web_escape_navigates_to_home_view": "tui/test_home_view.py",
    "display_emoji_reaction_users": HERE,
    "web_mark_read_on_scroll_policy": "tui/test_marking_policy.py",
    "starred_message_counts": HERE,
    "demote_inactive_streams": HERE,
    "web_stream_unreads_count_display_policy": HERE,
    "web_left_sidebar_show_channel_folders": "tui/test_navigation_groups.py",
    "hide_ai_features": "tui/test_calls_and_summaries.py",
    "presence_enabled": "tui/test_presence.py",
    "send_private_typing_notifications": "api/test_protocols_typing.py",
    "send_stream_typing_notifications": "api/test_protocols_typing.py",
    "enable_drafts_synchronization": "api/test_session_services.py",
    "timezone": HERE,
    "twenty_four_hour_time": "tui/test_palette.py",
    **dict.fromkeys(EFFECTIVE_SETTINGS, "api/test_protocols_notifications.py"),
}
"""The settings that act here, and the file with the test of each."""


def test_every_setting_acts_here_or_stands_where_it_says_that_it_does_not() -> None:
    elsewhere = {one.name for settings in (OWN[WEB_APP], *ELSEWHERE.values()) for one in settings}
    groups = [set(SHOWN_IN), set(BY_SERVER), elsewhere]
    assert set.union(*groups) == {*personal.DEFAULTS, "timezone"}
    assert sum(map(len, groups)) == len(set.union(*groups)), "a setting is in two groups"


@pytest.mark.parametrize(("name", "file"), sorted(SHOWN_IN.items()))
def test_the_test_of_a_setting_that_acts_here_is_there(name: str, file: str) -> None:
    tests = (TESTS / file).read_text(encoding="utf-8").replace("SHOWN_IN = {", "").split("}", 1)[-1]
    assert re.search(rf"\b{name}\b", tests)


async def change(stage: Stage, name: str, value: object) -> None:
    """Changes a personal setting on another device."""
    await stage.server.call("ada", "PATCH", "/settings", {name: value})
    await until(lambda: stage.session.state.settings.get(name) == value)
    await stage.drawn()


async def change_organization(stage: Stage, name: str, value: object) -> None:
    await stage.server.call("ada", "PATCH", "/realm", {name: value})
    await until(lambda: stage.session.state.organization.get(name) == value)
    await stage.drawn()


async def test_reactions_name_who_reacted_until_there_are_more_than_three(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        where = await stage.in_topic()
        message_id = stage.screen.messages.selected_id

        async def react(person: str, emoji: str) -> None:
            await stage.server.call(
                person, "POST", f"/messages/{message_id}/reactions", {"emoji_name": emoji}
            )

        await react("ada", "tada")
        await react("bruno", "tada")
        named = "You,\u00a0Bruno\u00a0Castell"
        await until(lambda: named in screen_text(stage.screen))
        await change(stage, "display_emoji_reaction_users", False)
        assert named not in screen_text(stage.screen)
        await change(stage, "display_emoji_reaction_users", True)
        assert named in screen_text(stage.screen)
        await react("chiyo", "heart")
        await react("chiyo", "tada")
        await until(lambda: named not in screen_text(stage.screen))
        assert stage.screen.narrow == Narrow.from_destination(where)


async def test_starred_messages_are_counted_in_the_channel_list(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic()
        message_id = stage.screen.messages.selected_id
        star = {"messages": [message_id], "op": "add", "flag": "starred"}
        await stage.server.call("ada", "POST", "/messages/flags", star)

        def starred() -> int:
            return next(row.total for row in stage.screen.navigation.list.items if row.text == "Starred")

        await until(lambda: starred() == 1)
        await change(stage, "starred_message_counts", False)
        assert starred() == 0


async def test_unread_messages_are_counted_or_only_marked_in_the_channel_list(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.go(Narrow.mentions())
        for channel in ("general", "engineering"):
            last = await stage.server.send("bruno", channel, "lunch", "Soup?")
        await until(lambda: last in stage.session.state.unreads)
        setting = {"stream_id": stage.server.channel("general"), "property": "is_muted", "value": True}
        path = "/users/me/subscriptions/properties"
        await stage.server.call("ada", "POST", path, {"subscription_data": json.dumps([setting])})
        unmuted = {"stream_id": stage.server.channel("general"), "topic": "lunch", "visibility_policy": 2}
        await stage.server.call("ada", "POST", "/user_topics", unmuted)
        await until(lambda: marks(stage) == {"engineering": "1", "general": "•"})
        await change(stage, "web_stream_unreads_count_display_policy", 1)
        assert marks(stage) == {"engineering": "1", "general": "1"}
        await change(stage, "web_stream_unreads_count_display_policy", 3)
        assert marks(stage) == {"engineering": "•", "general": "•"}


def marks(stage: Stage) -> dict[str, str]:
    """What stands at the end of the rows of channels with unread messages."""
    width = stage.screen.navigation.list.size.width
    shown = [row[:width].split() for row in screen_text(stage.screen).splitlines()]
    return {row[1]: row[-1] for row in shown if len(row) > 2 and row[1] in {"general", "engineering"}}


def texts(stage: Stage) -> list[str]:
    return [row.text for row in stage.screen.navigation.list.items]


async def test_inactive_channels_are_hidden_always_never_or_if_there_are_many(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        state = stage.session.state
        channel = state.channels.get(stage.server.channel("general"))
        assert channel is not None
        state.channels.put([channel._replace(is_recently_active=False)])
        for policy, is_hidden in ((2, True), (1, False), (3, False)):
            await change(stage, "demote_inactive_streams", policy)
            assert ("Inactive channels" in texts(stage)) is is_hidden
            assert ("general" in texts(stage)) is not is_hidden
        few = state.channels.subscribed()
        state.channels.put(
            channel._replace(channel_id=10_000 + number, name=f"more {number}")
            for number in range(30 - len(few))
        )
        await change(stage, "demote_inactive_streams", 1)
        assert "Inactive channels" in texts(stage)


async def test_the_time_zone_is_that_of_the_local_time_on_the_card_of_the_user(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await change(stage, "timezone", "Asia/Kathmandu")
        begun = datetime.now(UTC)
        await card_of(stage, "Ada Moreno")
        shown = next(row for row in screen_text(stage.app.screen).split("\n") if "Local time" in row)
        minutes = [(time + timedelta(hours=5, minutes=45)).minute for time in (begun, datetime.now(UTC))]
        assert any(f":{minute:02}" in shown for minute in minutes)


async def test_guests_are_marked_and_a_message_to_one_has_a_warning(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        guest = stage.server.id("hugo")
        await stage.server.call(
            "hugo",
            "POST",
            "/messages",
            {"type": "direct", "to": [stage.server.id("ada")], "content": "May I come?"},
        )
        await stage.go(Narrow.direct(frozenset({guest})))
        assert "Hugo Park (guest)" in stage.screen.title_line.plain
        await until(lambda: screen_text(stage.screen).count("Hugo Park (guest)") >= 3)
        await stage.press("r")
        banners = stage.screen.writing.banners
        assert "Hugo Park is a guest" in banners.plain
        await change_organization(stage, "enable_guest_user_dm_warning", False)
        assert "guest" not in banners.plain
        await change_organization(stage, "enable_guest_user_indicator", False)
        assert "guest" not in stage.screen.title_line.plain
