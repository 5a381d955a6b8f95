"""Calls and summaries from the command to what the user sees, on servers that offer them and with each error
that such servers return.
"""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urljoin

import pytest

from narrowcast.screens.messages.preview import PreviewLines, PreviewScreen
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_server.organization.errors import ServiceError
from support.altered_servers import offering
from support.sessions import until
from support.stage import Stage, on_stage, run

PROVIDERS = {
    "big_blue_button": {"name": "BigBlueButton", "id": 4},
    "zoom": {"name": "Zoom", "id": 3},
    "constructor_groups": {"name": "Constructor Groups", "id": 6},
    "nextcloud_talk": {"name": "Nextcloud Talk", "id": 7},
    "webex": {"name": "Webex", "id": 8},
    "of_the_future": {"name": "Of the future", "id": 99},
}


def choose_provider(stage: Stage, name: str) -> None:
    """Sets the organization's provider of calls."""
    stage.session.state.organization.put("available_video_chat_providers", PROVIDERS)
    stage.session.state.organization.put("video_chat_provider", PROVIDERS[name]["id"])


def link_in_compose(stage: Stage, address: str) -> bool:
    return f"[Join video call.]({address})" in stage.screen.writing.text.text


async def test_a_call_on_bigbluebutton_is_joined_at_the_server(tmp_path: Path) -> None:
    path = "/calls/bigbluebutton/create"
    with offering(path, {"url": "/calls/bigbluebutton/join?bigbluebutton=%22x%22"}) as offered:
        async with on_stage(tmp_path, size=(80, 24)) as stage:
            await stage.go(Narrow.topic(stage.server.channel("general"), "soup"))
            choose_provider(stage, "big_blue_button")
            await run(stage, "write.call")
            address = urljoin(stage.server.url, "/calls/bigbluebutton/join?bigbluebutton=%22x%22")
            await until(lambda: link_in_compose(stage, address))
            assert offered.asked is not None
            assert offered.asked["meeting_name"].startswith("meeting-")
            assert offered.asked["voice_only"] == "false"
            before = stage.screen.writing.text.text
            offered.response = ServiceError("BigBlueButton is not configured.")
            await run(stage, "write.call")
            await stage.told("BigBlueButton is not configured.")
            assert stage.screen.writing.text.text == before


ZOOM_REFUSALS = [
    (
        "Invalid Zoom access token",
        "INVALID_VIDEO_CALL_PROVIDER_TOKEN",
        "Log in to Zoom in the web app first",
    ),
    ("Invalid Zoom access token", "INVALID_ZOOM_TOKEN", "Log in to Zoom in the web app first"),
    ("Unknown Zoom user email", "UNKNOWN_ZOOM_USER", "Zoom has no account with your email address."),
    ("Zoom credentials have not been configured", "BAD_REQUEST", "Zoom credentials have not been configured"),
    ("Invalid Zoom credentials", "BAD_REQUEST", "Invalid Zoom credentials"),
    ("Failed to create Zoom call", "BAD_REQUEST", "Failed to create Zoom call"),
]


async def test_a_call_on_zoom_is_created_or_the_reason_is_shown(tmp_path: Path) -> None:
    with offering("/calls/zoom/create", {"url": "https://zoom.example/j/1"}) as offered:
        async with on_stage(tmp_path, size=(80, 24)) as stage:
            await stage.go(Narrow.topic(stage.server.channel("general"), "soup"))
            choose_provider(stage, "zoom")
            for msg, code, said in ZOOM_REFUSALS:
                stage.app.clear_notifications()
                offered.response = ServiceError(msg, code)
                await run(stage, "write.call")
                await stage.told(said)
            assert stage.screen.writing.text.text == ""
            offered.response = {"url": "https://zoom.example/j/1"}
            await run(stage, "write.call")
            await until(lambda: link_in_compose(stage, "https://zoom.example/j/1"))
            assert offered.asked == {"is_video_call": "true"}
            choose_provider(stage, "of_the_future")
            await run(stage, "write.call")
            await stage.told("Video calls with of_the_future can only be made in the web app.")


