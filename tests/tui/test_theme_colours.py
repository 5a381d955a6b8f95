"""Every theme is readable: inks on all grounds, grounds told apart, lines and selections seen."""

from __future__ import annotations

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from narrowcast.app.theme_colours import INKS, computed_colours
from narrowcast.config.config import ThemeColors
from narrowcast.config.themes import THEMES, own_themes
from narrowcast.widgets.tints import contrast

SHADED = [theme for theme in (*THEMES, *BUILTIN_THEMES.values()) if not theme.ansi]
MINE = own_themes({"mine": ThemeColors(primary="#336", background="#223", foreground="#556", dark=True)})
GROUNDS = ("background", "surface", "panel", "selection")


def colours(theme: Theme) -> dict[str, Color]:
    variables = {**theme.to_color_system().generate(), **theme.variables}
    return {name: Color.parse(value) for name, value in computed_colours(theme, variables).items()}


@pytest.mark.parametrize("theme", [*SHADED, *MINE], ids=lambda theme: theme.name)
def test_every_ink_is_readable_on_every_ground(theme: Theme) -> None:
    found = colours(theme)
    wanted = 7.0 if theme.name == "contrast" else 4.5
    for ink in (*INKS, "text-muted"):
        for ground in GROUNDS:
            assert contrast(found[ink], found[ground]) >= wanted, (ink, ground)
    assert contrast(found["text-primary"], found["primary-muted"]) >= wanted


@pytest.mark.parametrize("theme", [*SHADED, *MINE], ids=lambda theme: theme.name)
def test_grounds_lines_and_selection_can_be_told_apart(theme: Theme) -> None:
    found = colours(theme)
    assert contrast(found["surface"], found["background"]) >= 1.06
    assert contrast(found["panel"], found["surface"]) >= 1.06
    assert contrast(found["selection"], found["background"]) >= 1.1
    assert contrast(found["line"], found["background"]) >= 1.2
