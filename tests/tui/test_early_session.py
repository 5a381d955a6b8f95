"""The session that a start opens while the app is still being loaded."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from narrowcast.app import accounts
from narrowcast.app.app import NarrowcastApp
from narrowcast.app.config import Config
from narrowcast.app.early_session import EarlySession, load_in_steps
from narrowcast.screens.start.welcome import WelcomeScreen
from narrowcast.terminal.paths import Paths
from support.app_parts import main_screen
from support.server import TestServer, running_server
from support.sessions import until


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths.under(tmp_path / "home")


@asynccontextmanager
async def live_before_the_app(server: TestServer, paths: Paths) -> AsyncIterator[tuple[Path, EarlySession]]:
    file = accounts.store(server.account("ada"), paths.accounts)
    early = EarlySession(file, paths, Config())
    early.painted.set()
    try:
        await until(lambda: any(queue.is_read_now for queue in server.core.hub.of(server.id("ada"))))
        yield file, early
    finally:
        await early.close()


async def test_the_app_takes_over_the_early_session_with_its_events(tmp_path: Path, paths: Paths) -> None:
    async with running_server(tmp_path / "server") as server:
        first = await server.send("bruno", "general", "lunch", "Soup?")
        async with live_before_the_app(server, paths) as (file, early):
            app = NarrowcastApp(file, paths=paths, early=early)
            async with app.run_test(size=(120, 40)):
                await until(lambda: app.accounts.session is not None and app.accounts.session.is_live)
                await until(lambda: app.accounts.screen is not None)
                shown = main_screen(app).messages.list
                await until(lambda: shown.feed is not None and first in shown.feed.ids)
                await early.close()  # no effect: the app owns the session by now
                second = await server.send("bruno", "general", "lunch", "Bread?")
                await until(lambda: shown.feed is not None and second in shown.feed.ids)
                assert server.core.hub.count == 1
                await app.accounts.close()


async def test_events_are_waited_for_once_the_app_has_painted_what_was_there(
    tmp_path: Path, paths: Paths
) -> None:
    async with running_server(tmp_path / "server") as server:
        file = accounts.store(server.account("ada"), paths.accounts)
        queues = server.core.hub.of
        early = EarlySession(file, paths, Config())
        session, _ = await early.take()
        await until(lambda: session.is_live)
        assert not any(queue.is_read_now for queue in queues(server.id("ada")))
        sent = await server.send("bruno", "general", "lunch", "Soup?")
        early.painted.set()
        await until(lambda: any(queue.is_read_now for queue in queues(server.id("ada"))))
        await until(lambda: sent in session.state.messages)
        await session.close()


async def test_an_early_session_that_no_app_takes_over_deletes_its_queue(
    tmp_path: Path, paths: Paths
) -> None:
    async with running_server(tmp_path / "server") as server:
        async with live_before_the_app(server, paths):
            pass
        assert server.core.hub.count == 0


async def test_an_account_that_cannot_be_read_is_explained_by_the_app(paths: Paths) -> None:
    file = accounts.file_of(paths.accounts, "ada")
    file.parent.mkdir(parents=True)
    file.write_text("no account\n")
    early = EarlySession(file, paths, Config())
    app = NarrowcastApp(file, paths=paths, early=early)
    async with app.run_test(size=(80, 24)):
        await until(lambda: isinstance(app.screen, WelcomeScreen))
        assert str(file) in app.accounts.problem
    await early.close()


async def test_the_loop_has_its_turns_between_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("early_step_one", "early_step_two"):
        (tmp_path / f"{name}.py").write_text("")
    loaded: list[bool] = []
    asyncio.get_running_loop().call_soon(lambda: loaded.append("early_step_two" in sys.modules))
    await load_in_steps("early_step_one", "early_step_two")
    assert loaded == [False]
    assert "early_step_two" in sys.modules
    with pytest.raises(ImportError, match="early_step_three"):
        await load_in_steps("early_step_three")
