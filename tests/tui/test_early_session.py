"""The session that a start opens while the app is still being imported."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from narrowcast.app.app import NarrowcastApp
from narrowcast.app.early_session import begin
from narrowcast.cli.open_app import forget_old_start
from narrowcast.config import account_files
from narrowcast.screens.start.welcome import WelcomeScreen
from narrowcast.terminal.paths import Paths
from support.server import running_server
from support.sessions import until
from support.stage import main_screen


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths.under(tmp_path / "home")


async def test_the_app_takes_over_the_early_session_with_its_first_view_and_events(
    tmp_path: Path, paths: Paths
) -> None:
    async with running_server(tmp_path / "server") as server:
        first = await server.send("bruno", "general", "lunch", "Soup?")
        file = account_files.store(server.account("ada"), paths.accounts)
        early = asyncio.create_task(begin(file, paths))
        session, _ = await early
        await until(lambda: any(first in view.ids for view in session.views_on_screen))
        await until(lambda: any(queue.is_read_now for queue in server.organization.hub.of(server.id("ada"))))
        app = NarrowcastApp(file, paths=paths, early=early)
        async with app.run_test(size=(120, 40)):
            await until(lambda: app.accounts.screen is not None)
            assert app.accounts.session is session
            shown = main_screen(app).messages.list
            await until(lambda: shown.feed is not None and first in shown.feed.ids)
            second = await server.send("bruno", "general", "lunch", "Bread?")
            await until(lambda: shown.feed is not None and second in shown.feed.ids)
            assert server.organization.hub.count == 1
            await app.accounts.close()


async def test_an_account_that_cannot_be_read_is_explained_by_the_app(paths: Paths) -> None:
    file = account_files.file_of(paths.accounts, "ada")
    file.parent.mkdir(parents=True)
    file.write_text("no account\n")
    app = NarrowcastApp(file, paths=paths, early=asyncio.create_task(begin(file, paths)))
    async with app.run_test(size=(80, 24)):
        await until(lambda: isinstance(app.screen, WelcomeScreen))
        assert str(file) in app.accounts.problem


def test_what_earlier_versions_kept_for_their_start_is_deleted(tmp_path: Path) -> None:
    (tmp_path / "start.code").write_bytes(b"code")
    (tmp_path / "last-screens").mkdir()
    for _ in range(2):
        forget_old_start(tmp_path)
        assert [one.name for one in tmp_path.iterdir()] == ["last-screens"]
