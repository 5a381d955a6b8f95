"""The space between messages, channels and groups: the setting, and what the height of the terminal decides."""

from __future__ import annotations

from pathlib import Path

from narrowcast.config.config import Appearance, Config
from narrowcast.config.config_load import parse
from narrowcast.panes.navigation.rows import Kind
from narrowcast.screens.conversations.screen import InboxScreen, RecentScreen
from support.screens import screen_rows
from support.sessions import until
from support.stage import Stage, on_stage


def gaps(stage: Stage) -> int:
    """The number of blank rows in the channel list."""
    return sum(row.kind is Kind.GAP for row in stage.screen.navigation.list.items)


async def test_the_density_of_the_configuration_holds_from_the_start(tmp_path: Path) -> None:
    compact = Config(appearance=Appearance(density="compact"))
    async with on_stage(tmp_path, size=(120, 40), config=compact) as stage:
        await stage.in_topic()
        assert not stage.screen.messages.list.has_air
        assert gaps(stage) == 0


async def test_without_a_choice_the_height_of_the_terminal_decides(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 28), config=Config()) as stage:
        await stage.in_topic()
        sections = [row for row in stage.screen.navigation.list.items if row.kind is Kind.SECTION]
        assert stage.screen.messages.list.has_air
        assert gaps(stage) == len(sections) + 1 > 1
        assert stage.screen.navigation.list.items[0].text == stage.session.state.server.name
        await stage.pilot.resize_terminal(120, 27)
        await stage.drawn()
        assert not stage.screen.messages.list.has_air
        assert gaps(stage) == 0


async def test_one_key_changes_the_density_at_once_and_for_the_next_start(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 40), config=Config()) as stage:
        await stage.in_topic()
        await stage.press("f7")
        assert not stage.screen.messages.list.has_air
        assert gaps(stage) == 0
        await until(lambda: saved(stage) == "compact")
        await stage.press("I", "f7")
        assert stage.screen.messages.list.has_air
        assert gaps(stage) > 0
        await until(lambda: saved(stage) == "comfortable")


async def test_a_blank_row_divides_compose_from_the_messages_where_there_is_room(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 40), config=Config()) as stage:
        await stage.in_topic()
        messages, writing = stage.screen.messages, stage.screen.writing
        await until(lambda: writing.region.y - messages.region.bottom == 1)
        await stage.press("f7")
        await until(lambda: writing.region.y == messages.region.bottom)
        await stage.press("f7")
        await until(lambda: writing.region.y - messages.region.bottom == 1)
        await stage.pilot.resize_terminal(120, 29)
        await until(lambda: writing.region.y == messages.region.bottom)


def saved(stage: Stage) -> str:
    """The density in the file of the configuration."""
    file = stage.app.paths.config_file
    return parse(file.read_text(encoding="utf-8"), "").appearance.density if file.exists() else ""


async def test_compact_lists_of_conversations_leave_two_rows_for_all_else(tmp_path: Path) -> None:
    compact = Config(appearance=Appearance(density="compact"))
    async with on_stage(tmp_path, size=(120, 40), config=compact) as stage:
        for key, other in (("t", RecentScreen), ("I", InboxScreen)):
            await stage.press(key)
            screen = stage.app.screen
            assert isinstance(screen, other)
            assert screen.list.size.height == 38
            assert "live" in screen_rows(stage.app.screen)[-1], "what the connection is like stays visible"
            await stage.press("f7")
            await stage.drawn()
            assert screen.list.size.height == 37
            await stage.press("f7", "escape")
