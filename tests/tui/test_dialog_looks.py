"""How dialogs look: over a dimmed screen, as tall as what they show."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from narrowcast.screens.dialogs.behind import dimmed
from narrowcast.screens.dialogs.picker import Choice, Picker
from support.sessions import until
from support.stage import on_stage

ROW = Strip([Segment("name", Style(color="#dde2e8", bgcolor="#12161b", bold=True)), Segment("  ")])


def test_what_lies_behind_a_dialog_is_mixed_with_a_shade_and_keeps_its_text() -> None:
    (row,) = dimmed([ROW], dark=True, has_shades=True)
    named, _ = row
    assert row.text == ROW.text
    assert named.style == Style(color="#5a5e62", bgcolor="#0d1014", bold=True)
    (light,) = dimmed([ROW], dark=False, has_shades=True)
    assert next(iter(light)).style == Style(color="#dcdcda", bgcolor="#8f8f8c", bold=True)


def test_a_second_dialog_dims_the_first_one_too() -> None:
    once = dimmed([ROW], dark=True, has_shades=True)
    (twice,) = dimmed(once, dark=True, has_shades=True)
    assert next(iter(twice)).style != next(iter(once[0])).style


def test_one_of_256_colors_becomes_a_darker_one_of_them_behind_a_dialog() -> None:
    text = Strip([Segment("name", Style.parse("color(253) on color(234)"))])
    (row,) = dimmed([text], dark=True, has_shades=True)
    assert next(iter(row)).style == Style.parse("color(240) on color(233)")


def test_without_shades_what_lies_behind_is_faint() -> None:
    own = Strip([Segment("name", Style(color="magenta", bold=True))])
    (row,) = dimmed([own], dark=True, has_shades=False)
    assert next(iter(row)).style == Style(color="magenta", bold=False, dim=True)


@pytest.mark.parametrize(("count", "rows"), [(1, 3), (7, 7), (200, 18)])
async def test_a_list_to_choose_from_is_as_tall_as_it_needs(tmp_path: Path, count: int, rows: int) -> None:
    async with on_stage(tmp_path, size=(100, 40)) as stage:
        picker = Picker("Which", [Choice(number, f"choice {number}") for number in range(count)])
        stage.app.push_screen(picker)
        await stage.drawn()
        assert picker.list.size.height == rows
        await stage.type("choice 0")
        await stage.drawn()
        assert picker.list.size.height == rows, "nothing moves while one types"


async def test_a_list_without_anything_to_choose_shows_no_key_that_chooses(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        picker: Picker[int] = Picker("Which", [])
        await stage.app.push_screen(picker)
        assert picker.key_line.keys == "Esc cancels"
        picker.set_choices([Choice(1, "one")])
        assert picker.key_line.keys == "Enter selects  Esc cancels"
        await stage.type("x")
        await until(lambda: picker.key_line.keys == "Esc cancels")
        await stage.press("backspace")
        await until(lambda: picker.key_line.keys == "Enter selects  Esc cancels")
