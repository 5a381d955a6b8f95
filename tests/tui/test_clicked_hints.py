"""Parts of the status line, and the keys on the frame of a dialog, do what they say when they are clicked."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.config.config import Config
from narrowcast.keys.hints import default_keys
from narrowcast.screens.account.server import ServerScreen
from narrowcast.screens.conversations.screen import InboxScreen
from narrowcast.screens.dialogs.help import HelpScreen
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.screens.main.hints import NARROW, hint_line
from narrowcast_api.narrow.narrow import Narrow
from support.screens import click, screen_rows
from support.sessions import until
from support.stage import Stage, on_stage


async def click_on(stage: Stage, text: str) -> None:
    """Clicks on the first letter of a text, where it stands lowest on the screen."""
    rows = screen_rows(stage.app.screen)
    y = max(number for number, row in enumerate(rows) if text in row)
    await click(stage.pilot, (rows[y].index(text), y))


async def test_a_part_of_the_status_line_opens_what_it_is_about(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 30)) as stage:
        await stage.in_topic()
        await stage.drawn()
        for text, screen in (("unread", InboxScreen), ("● live", ServerScreen), ("help", HelpScreen)):
            await click_on(stage, text)
            await until(lambda screen=screen: isinstance(stage.app.screen, screen))  # type: ignore[misc]
            await stage.close_all()
        await stage.server.send("bruno", "general", "soup", "@**Ada Moreno** taste it")
        await until(lambda: "1 mention" in stage.status_line)
        await stage.drawn()
        status = stage.screen.lines.status
        look = next(style for text, style, _ in status.row_at(0) if "mention" in text)
        assert look is not None
        assert look.color == status.part_style("warn").color, "this is for the user"
        await click_on(stage, "1 mention")
        await until(lambda: stage.screen.narrow == Narrow.mentions())


async def test_a_click_beside_the_inbox_acts_on_what_is_visible_there(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 30), config=Config()) as stage:
        await stage.go(Narrow.mentions())
        await stage.server.send("bruno", "general", "soup", "It is hot")
        await until(lambda: stage.session.state.unreads.count_all() == 1)
        await stage.press("I")
        await stage.drawn()
        row = next(number for number, row in enumerate(screen_rows(stage.app.screen)) if "announ" in row[:30])
        await click(stage.pilot, (6, row))
        await stage.closed()
        assert stage.screen.narrow == Narrow.channel(stage.server.channel("announcements"))
        await stage.press("I")
        await stage.drawn()
        await click_on(stage, "help")
        await until(lambda: isinstance(stage.app.screen, HelpScreen))
        await stage.press("escape")
        assert isinstance(stage.app.screen, InboxScreen)
        await click_on(stage, "next unread")
        await stage.closed()
        await until(lambda: stage.screen.narrow == Narrow.topic(stage.server.channel("general"), "soup"))


async def test_a_click_beside_the_parts_of_the_status_line_does_nothing(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(160, 30)) as stage:
        await stage.in_topic()
        await stage.drawn()
        row = screen_rows(stage.app.screen)[-1]
        for x in (row.index("   "), row.rindex("  ? "), 159):
            await click(stage.pilot, (x, 29))
        await stage.pilot.pause()
        assert stage.app.screen is stage.screen


@pytest.mark.parametrize(("text", "result"), [("selects", 1), ("Esc cancels", None)])
async def test_a_key_on_the_frame_of_a_dialog_can_be_clicked(
    tmp_path: Path, text: str, result: int | None
) -> None:
    async with on_stage(tmp_path, size=(100, 30)) as stage:
        results: list[int | None] = []
        stage.app.push_screen(Picker("Which", [Choice(1, "one"), Choice(2, "two")]), results.append)
        await stage.drawn()
        await click_on(stage, text)
        await until(lambda: results)
        assert results == [result]


async def test_a_narrow_status_line_leaves_out_the_account_and_then_keys_from_the_right(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await stage.in_topic()
        keys, status = default_keys(), stage.screen.lines.status
        hints = hint_line(keys, NARROW, 200)
        shown = []
        for columns in (0, 20, 25, 40, 200):
            status.update(stage.session, None, hints, keys, added=["x" * columns] if columns else [])
            await stage.pilot.pause()
            shown.append(screen_rows(stage.app.screen)[-1])
    assert all(row.startswith(" ● live ") for row in shown)
    assert ["Ada Moreno" in row for row in shown] == [False] * 5
    assert ["go to" in row for row in shown] == [True, False, False, False, False]
    assert ["r reply" in row for row in shown] == [True, True, True, False, False]
    assert all(row.rstrip().endswith("? help") for row in shown)
    assert "…" in shown[-1]
