"""Every theme is readable: inks on all grounds, grounds told apart, lines and selections seen."""

from __future__ import annotations

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from narrowcast.app.theme_colours import INKS, computed_colours
from narrowcast.config.config import ThemeColors
from narrowcast.config.themes import THEMES, own_themes
from narrowcast.terminal.fallbacks import nearest, of_number
from narrowcast.widgets.tints import contrast

SHADED = [theme for theme in (*THEMES, *BUILTIN_THEMES.values()) if not theme.ansi]
MINE = own_themes({"mine": ThemeColors(primary="#336", background="#223", foreground="#556", dark=True)})
GROUNDS = ("background", "surface", "panel", "selection")


def colours(theme: Theme, *, in_256: bool = False) -> dict[str, Color]:
    variables = {**theme.to_color_system().generate(), **theme.variables}
    computed = computed_colours(theme, variables, in_256=in_256)
    return {name: Color.parse(value) for name, value in computed.items()}


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


@pytest.mark.parametrize("theme", [*SHADED, *MINE], ids=lambda theme: theme.name)
def test_with_256_colours_no_two_grounds_are_the_same_and_text_is_readable(theme: Theme) -> None:
    found = colours(theme, in_256=True)
    assert found.keys() == colours(theme).keys()
    shown = {name: nearest(*color.rgb) for name, color in found.items()}
    assert {name: Color(*of_number(number)) for name, number in shown.items()} == found, (
        "nothing is converted"
    )
    grounds = [shown[name] for name in (*GROUNDS, "primary-muted", "line")]
    assert len(set(grounds)) == len(grounds)
    assert contrast(found["line"], found["background"]) >= 1.2
    wanted = 7.0 if theme.name == "contrast" else 4.5
    for ink in (*INKS, "text-muted"):
        for ground in GROUNDS:
            assert contrast(found[ink], found[ground]) >= wanted, (ink, ground)
    assert contrast(found["text-primary"], found["primary-muted"]) >= wanted
