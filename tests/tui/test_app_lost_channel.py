"""A channel on screen that is archived, or that the user is removed from or can no longer see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from narrowcast.screens.main.title import TitleLine
from narrowcast.widgets.strips import plain_text
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.state import State
from support.live import apply
from support.screens import in_channel
from support.sessions import until
from support.stage import on_stage, run


async def test_a_user_who_is_removed_from_the_channel_on_screen_is_notified(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        server = stage.server
        await stage.go(Narrow.channel(server.channel("leads")))
        params = {"subscriptions": ["leads"], "principals": [server.id("ada")]}
        await server.call("ada", "DELETE", "/users/me/subscriptions", params)
        await stage.told("no longer subscribed to #leads")


async def test_losing_the_channel_of_the_other_conversation_is_told_too(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(180, 40)) as stage:
        server = stage.server
        await stage.go(Narrow.channel(server.channel("leads")))
        left = stage.screen.conversation
        stage.screen.open_beside(Narrow.all())
        await until(lambda: stage.screen.conversation is not left)
        params = {"subscriptions": ["leads"], "principals": [server.id("ada")]}
        await server.call("ada", "DELETE", "/users/me/subscriptions", params)
        await stage.told("no longer subscribed to #leads")


async def test_an_archived_channel_on_screen_is_reported_as_archived(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        leads = stage.server.channel("leads")
        await stage.go(Narrow.channel(leads))
        await stage.server.call("ada", "DELETE", f"/streams/{leads}")
        await stage.told("#leads was archived")


@pytest.mark.parametrize(
    ("command", "notice"),
    [
        ("channel.archive", "#leads was archived. Nobody can post in it."),
        (
            "channel.subscribe",
            "You are no longer subscribed to #leads. You will not get its new messages.",
        ),
    ],
)
async def test_who_archives_or_leaves_the_channel_on_screen_sees_one_notice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, notice: str
) -> None:
    async with on_stage(tmp_path) as stage:
        told: list[str] = []
        notify = stage.app.notify

        def noted(message: str, **options: Any) -> None:
            told.append(message)
            notify(message, **options)

        monkeypatch.setattr(stage.app, "notify", noted)
        await in_channel(stage, "leads")
        await run(stage, command)
        await stage.press("down", "enter")
        await until(lambda: len(told) == 2)  # by the response and by the event
        await stage.drawn()
        assert stage.notices == [notice]


async def test_who_lost_a_private_channel_is_told_in_compose_whatever_topic_they_name(tmp_path: Path) -> None:
    async with on_stage(tmp_path, person="dario") as stage:
        server, channels = stage.server, stage.session.state.channels
        leads = server.channel("leads")
        params: dict[str, object] = {"subscriptions": [{"name": "leads"}], "principals": [server.id("dario")]}
        await server.call("ada", "POST", "/users/me/subscriptions", params)
        await until(lambda: channels.get(leads) is not None)
        await stage.go(Narrow.channel(leads))
        params["subscriptions"] = ["leads"]
        await server.call("ada", "DELETE", "/users/me/subscriptions", params)
        await until(lambda: channels.get(leads) is None)
        await stage.press("c")
        await stage.type("plans")
        await stage.press("tab")
        await stage.told("you do not have access to it")
        await stage.type("When?")
        await stage.press("ctrl+d")
        assert "you do not have access to it" in stage.notices[-1]
        assert stage.screen.writing.text.text == "When?"


async def test_a_draft_for_a_channel_that_is_deleted_is_kept_and_its_author_told(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        server, channels = stage.server, stage.session.state.channels
        where = await stage.in_topic("engineering", "plans")
        await stage.press("c")
        await stage.type("When")
        await server.call("ada", "DELETE", f"/streams/{where.channel_id}")
        await stage.told("#engineering was archived")
        await stage.type(" exactly")
        await stage.press("enter")
        assert "archived" in stage.notices[-1]
        assert stage.screen.writing.text.text == "When exactly"
        apply(
            stage.session.state,
            {"type": "stream", "op": "delete", "streams": [{"stream_id": where.channel_id}]},
        )
        await until(lambda: channels.get(where.channel_id) is None)
        await stage.type("?")
        await stage.press("escape")
        assert [(one.destination, one.content) for one in stage.session.drafts.all()] == [
            (where, "When exactly?")
        ]
        await stage.press("c")
        await stage.press("ctrl+d")
        assert stage.screen.writing.text.text == "When exactly?"
        assert not stage.session.outbox.entries()


async def test_a_channel_on_screen_that_is_gone_keeps_its_name(tmp_path: Path) -> None:
    async with on_stage(tmp_path, person="dario") as stage:
        server, channels = stage.server, stage.session.state.channels
        leads, dario = server.channel("leads"), server.id("dario")
        params = {"subscriptions": [{"name": "leads"}], "principals": [dario]}
        await server.call("ada", "POST", "/users/me/subscriptions", params)
        await until(lambda: channels.get(leads) is not None)
        seen = await server.send("ada", "leads", "plans", "Soon")
        await stage.go(Narrow.channel(leads))
        await stage.shows(seen)
        listed = stage.screen.messages.list

        def shown() -> str:
            return plain_text(listed.compose_row(y) for y in range(listed.content_size.height))

        params = {"subscriptions": ["leads"], "principals": [dario]}
        await server.call("ada", "DELETE", "/users/me/subscriptions", params)
        await until(lambda: channels.get(leads) is None)
        await stage.drawn()
        assert stage.screen.query_one(TitleLine).plain.strip() == "#leads"
        await until(lambda: "#leads › plans" in shown())
        stage.session.synchronizer.replace_state(
            State.from_snapshot(await stage.session.client.registration.register())
        )
        await stage.drawn()
        assert stage.screen.query_one(TitleLine).plain.strip() == "#leads"


async def test_leaving_a_channel_that_is_not_on_screen_shows_no_notice(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        server = stage.server
        await stage.go(Narrow.channel(server.channel("leads")))
        await server.call("ada", "DELETE", "/users/me/subscriptions", {"subscriptions": ["general"]})
        channels = stage.session.state.channels
        general = server.channel("general")
        await until(lambda: (found := channels.get(general)) is not None and not found.is_subscribed)
        await stage.drawn()
        assert not any("no longer subscribed" in notice for notice in stage.notices)
