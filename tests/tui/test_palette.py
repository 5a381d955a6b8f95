"""Finding commands in the palette under the names that other programs give them."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.keys.registry import REGISTRY
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.picker import Picker
from support.screen_text import screen_text
from support.sessions import until
from support.stage import on_stage


def test_other_names_belong_to_commands_of_the_palette_and_repeat_no_word_of_theirs() -> None:
    named = [command for command in REGISTRY if command.other_names]
    assert all(command.palette for command in named)
    for command in named:
        own = f"{command.title} {command.id}".lower()
        assert [word for word in command.other_names.split() if word in own] == [], command.id


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("leave", "Subscribe to or unsubscribe from channel"),
        ("dark", "Next theme"),
        ("away", "Set status"),
        ("do not disturb", "Turn invisible mode on or off"),
        ("add people", "Channel subscribers"),
        ("send later", "Schedule message"),
    ],
)
async def test_a_command_is_found_by_a_name_of_another_program(
    tmp_path: Path, typed: str, title: str
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("ctrl+p")
        await stage.type(typed)
        picker = stage.app.screen
        assert isinstance(picker, Picker)
        assert title in [choice.text for choice in picker.list.shown[:3]]


@pytest.mark.parametrize(
    ("typed", "title", "row"),
    [
        ("welcome", "Custom welcome message", "welcome_message_custom_text"),
        ("24-hour", "24-hour time", "twenty_four_hour_time"),
        ("quiet", "Quiet hours", "notifications.quiet"),
    ],
)
async def test_a_setting_is_found_and_selected_in_its_list(
    tmp_path: Path, typed: str, title: str, row: str
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("ctrl+p")
        await stage.type(typed)
        assert isinstance(picker := stage.app.screen, Picker)
        assert (picked := picker.list.selected_item) is not None
        assert picked.text == title
        await stage.press("enter")
        await until(
            lambda: isinstance(stage.app.screen, ManageScreen) and title in screen_text(stage.app.screen)
        )
        assert isinstance(screen := stage.app.screen, ManageScreen)
        assert (selected := screen.list.selected_item) is not None
        assert selected.key == row
