"""Where reading marks messages as read: by the setting for all devices, and not where they are kept unread."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.protocols import on_screen
from narrowcast_api.protocols.on_screen import marks_read
from narrowcast_api.state.settings import Settings
from support.server import TestServer, running_server
from support.sessions import until
from support.stage import Stage, on_stage

TOPIC, CHANNEL = Narrow.topic(1, "soup"), Narrow.channel(1)
DIRECT, DIRECTS = Narrow.direct(frozenset({2})), Narrow.directs()


@pytest.mark.parametrize(
    ("policy", "marking"),
    [
        (1, {TOPIC, CHANNEL, DIRECT, DIRECTS, Narrow.all()}),
        (2, {TOPIC, DIRECT}),
        (3, set()),
        (None, {TOPIC, CHANNEL, DIRECT, DIRECTS, Narrow.all()}),
    ],
)
def test_the_policy_names_the_views(policy: int | None, marking: set[Narrow]) -> None:
    settings = Settings({} if policy is None else {"web_mark_read_on_scroll_policy": policy})
    search = Narrow.search("soup", TOPIC)
    views = {TOPIC, CHANNEL, DIRECT, DIRECTS, Narrow.all(), Narrow.mentions(), Narrow.starred(), search}
    assert {view for view in views if marks_read(view, settings)} == marking


@asynccontextmanager
async def reading(tmp_path: Path, server: TestServer) -> AsyncIterator[tuple[Stage, int]]:
    """Opens the topic of an unread message; whatever is painted counts as seen."""
    message_id = await server.send("bruno", "general", "soup", "hot")
    async with on_stage(tmp_path, server=server) as stage:
        await stage.go(Narrow.topic(server.channel("general"), "soup"), "newest")
        await stage.shows(message_id)
        await stage.drawn()
        yield stage, message_id


async def test_a_change_of_the_policy_counts_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_screen, "MOMENT", 0.0)
    async with running_server(tmp_path / "server") as server:
        await policy(server, 3)
        async with reading(tmp_path, server) as (stage, message_id):
            await stage.press("k")
            assert stage.session.read_marks.pending == ()
            assert message_id in stage.session.state.unreads
            await policy(server, 2)
            await until(lambda: message_id not in stage.session.state.unreads)


async def policy(server: TestServer, value: int) -> None:
    await server.call("ada", "PATCH", "/settings", {"web_mark_read_on_scroll_policy": value})


async def test_messages_marked_as_unread_stay_so_through_restarts_until_another_view_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_screen, "MOMENT", 0.0)
    async with running_server(tmp_path / "server") as server:
        async with reading(tmp_path, server) as (stage, message_id):
            await until(lambda: message_id not in stage.session.state.unreads)
            await stage.press("U")
            await stage.told("Marked as unread from here")
        for _ in range(2):
            async with on_stage(tmp_path, server=server) as stage:
                topic = stage.screen.narrow
                assert topic == Narrow.topic(server.channel("general"), "soup")
                await stage.shows(message_id)
                stage.app.app_focus = False
                stage.app.app_focus = True
                await stage.press("j", "k")
                await stage.drawn()
                assert stage.session.read_marks.pending == ()
                assert message_id in stage.session.state.unreads
        async with on_stage(tmp_path, server=server) as stage:
            await stage.go(Narrow.starred())
            await stage.go(Narrow.topic(server.channel("general"), "soup"), "newest")
            await until(lambda: message_id not in stage.session.state.unreads)


async def test_nothing_below_a_dialog_is_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_screen, "MOMENT", 0.0)
    async with running_server(tmp_path / "server") as server, reading(tmp_path, server) as (stage, _):
        await stage.press("ctrl+k")
        message_id = await server.send("bruno", "general", "soup", "cold")
        await stage.shows(message_id)
        await stage.drawn()
        assert message_id in stage.session.state.unreads
        assert stage.session.read_marks.pending == ()
        await stage.press("escape")
        await until(lambda: message_id not in stage.session.state.unreads)
