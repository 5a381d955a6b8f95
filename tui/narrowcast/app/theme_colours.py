"""The colours that every theme needs and Textual does not compute: readable inks, a ground for what is selected, lines.

Themes give ten colours. On their own grounds, many of those cannot be read as text (WCAG 2 asks for a contrast of
4.5 : 1), and some themes have two grounds that nobody can tell apart. All themes, also the user's own, go through
here, so what looks right in one looks right in all.
"""

from __future__ import annotations

from collections.abc import Mapping

from textual.color import Color
from textual.theme import Theme

from narrowcast.widgets.tints import contrast

__all__ = ["INKS", "computed_colours"]

READABLE, HIGH = 4.5, 7.0
"""Contrast of text with each ground it may stand on: in most themes, and in `contrast`."""
APART = 1.06
"""Contrast of two grounds below which they look the same."""
STEPS = 50
SELECTION, LINE, TINT, MUTED = 0.14, 0.20, 0.25, 0.35
"""Shares: of primary in the ground of the selection, of text in a line, of a colour in its tint, of the ground in
muted text."""

INKS: Mapping[str, str] = {
    "foreground": "foreground",
    "text-primary": "primary",
    "text-secondary": "secondary",
    "text-accent": "accent",
    "text-warning": "warning",
    "text-error": "error",
    "text-success": "success",
}
"""Variables for text, each with the colour of the theme that it comes from."""


def computed_colours(theme: Theme, variables: Mapping[str, str]) -> dict[str, str]:
    """The variables to add to a theme's own ``variables``, or to replace them by; values are colours of style sheets.

    A theme that uses the terminal's own colours has no shades: there the selection and lines are told by characters.
    """
    if theme.ansi:
        return {
            **dict.fromkeys(INKS, "ansi_default"),
            **{ink: variables[name] for ink, name in INKS.items()},
            **dict.fromkeys(("text-muted", "line", "primary-muted", "warning-muted"), "ansi_default"),
            "selection": "ansi_default",
        }

    wanted = HIGH if theme.name == "contrast" else READABLE
    end = Color(255, 255, 255) if theme.dark else Color(0, 0, 0)
    text = _color(variables["foreground"])
    background, surface, panel = grounds = _grounds(variables, text)
    # A primary that is hardly seen itself would give grounds that are not seen at all.
    primary = _readable(_color(variables["primary"]), grounds, end, wanted)
    selection = background.blend(surface, 0.5).blend(primary, SELECTION)
    tint = background.blend(primary, TINT)
    all_grounds = (*grounds, selection)

    inks = {
        ink: _readable(_color(variables[name]), all_grounds, end, wanted).hex for ink, name in INKS.items()
    }
    # Own reactions and names are written in the primary ink on the primary tint.
    inks["text-primary"] = _readable(primary, (*all_grounds, tint), end, wanted).hex
    inks["text-muted"] = _readable(text.blend(background, MUTED), all_grounds, end, wanted).hex
    return {
        "background": background.hex,
        "surface": surface.hex,
        "panel": panel.hex,
        "selection": selection.hex,
        "line": background.blend(_color(inks["foreground"]), LINE).hex,
        "primary-muted": tint.hex,
        "warning-muted": background.blend(_color(variables["warning"]), TINT).hex,
        **inks,
    }


def _grounds(variables: Mapping[str, str], text: Color) -> tuple[Color, Color, Color]:
    """The three grounds, each told apart from the one below."""
    background, surface, panel = (_color(variables[name]) for name in ("background", "surface", "panel"))
    return (
        background,
        surface := _apart(surface, background, text),
        _apart(panel, surface, text),
    )


def _apart(ground: Color, below: Color, text: Color) -> Color:
    return ground if contrast(ground, below) >= APART else below.blend(text, 0.06)


def _readable(color: Color, grounds: tuple[Color, ...], end: Color, wanted: float) -> Color:
    """The colour, moved toward ``end`` (white or black) until it is readable on each ground."""
    for step in range(STEPS + 1):
        moved = color.blend(end, step / STEPS)
        if all(contrast(moved, ground) >= wanted for ground in grounds):
            return moved
    return end


def _color(value: str) -> Color:
    return Color.parse(value)
