"""Finding commands in the palette under the names that other programs give them."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.commands.registry import by_id
from narrowcast.screens.dialogs.other_names import OTHER_NAMES
from narrowcast.screens.dialogs.picker import Picker
from support.stage import on_stage


def test_other_names_belong_to_commands_of_the_palette_and_repeat_no_word_of_theirs() -> None:
    for command_id, words in OTHER_NAMES.items():
        command = by_id()[command_id]
        assert command.palette
        own = f"{command.title} {command_id}".lower()
        assert [word for word in words.split() if word in own] == [], command_id


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
