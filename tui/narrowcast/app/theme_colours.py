"""The colours that every theme needs and Textual does not compute: readable inks, a ground for what is selected, lines.

Themes give ten colours. On their own grounds, many of those cannot be read as text (WCAG 2 asks for a contrast of
4.5 : 1), and some themes have two grounds that nobody can tell apart. All themes, also the user's own, go through
here, so what looks right in one looks right in all.

For terminals with 256 colours they are chosen among these: if each was only replaced by the nearest one, two grounds
could become the same, such as those of own reactions and of others'.
"""

from __future__ import annotations

from collections.abc import Mapping

from textual.color import Color
from textual.theme import Theme

from narrowcast.terminal.fallbacks import nearest, of_number
from narrowcast.widgets.tints import contrast

__all__ = ["INKS", "computed_colours"]

READABLE, HIGH = 4.5, 7.0
"""Contrast of text with each ground it may stand on: in most themes, and in `contrast`."""
APART = 1.06
"""Contrast of two grounds below which they look the same."""
SEEN = 1.25
"""Contrast of a line with its ground."""
GREYS = frozenset({16, 59, 102, 145, 188, 231, *range(232, 256)})
"""Those of the 256 colours without a hue."""
GREYISH = 0.2
"""Saturation below which a colour may become a grey."""
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

GROUNDS = ("background", "surface", "panel", "selection", "primary-muted", "warning-muted")
"""Variables for grounds, which must not look the same."""

IN_256: Mapping[str, Mapping[str, int]] = {
    "narrowcast": {
        "background": 233,
        "surface": 234,
        "panel": 236,
        "selection": 235,
        "line": 239,
        "foreground": 253,
        "text-muted": 247,
        "text-primary": 116,
        "primary-muted": 23,
        "text-warning": 215,
        "text-error": 210,
        "text-success": 108,
    },
    "paper": {
        "background": 231,
        "surface": 255,
        "panel": 254,
        "selection": 253,
        "line": 250,
        "foreground": 235,
        "text-muted": 240,
        "text-primary": 23,
        "text-secondary": 54,
        "primary-muted": 152,
        "text-warning": 58,
        "text-error": 124,
        "text-success": 22,
    },
}
"""Colours of themes that were chosen by eye among the 256, by their numbers."""


def computed_colours(theme: Theme, variables: Mapping[str, str], *, in_256: bool = False) -> dict[str, str]:
    """The variables to add to a theme's own ``variables``, or to replace them by; values are colours of style sheets.
    ``in_256``: the terminal has 256 colours.

    A theme that uses the terminal's own colours has no shades: there the selection and lines are told by characters.
    """
    if theme.ansi:
        return {
            **dict.fromkeys(INKS, "ansi_default"),
            **{ink: theme.variables.get(ink, variables[name]) for ink, name in INKS.items()},
            **dict.fromkeys(("text-muted", "line", "primary-muted", "warning-muted"), "ansi_default"),
            "selection": "ansi_default",
        }

    colours = _computed(theme, variables)
    return _among_256(theme, colours) if in_256 else colours


def _wanted(theme: Theme) -> float:
    return HIGH if theme.name == "contrast" else READABLE


def _end(theme: Theme) -> Color:
    """What inks are moved toward."""
    return Color(255, 255, 255) if theme.dark else Color(0, 0, 0)


def _computed(theme: Theme, variables: Mapping[str, str]) -> dict[str, str]:
    wanted, end = _wanted(theme), _end(theme)
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


def _among_256(theme: Theme, colours: Mapping[str, str]) -> dict[str, str]:
    """The colours of a theme among the 256: different grounds, and inks that are readable on them."""
    chosen = IN_256.get(theme.name, {})
    found: dict[str, Color] = {}
    taken = frozenset(chosen.values())
    for name in GROUNDS:
        number = chosen.get(name) or nearest(*_color(colours[name]).rgb, taken)
        taken |= {number}
        found[name] = Color(*of_number(number))
    line = Color(*of_number(chosen["line"])) if "line" in chosen else None
    found["line"] = line or _line(theme, _color(colours["line"]), found["background"], taken)
    plain = tuple(found[name] for name in GROUNDS[:4])
    for name in (*INKS, "text-muted"):
        grounds = (*plain, found["primary-muted"]) if name == "text-primary" else plain
        ink = _color(colours[name])
        found[name] = Color(*of_number(chosen[name])) if name in chosen else _ink(theme, ink, grounds)
    return {name: color.hex for name, color in found.items()}


def _line(theme: Theme, color: Color, ground: Color, taken: frozenset[int]) -> Color:
    """The one of the 256 colours that is nearest to ``color``, not ``taken``, and seen on the ground of messages."""
    return next(
        line
        for step in range(STEPS + 1)
        for line in [Color(*of_number(nearest(*color.blend(_end(theme), step / STEPS).rgb, taken)))]
        if contrast(line, ground) >= SEEN
    )


def _ink(theme: Theme, color: Color, grounds: tuple[Color, ...]) -> Color:
    """The one of the 256 colours that is nearest to ``color`` and readable on each ground."""
    end = _end(theme)
    greys = (
        GREYS if color.hsl.s > GREYISH else frozenset()
    )  # a grey is often the nearest one, but says nothing
    for step in range(STEPS + 1):
        ink = Color(*of_number(nearest(*color.blend(end, step / STEPS).rgb, greys)))
        if all(contrast(ink, ground) >= _wanted(theme) for ground in grounds):
            return ink
    return end


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
