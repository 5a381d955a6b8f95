"""The widths of the panes at the sides: by key, by mouse, and remembered."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from narrowcast.config.config_load import parse
from narrowcast.screens.main.layout import LEAST_PANE, LEAST_TEXT, PanePlan
from narrowcast.widgets.focus import focus_now
from support.screens import click, drag, screen_rows
from support.sessions import until
from support.stage import Stage, on_stage


def channels(stage: Stage) -> int:
    """The column in which the conversation begins."""
    return stage.screen.conversation.region.x


def saved(stage: Stage) -> int:
    file = stage.app.paths.config_file
    return parse(file.read_text(encoding="utf-8"), "").appearance.channels_width if file.exists() else 0


@pytest.mark.parametrize("width", [96, 120, 160, 220])
@pytest.mark.parametrize("wanted", [0, 1, 30, 900])
def test_the_messages_keep_their_room_whatever_is_wanted(width: int, wanted: int) -> None:
    plan = PanePlan(width, navigation_width=wanted, people_width=wanted)
    usual = PanePlan(width)
    sides = (plan.navigation_columns, plan.people_columns * plan.shows_people)
    assert min(plan.navigation_columns, plan.people_columns) >= LEAST_PANE
    at_first = width - usual.navigation_columns - usual.people_columns * usual.shows_people
    assert width - sum(sides) >= min(LEAST_TEXT, at_first)
    again = replace(plan, navigation_width=plan.navigation_columns)
    assert again.navigation_columns == plan.navigation_columns


async def test_keys_make_the_pane_with_the_focus_wider_and_the_width_is_saved(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.in_topic()
        before = channels(stage)
        focus_now(stage.screen.navigation.list)
        await stage.press("alt+full_stop")
        assert channels(stage) == before + 2
        await until(lambda: saved(stage) == before + 2)
        stage.screen.focus_messages()
        await stage.press("alt+full_stop")
        assert channels(stage) == before, "a wider conversation leaves the channels less"
        await until(lambda: saved(stage) == before)


async def test_the_mouse_moves_the_edge_of_a_pane(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(160, 40)) as stage:
        await stage.in_topic()
        edge = channels(stage) - 1
        await drag(stage.pilot, (edge, 9), (edge + 7, 9))
        assert channels(stage) == edge + 8
        await until(lambda: saved(stage) == edge + 8)
        people = stage.screen.people.region
        await drag(stage.pilot, (people.x - 1, 9), (people.x - 6, 9))
        assert stage.screen.people.region.x == people.x - 5
        assert stage.screen.people.region.right == 160


async def test_on_a_narrow_terminal_one_pane_is_shown_and_the_heading_leads_back(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await stage.in_topic("general", "lunch")
        assert screen_rows(stage.screen)[0].startswith(" ‹ ")
        await click(stage.pilot, (1, 0))
        await until(lambda: stage.screen.navigation.list.has_focus)
        assert "lunch" not in screen_rows(stage.screen)[0]
        assert stage.screen.navigation.region.width == 80
        await stage.press("escape")
        assert stage.screen.messages.has_focus_within
        assert screen_rows(stage.screen)[0].startswith(" ‹ ")
