"""The examples in the documentation, each on a live account."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from narrowcast_api.sync.session import Session
from support.clock import VirtualClock
from support.extensions import example, extended, messages_text, offered, sees, submit
from support.server import TestServer
from support.sessions import until
from support.stage import Stage


async def test_ticket_links_get_cards_and_ticket_numbers_are_completed(tmp_path: Path) -> None:
    settings = '[extensions.tickets]\nsite = "https://bugs.example/"\nproject = "NC"\n'
    async with extended(tmp_path, {"tickets": example("tickets")}, settings) as stage:
        await stage.in_topic(
            content="NC-42 is about salt: https://bugs.example/42, not https://bugs.example/about"
        )
        await sees(stage, "◆ Ticket NC-42  tickets")
        await sees(stage, "NC-42 is about salt")
        assert messages_text(stage).count("◆") == 1
        stage.screen.writing.focus_text()
        await stage.type("see NC-4")
        assert offered(stage) == ["NC-42"]
        await stage.press("tab")
        assert stage.screen.writing.text.text == "see [NC-42](https://bugs.example/42) "


@pytest.mark.parametrize("settings", ['site = "bugs.example"', 'project = "nc"'])
async def test_wrong_settings_keep_the_extension_out_and_are_named(tmp_path: Path, settings: str) -> None:
    async with extended(
        tmp_path, {"tickets": example("tickets")}, f"[extensions.tickets]\n{settings}\n"
    ) as stage:
        await stage.told(f"Extension not loaded: extensions.tickets.{settings.split()[0]} is ")
        assert stage.app.extensions.host is not None
        assert not stage.app.extensions.host.running


async def answers(server: TestServer, name: str) -> list[str]:
    """Ada's replies to a user."""
    ada = server.id("ada")
    return [one["content"] for one in await server.newest(name, dm=[ada]) if one["sender_id"] == ada]


async def until_answered(server: TestServer, name: str, count: int) -> list[str]:
    async def is_answered() -> bool:
        return len(await answers(server, name)) >= count

    await until(is_answered)
    return await answers(server, name)


@asynccontextmanager
async def second_window(stage: Stage) -> AsyncIterator[Session]:
    """Another window of Ada's account on this machine."""
    paths = stage.app.paths
    session = await Session.open(stage.session.account, data_dir=paths.data, cache_dir=paths.cache)
    try:
        yield session
    finally:
        await session.close()


async def test_each_user_who_writes_to_an_away_user_gets_one_automatic_reply(tmp_path: Path) -> None:
    settings = "[extensions.away]\nmentions = true\n"
    async with extended(tmp_path, {"away": example("away")}, settings) as stage:
        server = stage.server
        await stage.in_topic()
        await submit(stage, "/away back at two")
        await stage.told("Automatic replies are on: back at two")
        await until(lambda: "  away" in stage.status_line)
        me = server.id("ada")
        await until(lambda: stage.session.state.statuses.get(me))
        await server.send_direct("bruno", ["ada"], "Are you there?")
        await server.send_direct("bruno", ["ada"], "Hello?")
        await server.send_direct("chiyo", ["ada"], "[Automatic reply] on holiday")
        await server.send("bruno", "general", "lunch", "@**all** nobody gets a reply")
        await server.send("chiyo", "general", "lunch", f"@**{server.user('ada').full_name}** and you?")
        assert await until_answered(server, "chiyo", 1) == ["[Automatic reply] back at two"]
        assert await until_answered(server, "bruno", 1) == ["[Automatic reply] back at two"]
        async with second_window(stage) as other:
            assert not other.storage.acquire_task("extension-away-answer")
            assert other.storage.acquire_task("extension-away-other")
        await submit(stage, "/away")
        await stage.told("Automatic replies are off.")
        assert "  away" not in stage.status_line
        await until(lambda: not stage.session.state.statuses.get(me))


async def test_pasted_cells_become_a_table_and_long_blocks_a_card(tmp_path: Path) -> None:
    async with extended(tmp_path, {"table": example("table")}) as stage:
        block = "```csv\nname,amount\n" + "\n".join(f"salt {number},3" for number in range(30)) + "\n```"
        await stage.in_topic(content=block)
        await sees(stage, "◆ 30 rows of csv  table")
        assert "salt 7" not in messages_text(stage)
        await submit(stage, "/table name\tamount\nsalt|sea\t3")
        await until(lambda: stage.screen.writing.text.text == "")
        narrow = stage.screen.narrow
        assert narrow is not None
        view = stage.session.view(narrow)
        await until(lambda: len(view.ids) == 2)
        response = await stage.server.call(
            "ada", "GET", f"/messages/{view.ids[-1]}", {"apply_markdown": False}
        )
        assert response["message"]["content"] == "| name | amount |\n| --- | --- |\n| salt\\|sea | 3 |"
        await submit(stage, "/table alone")
        await stage.told("Paste the cells after /table")


async def test_a_pomodoro_counts_in_the_status_line(tmp_path: Path) -> None:
    settings = '[extensions.pomodoro]\nminutes = 25\nbreak_minutes = 5\nstatus = "In a pomodoro"\n'
    async with extended(tmp_path, {"pomodoro": example("pomodoro")}, settings) as stage:
        clock = stage.session.clock = VirtualClock()
        me = stage.server.id("ada")
        await stage.press("f12")
        await until(lambda: "work 25 min" in stage.status_line)
        await until(lambda: stage.session.state.statuses.get(me))
        await clock.advance(24 * 60 + 30)
        stage.screen.show_status()
        assert "work 1 min" in stage.status_line
        await clock.advance(30)
        await stage.told("Time for a break.")
        await until(lambda: "break 5 min" in stage.status_line)
        await until(lambda: not stage.session.state.statuses.get(me))
        await stage.press("f12")
        await stage.told("Pomodoro stopped.")
        await until(lambda: "break" not in stage.status_line)
