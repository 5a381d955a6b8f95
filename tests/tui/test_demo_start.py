"""The start of the demo from the welcome screen: keys pressed meanwhile, and another attempt."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from narrowcast.app import demo
from narrowcast.app.app import NarrowcastApp
from narrowcast.app.demo import DemoFailed, DemoServer
from narrowcast.screens.main.screen import MainScreen
from narrowcast.screens.start.text_screen import WaitScreen
from narrowcast.screens.start.welcome import WelcomeScreen
from narrowcast.terminal.paths import Paths
from narrowcast_api.narrow.narrow import Narrow
from support.screens import screen_text
from support.server import TestServer, running_server
from support.sessions import until
from support.stage import on_stage


class Servers:
    """Stands for the demo's servers: each starts once `go_on` is set, or fails if there is no account to return."""

    def __init__(self, patch: pytest.MonkeyPatch, server: TestServer | None = None) -> None:
        self.go_on = asyncio.Event()
        self.started: list[DemoServer] = []
        self.stopped: list[DemoServer] = []

        async def start(one: DemoServer) -> Path:
            self.started.append(one)
            await self.go_on.wait()
            if server is None:
                raise DemoFailed("The demo's server did not start: no room.")
            server.account("ada").write_zuliprc(rc := one.folder / "ada.zuliprc")
            return rc

        async def stop(one: DemoServer) -> None:
            self.stopped.append(one)

        patch.setattr(DemoServer, "start", start)
        patch.setattr(DemoServer, "stop", stop)
        patch.setattr(demo, "start_log", lambda _: True)  # it would replace the log of the tests


async def test_no_key_closes_the_wait_for_the_demo_or_starts_another_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_server(tmp_path / "server") as server:
        servers = Servers(monkeypatch, server)
        app = NarrowcastApp("welcome", paths=Paths.under(tmp_path / "home"), demo_data=tmp_path / "demo")
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("t")
            await until(lambda: isinstance(app.screen, WaitScreen))
            await pilot.press("enter", "escape", "q", "t", "tab", "space")
            assert isinstance(app.screen, WaitScreen)
            servers.go_on.set()
            await until(lambda: app.accounts.session is not None and app.accounts.session.is_live)
            assert isinstance(app.screen, MainScreen)
            assert len(servers.started) == 1
            await app.accounts.close()


async def test_a_demo_that_did_not_start_can_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers = Servers(monkeypatch)
    servers.go_on.set()
    app = NarrowcastApp("welcome", paths=Paths.under(tmp_path / "home"), demo_data=tmp_path / "demo")
    async with app.run_test(size=(80, 24)) as pilot:
        for attempt in (1, 2):
            await pilot.press("t")
            await until(lambda attempt=attempt: len(servers.started) == attempt)  # type: ignore[misc]
            await until(
                lambda: isinstance(app.screen, WelcomeScreen) and "no room" in screen_text(app.screen)
            )
            assert not app.demo.is_open


async def test_a_demo_whose_folder_cannot_be_made_leads_back_to_the_welcome_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "start_log", lambda _: True)  # it would replace the log of the tests
    (tmp_path / "file").touch()
    paths = Paths.under(tmp_path / "home")
    app = NarrowcastApp("welcome", paths=paths, demo_data=tmp_path / "file")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("t")
        await until(lambda: "server did not start" in screen_text(app.screen))
        assert isinstance(app.screen, WelcomeScreen)
        assert "Errno" not in screen_text(app.screen)
        assert not app.demo.is_open
        assert app.paths == paths


async def test_a_demo_whose_account_cannot_be_opened_is_started_afresh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_server(tmp_path / "server") as server:
        servers = Servers(monkeypatch, server)
        servers.go_on.set()
        app = NarrowcastApp("welcome", paths=Paths.under(tmp_path / "home"), demo_data=tmp_path / "demo")
        load = app.accounts.load
        async with app.run_test(size=(80, 24)) as pilot:
            app.accounts.problem = "It cannot be read."
            monkeypatch.setattr(app.accounts, "load", refuse)
            await pilot.press("t")
            await until(lambda: len(servers.started) == 1 and "cannot be read" in screen_text(app.screen))
            monkeypatch.setattr(app.accounts, "load", load)
            await pilot.press("t")
            await until(lambda: app.accounts.session is not None and app.accounts.session.is_live)
            first, _ = servers.started
            assert servers.stopped == [first]
            await app.accounts.close()


async def refuse(_: Path) -> None:
    return None


async def test_the_demo_opens_at_its_welcome_if_the_server_has_answered_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "CHANNEL", "general")
    monkeypatch.setattr(demo, "TOPIC", "lunch")
    async with on_stage(tmp_path) as stage:
        await stage.go(Narrow.all())
        demo.begin_at_welcome(stage.screen)
        assert stage.screen.narrow == Narrow.topic(stage.server.channel("general"), "lunch")
