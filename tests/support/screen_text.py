"""The text on a screen. Textual has no public API for it."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen
from textual.strip import Strip


def screen_strips(screen: Screen[Any]) -> list[Strip]:
    """The rows with their styles, with dialogs over what is behind them."""
    return screen._compositor.render_strips()


def screen_rows(screen: Screen[Any]) -> list[str]:
    """The rows as text."""
    return [strip.text for strip in screen_strips(screen)]


def screen_text(screen: Screen[Any]) -> str:
    """The rows as one text."""
    return "\n".join(screen_rows(screen))
