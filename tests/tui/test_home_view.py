"""The first start opens the home view of the account, at the first unread message; Esc goes there."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.runtime.looking import LOOKING, Looking
from narrowcast.screens.conversations.screen import InboxScreen, RecentScreen
from narrowcast.screens.main.screen import MainScreen
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.protocols import on_screen
from support.server import TestServer, running_server
from support.sessions import until
from support.stage import Stage, on_stage


async def choose(server: TestServer, view: str, **more: bool) -> None:
    await server.call("ada", "PATCH", "/settings", {"web_home_view": view, **more})


@pytest.mark.parametrize(
    ("view", "screen"),
    [("inbox", InboxScreen), ("recent_topics", RecentScreen), ("all_messages", MainScreen)],
)
async def test_the_first_start_opens_the_home_view_and_marks_nothing(
    tmp_path: Path, view: str, screen: type[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_screen, "MOMENT", 0.0)
    async with running_server(tmp_path / "server") as server:
        await choose(server, view)
        ids = [await server.send("bruno", "general", "soup", f"spoon {number}") for number in range(60)]
        read, unread = ids[:20], ids[20:]
        await server.call("ada", "POST", "/messages/flags", {"messages": read, "op": "add", "flag": "read"})
        async with on_stage(tmp_path, server=server, first_start=True, size=(80, 24)) as stage:
            await until(lambda: isinstance(stage.app.screen, screen))
            await until(lambda: stage.screen.messages.selected_id == unread[0])
            await stage.drawn()
            assert stage.session.read_marks.pending == ()
            assert set(unread) <= set(stage.session.state.unreads)
            await stage.close_all()
            await stage.press("h")
            await until(lambda: unread[0] not in stage.session.state.unreads)
            assert unread[-1] in stage.session.state.unreads


async def test_a_later_start_opens_the_last_view(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        topic = Narrow.topic(server.channel("general"), "soup")
        async with on_stage(tmp_path, server=server) as stage:
            await stage.go(topic)
        async with on_stage(tmp_path, server=server) as stage:
            assert stage.screen.narrow == topic
            assert stage.app.screen is stage.screen


async def test_the_first_start_goes_nowhere_if_the_user_has_gone_somewhere(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        await choose(server, "inbox")
        async with on_stage(tmp_path, server=server, first_start=True, live=False) as stage:
            await stage.press("f")
            await until(lambda: stage.session.is_live)
            await stage.drawn()
            assert stage.screen.narrow == Narrow.starred()
            assert stage.app.screen is stage.screen


async def test_escape_returns_to_the_messages_and_then_goes_home(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        await choose(server, "inbox")
        async with on_stage(tmp_path, server=server, size=(200, 40)) as stage:
            await go_from_people(stage)
            await stage.press("escape")
            assert isinstance(stage.app.screen, InboxScreen)
            await stage.press("escape")
            assert stage.screen.narrow == Narrow.mentions()
            await set_here(stage, server, "all_messages")
            await stage.press("escape")
            assert stage.screen.narrow == Narrow.all()


async def test_escape_stays_where_the_settings_say_so(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        await choose(server, "inbox", web_escape_navigates_to_home_view=False)
        async with on_stage(tmp_path, server=server, size=(200, 40)) as stage:
            await go_from_people(stage)
            await stage.press("escape")
            assert stage.app.screen is stage.screen
            assert stage.screen.narrow == Narrow.mentions()


async def go_from_people(stage: Stage) -> None:
    """Opens the mentions, and returns to them from the list of people."""
    await stage.go(Narrow.mentions())
    stage.screen.people.list.focus()
    await stage.press("escape")
    assert stage.screen.messages.has_focus_within
    assert stage.screen.narrow == Narrow.mentions()


async def set_here(stage: Stage, server: TestServer, view: str) -> None:
    await choose(server, view)
    await until(lambda: stage.session.state.settings.text("web_home_view") == view)


def test_the_user_looks_from_the_first_key_on_for_a_while_or_as_long_as_the_terminal_has_the_focus() -> None:
    now = 100.0
    looking = Looking(lambda: now)
    looking.focus_reported(True)
    assert not looking.is_looking, "no key yet"
    looking.key_pressed()
    now += 10 * LOOKING
    assert looking.is_looking
    looking.focus_reported(False)
    assert not looking.is_looking
    silent = Looking(lambda: now)
    silent.key_pressed()
    assert silent.is_looking
    now += LOOKING
    assert not silent.is_looking
