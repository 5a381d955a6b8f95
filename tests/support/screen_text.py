"""What a screen shows. Textual has no public way to ask."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen
from textual.strip import Strip


def screen_strips(screen: Screen[Any]) -> list[Strip]:
    """Row by row with its styles, dialogs with what lies behind them."""
    return screen._compositor.render_strips()


def screen_rows(screen: Screen[Any]) -> list[str]:
    """The same as text."""
    return [strip.text for strip in screen_strips(screen)]


def screen_text(screen: Screen[Any]) -> str:
    """The same in one."""
    return "\n".join(screen_rows(screen))
