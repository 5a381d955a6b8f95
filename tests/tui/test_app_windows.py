"""Several windows of one account: each shows what the other writes, and both may resolve it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual import events

from narrowcast.screens.people.card import PersonScreen
from narrowcast.terminal.paths import Paths
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.storage.folders import account_folder_name, private_folder
from narrowcast_api.storage.windows import Machine, open_window
from support.screens import at_once
from support.server import running_server
from support.sessions import until
from support.stage import Stage, on_stage, run


async def test_a_second_window_on_the_account_writes_and_shows_what_the_first_has_not_sent(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path) as first, on_stage(tmp_path, server=first.server) as second:
        for stage in (first, second):
            assert "read-only" not in stage.status_line
        where = ChannelDestination(first.server.channel("general"), "soup")
        first.session.outbox.send(where, "far too long " * 2000)
        await until(lambda: len(second.session.outbox.entries()) == 1)
        await until(lambda: "1 not sent" in second.status_line)
        await second.press("f9")
        await until(lambda: "far too long" in second.screen.writing.text.text)
        await until(lambda: not first.session.outbox.entries())


@asynccontextmanager
async def only_reading(folder: Path) -> AsyncIterator[Stage]:
    """A stage whose account is open on another machine."""
    async with running_server(folder / "server") as server:
        home = Paths.under(folder / "home-ada").data
        account = server.account("ada")
        place = private_folder(home / account_folder_name(account.site, account.email))
        other = open_window(place, "app", Machine("desktop", "another-start"))
        async with on_stage(folder, server=server) as stage:
            await stage.close_all()  # the home view: a window that only reads does not keep that it was shown
            yield stage
        other.close()


async def test_a_window_beside_one_on_another_machine_says_that_it_only_reads(tmp_path: Path) -> None:
    async with only_reading(tmp_path) as stage:
        assert "read-only" in stage.status_line
        assert any("desktop" in notice for notice in stage.notices)
        assert "open on another machine" in stage.screen.lines.banner.plain
        for key in ("c", "x"):
            await stage.press("escape")
            await at_once(stage, f"{key}IC")
            assert stage.app.screen is stage.screen, "what was to be written runs nothing"
        for key in ("c", "x", "tab", "tab", "tab"):
            await stage.press(key)
            await stage.type("lost")
            assert not stage.screen.writing.text.text
        assert any("read-only" in notice for notice in stage.notices)


async def test_a_window_that_only_reads_takes_no_text_from_anywhere(tmp_path: Path) -> None:
    async with only_reading(tmp_path) as stage:
        await stage.in_topic("general", "lunch")
        writing = stage.screen.writing
        stage.app.clear_notifications()
        stage.app.post_message(events.Paste("from the clipboard"))
        await stage.told("This window is read-only")
        stage.app.clear_notifications()
        stage.app.push_screen(PersonScreen(stage.session, stage.server.id("bruno")))
        await stage.pilot.pause()
        await stage.press("at")
        await stage.told("This window is read-only")
        assert writing.text.text == ""
        assert not writing.has_focus_within
        stage.app.clear_notifications()
        await run(stage, "compose.attach")
        await stage.told("This window is read-only")
        assert stage.app.screen is stage.screen
