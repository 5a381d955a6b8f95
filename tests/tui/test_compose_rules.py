"""What compose shows before anything is typed: whether the user may post, and which topics are allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.config.config import Appearance, Config
from narrowcast.panes.compose import sending
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from support.screens import confirm, screen_rows, screen_text
from support.sessions import until
from support.stage import Stage, on_stage


async def set_policy(stage: Stage, channel: str, policy: str) -> None:
    channel_id = stage.server.channel(channel)
    await stage.server.call("ada", "PATCH", f"/streams/{channel_id}", {"topics_policy": policy})
    channels = stage.session.state.channels
    await until(lambda: (found := channels.get(channel_id)) is not None and found.topics_policy == policy)


async def test_a_channel_without_topics_has_no_field_for_one(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        general = stage.server.channel("general")
        await set_policy(stage, "general", "empty_topic_only")
        await stage.go(Narrow.channel(general))
        await stage.press("c")
        target = stage.screen.writing.target
        assert not target.topic.display
        await stage.type("soup")
        assert stage.screen.writing.text.text == "soup"
        await stage.press("ctrl+d")
        found = {"anchor": "newest", "num_before": 1, "num_after": 0, "allow_empty_topic_name": True}

        async def newest() -> dict[str, object]:
            response = await stage.server.call("ada", "GET", "/messages", found)
            message: dict[str, object] = (response["messages"] or [{"subject": None, "content": ""}])[-1]
            return message

        async def is_without_topic() -> bool:
            return (await newest()).get("subject") == ""

        await until(is_without_topic)
        assert (await newest())["content"] == "<p>soup</p>"
        await set_policy(stage, "general", "inherit")
        await until(lambda: target.topic.display)


async def test_a_channel_that_wants_a_topic_says_so_and_keeps_the_text(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await set_policy(stage, "general", "disable_empty_topic")
        await stage.go(Narrow.channel(stage.server.channel("general")))
        await stage.press("c")
        writing = stage.screen.writing
        assert writing.target.topic.placeholder == "topic (required)"
        await stage.press("tab")
        await stage.type("soup")
        await stage.press("ctrl+d")
        assert writing.text.text == "soup"
        assert any("topic" in notice for notice in stage.notices)
        await set_policy(stage, "general", "allow_empty_topic")
        await until(lambda: writing.target.topic.placeholder == "topic (empty: general chat)")


async def test_compose_says_that_the_user_cannot_post_before_anything_is_typed(tmp_path: Path) -> None:
    async with on_stage(tmp_path, person="dario") as stage:
        await stage.go(Narrow.topic(stage.server.channel("announcements"), "news"))
        writing = stage.screen.writing
        await until(lambda: "can post in #announcements" in writing.text.placeholder)
        await stage.press("c")
        assert any("can post in #announcements" in notice for notice in stage.notices)
        await stage.type("soup")
        await stage.press("ctrl+d")
        assert writing.text.text == "soup"
        await stage.go(Narrow.topic(stage.server.channel("general"), "lunch"))
        await until(lambda: writing.text.placeholder == "Write a message (c)")


async def test_an_archived_channel_says_so_at_once(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.go(Narrow.topic(stage.server.channel("design"), "soup"))
        writing = stage.screen.writing
        await stage.server.call("ada", "DELETE", f"/streams/{stage.server.channel('design')}")
        await until(lambda: "archived" in writing.text.placeholder)


async def test_the_address_has_its_room_also_before_anybody_writes(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await stage.go(Narrow.channel(stage.server.channel("general")))
        target = stage.screen.writing.target
        assert target.topic.render_line(0).text.strip() == "topic (empty: general chat)"
        await stage.press("c")
        await stage.drawn()
        assert target.topic.render_line(0).text.strip() == "topic (empty: general chat)"


async def test_a_message_to_the_general_chat_begins_with_its_text(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        writing, channel = stage.screen.writing, stage.server.channel("general")
        await stage.server.send("bruno", "general", "", "hello")
        await stage.go(Narrow.channel(channel))
        await stage.press("c")
        assert writing.target.topic.has_focus, "in the channel's view the topic is still to be chosen"
        await stage.press("escape")
        await stage.go(Narrow.topic(channel, ""))
        await stage.press("c")
        await until(lambda: writing.text.has_focus)
        await stage.type("hi all")
        assert writing.destination()[0] == ChannelDestination(channel, "")


async def test_a_banner_says_that_a_topic_is_new_resolved_or_one_is_not_subscribed_and_one_key_mends_it(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path) as stage:
        general = stage.server.channel("general")
        await stage.server.send("bruno", "general", "\u2714 lunch", "Done.")
        await stage.go(Narrow.topic(general, "\u2714 lunch"))
        await stage.session.loader.topics(general)
        banners = stage.screen.writing.banners
        await stage.press("r")
        assert banners.plain == ""
        await stage.type("soup")
        assert "This topic is resolved." in banners.plain
        assert "Alt-y unresolves it" in banners.plain
        await stage.press("alt+y")
        await until(lambda: stage.screen.writing.target.topic.text == "lunch")
        await until(lambda: banners.plain == "")
        await stage.session.loader.topics(general)
        stage.screen.writing.target.topic.text = "dinner"
        await stage.type("s")
        assert banners.plain.strip() == "New topic in #general."
        moderators = stage.server.group("role:moderators")
        path = f"/streams/{general}"
        await stage.server.call("ada", "PATCH", path, {"can_send_message_group": {"new": moderators}})
        stage.screen.writing.target.topic.text = "lunch"
        await stage.type("s")
        await until(lambda: "#general is moderated: only admins and moderators" in banners.plain)
        await stage.server.call("ada", "DELETE", "/users/me/subscriptions", {"subscriptions": ["general"]})
        await until(lambda: "not subscribed" in banners.plain)
        await stage.press("alt+y")
        await until(lambda: "not subscribed" not in banners.plain)


async def test_a_mention_of_somebody_who_is_not_subscribed_is_said_and_mended(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.server.call("bruno", "DELETE", "/users/me/subscriptions", {"subscriptions": ["general"]})
        await stage.in_topic("general", "lunch")
        await stage.press("r")
        await stage.type("Look, @**Bruno Castell**")
        banners = stage.screen.writing.banners
        await until(lambda: "Bruno Castell is not subscribed to #general." in banners.plain)
        await stage.press("alt+y")
        await until(lambda: banners.plain == "")


async def test_mentioning_many_people_is_confirmed_with_their_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "MANY", 1)
    async with on_stage(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        await stage.press("r")
        await stage.type("Hi @**all** ")
        await stage.press("ctrl+d")
        channel = stage.session.state.channels.get(stage.server.channel("general"))
        assert channel is not None
        assert f"Notify all {channel.subscriber_count} subscribers of #general?" in screen_text(
            stage.app.screen
        )
        await stage.press("escape")
        assert stage.screen.writing.text.text == "Hi @**all** "
        await stage.press("ctrl+d")
        await confirm(stage)
        await until(lambda: stage.screen.writing.text.text == "")


async def test_the_recipient_is_as_wide_as_it_needs_and_grows_where_one_types(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(100, 30)) as stage:
        await stage.go(Narrow.topic(stage.server.channel("general"), "gusts read too high"))
        target = stage.screen.writing.target
        assert "─ # general › gusts read too high ──" in screen_rows(stage.screen)[target.region.y]
        await stage.press("c", "shift+tab", "ctrl+a", "ctrl+k")
        await stage.type("a longer topic than before, not cut")
        await stage.drawn()
        assert "› a longer topic than before, not cut " in screen_rows(stage.screen)[target.region.y]


async def test_the_text_grows_to_half_of_the_height_and_the_frame_shows_the_focus(tmp_path: Path) -> None:
    config = Config(appearance=Appearance(theme="narrowcast"))
    async with on_stage(tmp_path, size=(100, 40), config=config) as stage:
        await stage.go(Narrow.topic(stage.server.channel("general"), "soup"))
        writing = stage.screen.writing
        idle = writing.target.hint.styles.color
        await stage.press("c")
        assert writing.size.height == 3
        await until(lambda: writing.target.hint.styles.color != idle)
        await stage.press(*["ctrl+j"] * 30)
        await stage.drawn()
        assert writing.size.height == 20
