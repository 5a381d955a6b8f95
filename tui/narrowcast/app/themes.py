"""The themes that come with Narrowcast. Colour never carries meaning alone, so any of them will do.

``terminal`` uses the terminal's own colours and paints no background: it sends the fewest bytes, and suits
the console and old terminals. Of the sixteen colours only magenta, red and the default are readable on both
black and white; everything else uses bold, dim, underline and reverse video, and lines where other themes
change the background.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from textual.theme import BUILTIN_THEMES, Theme

from narrowcast.app.config import ThemeColors

NARROWCAST = Theme(
    name="narrowcast",
    primary="#7aa2c8",
    secondary="#9d8cc4",
    accent="#d9a657",
    foreground="#d6d9de",
    background="#14171c",
    surface="#1a1e25",
    panel="#222832",
    success="#8ab27c",
    warning="#d9a657",
    error="#d67f7a",
    dark=True,
)

PAPER = Theme(
    name="paper",
    primary="#2f5d8a",
    secondary="#6b4f8f",
    accent="#9a5b00",
    foreground="#22262c",
    background="#f7f5f0",
    surface="#efece4",
    panel="#e4e0d6",
    success="#39713a",
    warning="#8f5a00",
    error="#a83a33",
    dark=False,
)

CONTRAST = Theme(
    name="contrast",
    primary="#5fd7ff",
    secondary="#ffaf00",
    accent="#ffff00",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#303030",
    success="#5fff5f",
    warning="#ffaf00",
    error="#ff8787",
    dark=True,
)

TERMINAL = Theme(
    name="terminal",
    ansi=True,
    primary="ansi_magenta",
    secondary="ansi_magenta",
    accent="ansi_default",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    success="ansi_default",
    warning="ansi_red",
    error="ansi_red",
    dark=True,
    variables={
        "ansi-background": "ansi_black",
        "ansi-foreground": "ansi_white",
        "block-cursor-foreground": "ansi_black",
        "block-cursor-background": "ansi_white",
        "screen-selection-background": "ansi_bright_blue",
        "screen-selection-foreground": "ansi_black",
    },
)

THEMES = (NARROWCAST, PAPER, CONTRAST, TERMINAL)
"""The order in which F6 cycles through them, before the user's own."""


def own_themes(themes: Mapping[str, ThemeColors]) -> tuple[Theme, ...]:
    """The themes of a configuration."""
    return tuple(Theme(name=name, **asdict(colors)) for name, colors in themes.items())


def theme_names(themes: Mapping[str, ThemeColors]) -> tuple[str, ...]:
    """The names of all themes that can be chosen: ours, the user's own, and Textual's."""
    return tuple(dict.fromkeys([*(theme.name for theme in THEMES), *themes, *BUILTIN_THEMES]))


def has_sixteen_colours(term: str, colorterm: str) -> bool:
    """Whether a terminal with this TERM and COLORTERM has at most sixteen colours."""
    if colorterm or "256" in term or "direct" in term or "truecolor" in term:
        return False
    return term in {
        "linux",
        "xterm",
        "vt100",
        "vt220",
        "ansi",
        "screen",
        "xterm-color",
        "xterm-16color",
        "cons25",
    }
