"""A dialog closes once, and closes no other screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.screens.conversations.screen import ConversationsScreen
from narrowcast.screens.dialogs.confirm import Answer, ConfirmScreen
from narrowcast.screens.dialogs.help import HelpScreen
from narrowcast.screens.dialogs.picker import Choice, Picker
from support.sessions import until
from support.stage import Stage, on_stage


async def offered(stage: Stage) -> tuple[Picker[str], list[str | None]]:
    """Opens a list of two values; what is chosen is appended to the returned list."""
    results: list[str | None] = []
    picker = Picker("Fruit", [Choice("apple", "Apple"), Choice("pear", "Pear")])
    await stage.app.push_screen(picker, results.append)
    await stage.pilot.pause()
    return picker, results


async def test_a_second_click_before_the_first_is_handled_closes_nothing_else(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        below, chosen_below = await offered(stage)
        picker, chosen = await offered(stage)
        for _ in range(3):
            picker.list.action_select()
        await until(lambda: bool(chosen))
        await stage.pilot.pause()
        assert (stage.app.screen, chosen, chosen_below) == (below, ["apple"], [])


async def test_a_second_click_on_the_last_dialog_does_not_end_the_app(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        picker, chosen = await offered(stage)
        for _ in range(3):
            picker.list.action_select()
        await until(lambda: bool(chosen))
        await stage.pilot.pause()
        assert stage.app.screen is stage.screen
        await stage.press("question_mark")
        assert stage.app.screen is not stage.screen


async def test_a_click_below_another_dialog_takes_effect_when_that_one_is_closed(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        picker, chosen = await offered(stage)
        over = ConfirmScreen("Really?", [Answer(True, "Yes")])
        await stage.app.push_screen(over)
        picker.list.action_select()
        await stage.pilot.pause()
        assert (stage.app.screen, chosen) == (over, [])
        await stage.press("escape")
        await until(lambda: stage.app.screen is stage.screen)
        assert chosen == ["apple"]


@pytest.mark.parametrize("command", ["go.inbox", "go.recent"])
async def test_a_list_that_is_closed_before_it_is_laid_out_ends_nothing_else(
    tmp_path: Path, command: str
) -> None:
    """As at the first start, which opens the home view while somebody presses a key."""
    async with on_stage(tmp_path, size=(120, 40)) as stage:
        stage.screen.run(command)
        await until(lambda: isinstance(stage.app.screen, ConversationsScreen))
        opened = stage.app.screen
        assert isinstance(opened, ConversationsScreen)
        await opened.dismiss(None)
        await until(lambda: not opened.children)
        opened.config_changed()
        await stage.press("f1")
        assert isinstance(stage.app.screen, HelpScreen)
