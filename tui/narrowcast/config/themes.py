"""The themes that come with Narrowcast. Colour never carries meaning alone, so any of them will do.

``terminal`` uses the terminal's own colours and paints no background: it sends the fewest bytes, and suits
the console and old terminals. Of the sixteen colours only red and the default are readable as text on both black
and white: cyan is for frames and bars, and everything else uses bold, dim, underline and reverse video, and lines
where other themes change the background.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from textual.theme import BUILTIN_THEMES, Theme

from narrowcast.config.config import ThemeColors

NARROWCAST = Theme(
    name="narrowcast",
    primary="#7cc7cf",
    secondary="#a99bd6",
    accent="#7cc7cf",
    foreground="#dde2e8",
    background="#12161b",
    surface="#181d24",
    panel="#222933",
    success="#8fbf87",
    warning="#e5b567",
    error="#e8838b",
    dark=True,
)

PAPER = Theme(
    name="paper",
    primary="#0b6470",
    secondary="#5b4a8f",
    accent="#0b6470",
    foreground="#22272d",
    background="#fcfbf8",
    surface="#f3f1ec",
    panel="#e8e5dd",
    success="#2f6a2f",
    warning="#855000",
    error="#a6242f",
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
    primary="ansi_cyan",
    secondary="ansi_default",
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
        "text-primary": "ansi_default",
        "ansi-background": "ansi_black",
        "ansi-foreground": "ansi_white",
        "block-cursor-foreground": "ansi_black",
        "block-cursor-background": "ansi_white",
        "screen-selection-background": "ansi_bright_blue",
        "screen-selection-foreground": "ansi_black",
    },
)

THEMES = (NARROWCAST, PAPER, CONTRAST, TERMINAL)
"""The order in which they are offered, before the user's own."""


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
