"""After a change of theme every cell is as in an app that was started in that theme."""

from __future__ import annotations

from itertools import chain, combinations
from pathlib import Path

import pytest
from textual.color import Color

from narrowcast.config.config import Appearance, Config, ThemeColors
from narrowcast.config.themes import THEMES
from narrowcast_api.narrow.narrow import Narrow
from support.server import TestServer, running_server
from support.sessions import until
from support.snapshots import settled
from support.stage import Stage, on_stage, run

OURS = [theme.name for theme in THEMES]
LIGHT_TERMINAL = "ansi-light"
"""The theme of Textual with the terminal's colours on white."""


@pytest.fixture(autouse=True)
def colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal with all colours, in which the configured theme is used."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")


def settings(theme: str) -> Config:
    return Config(appearance=Appearance(theme=theme))


async def furnish(server: TestServer) -> None:
    """Sends messages with parts that have colours of the theme, and leaves another topic unread."""
    await server.send("bruno", "general", "soup", "Leek **today**, says `menu.txt`:\n\n* leek\n* bread")
    await server.send("chiyo", "general", "soup", "```python\nstir(pot, minutes=20)\n```")
    await server.send("bruno", "general", "soup", "/poll Bread?\nrye\nwheat")
    await server.send("dario", "general", "soup", "| pot | litres |\n|---|---|\n| red | 5 |")
    await server.send("bruno", "general", "soup", "@**Ada Moreno** see [it](https://soup.example/list)")
    await server.call("ada", "POST", "/mark_all_as_read")
    await server.send("elif", "design", "cards", "A new draft of the card is up.")


async def show_all_parts(stage: Stage) -> None:
    """Opens a conversation and the pane of its people, and writes a reply."""
    soup = Narrow.topic(stage.server.channel("general"), "soup")
    view = await stage.go(soup, "newest")
    await until(lambda: view.found_newest and stage.screen.messages.selected_id in view.ids)
    await run(stage, "pane.people")
    stage.screen.focus_messages()
    await stage.press("r", *"hello")


async def picture(stage: Stage) -> list[str]:
    """The rows of the screen with their colours, once it is idle and without notices."""
    stage.app.clear_notifications()
    await stage.drawn()
    return (await settled(stage, "true")).splitlines()


async def started(folder: Path, server: TestServer, size: tuple[int, int], theme: str) -> list[str]:
    home = folder / theme
    home.mkdir()
    async with on_stage(home, size=size, config=settings(theme), server=server) as stage:
        await show_all_parts(stage)
        return await picture(stage)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
async def test_after_a_change_of_theme_every_cell_is_as_after_a_start(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with running_server(tmp_path / "server") as server:
        await furnish(server)
        right = {theme: await started(tmp_path, server, size, theme) for theme in [*OURS, LIGHT_TERMINAL]}
        assert len({"\n".join(rows) for rows in right.values()}) == len(right)
        async with on_stage(tmp_path, size=size, config=settings(OURS[-1]), server=server) as stage:
            await show_all_parts(stage)
            for theme in OURS:  # by the key
                await stage.press("shift+f6", *theme, "enter")
                await until(lambda: stage.app.config.appearance.theme == theme)  # noqa: B023
                assert await picture(stage) == right[theme], theme
            # In the settings: in this order each theme follows every other one.
            for theme in [*chain.from_iterable(combinations(right, 2)), next(iter(right))]:
                before = stage.app.theme
                stage.app.use_config(settings(theme))
                assert await picture(stage) == right[theme], f"from {before} to {theme}"


OWN = Config(themes={"dusk": ThemeColors(primary="#d08770", background="#202020")})


async def test_moving_in_the_list_of_themes_shows_each_and_escape_takes_it_back(tmp_path: Path) -> None:
    async with on_stage(tmp_path, config=OWN) as stage:
        await stage.press("shift+f6")
        seen = [stage.app.theme]
        for _ in range(2):
            await stage.press("down")
            seen.append(stage.app.theme)
        assert seen == ["narrowcast", "paper", "contrast"]
        assert stage.screen.styles.background == Color.parse("#000000"), "the screen behind has it"
        await stage.type("dusk")
        assert stage.app.theme == "dusk"
        await stage.press("escape")
        await stage.closed()
        assert stage.app.theme == "narrowcast"
        assert not stage.app.paths.config_file.exists()


async def test_the_chosen_theme_is_kept_for_the_next_start(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("shift+f6", *"nord", "enter")
        await stage.closed()
        assert stage.app.theme == "nord"
        file = stage.app.paths.config_file
        await until(lambda: file.exists() and 'theme = "nord"' in file.read_text(encoding="utf-8"))


async def test_the_next_theme_is_on_the_screen_at_once_and_after_the_last_comes_the_first(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, config=OWN) as stage:
        seen = []
        for _ in range(5):
            await stage.press("f6")
            seen.append(stage.app.theme)
        assert seen == ["paper", "contrast", "terminal", "dusk", "narrowcast"]
        assert not stage.app.paths.config_file.exists()