@pytest.mark.parametrize(
    ("provider", "path", "asked"),
    [
        ("constructor_groups", "/calls/constructorgroups/create", {}),
        ("nextcloud_talk", "/calls/nextcloud_talk/create", {"room_name": "#general › soup"}),
        ("webex", "/calls/webex/create", {}),
    ],
)
async def test_a_call_is_created_by_the_newer_providers(
    tmp_path: Path, provider: str, path: str, asked: dict[str, str]
) -> None:
    with offering(path, {"url": "https://calls.example/room/1"}) as offered:
        async with on_stage(tmp_path, size=(80, 24)) as stage:
            await stage.go(Narrow.topic(stage.server.channel("general"), "soup"))
            choose_provider(stage, provider)
            await run(stage, "write.call")
            await until(lambda: link_in_compose(stage, "https://calls.example/room/1"))
            assert offered.asked == asked


async def test_a_user_without_a_login_at_webex_is_told_where_to_log_in(tmp_path: Path) -> None:
    refusal = ServiceError("Invalid Webex access token", "INVALID_VIDEO_CALL_PROVIDER_TOKEN")
    with offering("/calls/webex/create", {"url": "https://calls.example/room/1"}) as offered:
        async with on_stage(tmp_path, size=(80, 24)) as stage:
            await stage.go(Narrow.topic(stage.server.channel("general"), "soup"))
            choose_provider(stage, "webex")
            offered.response = refusal
            await run(stage, "write.call")
            await stage.told("Log in to Webex in the web app first")
            stage.app.clear_notifications()
            offered.asked = None
            stage.session.state.offers = stage.session.state.offers._replace(webex_login=False)
            await run(stage, "write.call")
            await stage.told("Log in to Webex in the web app first")
            assert offered.asked is None, "the server has already said so"


SUMMARY_REFUSALS = [
    "AI features are not enabled on this server.",
    "Insufficient permission",
    "Reached monthly limit for AI credits.",
    "No messages in conversation to summarize",
]


async def test_a_topic_is_summarized_or_the_reason_is_shown(tmp_path: Path) -> None:
    with offering("/messages/summary", {"summary": "They had **soup** and <b>bread</b>."}) as offered:
        async with on_stage(tmp_path, size=(80, 24)) as stage:
            where = await stage.in_topic(topic="soup")
            stage.session.state.offers = stage.session.state.offers._replace(summaries=True)
            await run(stage, "topic.summarize")
            await until(lambda: isinstance(stage.app.screen, PreviewScreen))
            preview = stage.app.screen
            assert isinstance(preview, PreviewScreen)
            lines = preview.query_one(PreviewLines)
            await until(lambda: bool(lines.items))
            shown = "".join(run.text for line in lines.items for run in line.runs)
            assert shown == "They had soup and <b>bread</b>."
            assert offered.asked is not None
            terms = json.loads(offered.asked["narrow"])
            assert [(term["operator"], term["operand"]) for term in terms] == [
                ("channel", where.channel_id),
                ("topic", "soup"),
            ]
            await stage.press("escape")
            for msg in SUMMARY_REFUSALS:
                stage.app.clear_notifications()
                offered.response = ServiceError(msg)
                await run(stage, "topic.summarize")
                await stage.told(msg.removesuffix("."))
                assert stage.app.screen is stage.screen


async def test_a_user_without_the_permission_to_summarize_is_told_before_the_server_is_asked(
    tmp_path: Path,
) -> None:
    with offering("/messages/summary", {"summary": "x"}) as offered:
        async with on_stage(tmp_path, person="dario", size=(80, 24)) as stage:
            await stage.in_topic(topic="soup")
            stage.session.state.offers = stage.session.state.offers._replace(summaries=True)
            group = {"new": stage.server.group("role:administrators")}
            await stage.server.call("ada", "PATCH", "/realm", {"can_summarize_topics_group": group})
            settings = stage.session.state.organization
            await until(lambda: settings.get("can_summarize_topics_group") == group["new"])
            await run(stage, "topic.summarize")
            await stage.told("can summarize topics")
            assert offered.asked is None


async def test_a_user_who_hides_ai_features_is_offered_no_summary(tmp_path: Path) -> None:
    with offering("/messages/summary", {"summary": "x"}) as offered:
        async with on_stage(tmp_path, size=(80, 24)) as stage:
            await stage.go(Narrow.topic(stage.server.channel("general"), "soup"))
            stage.session.state.offers = stage.session.state.offers._replace(summaries=True)
            await stage.server.call("ada", "PATCH", "/settings", {"hide_ai_features": True})
            await until(lambda: stage.session.state.settings.flag("hide_ai_features"))
            await run(stage, "topic.summarize")
            await stage.told("'Hide AI features'")
            assert offered.asked is None
