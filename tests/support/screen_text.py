"""What a screen shows, as text. Textual has no public way to ask."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen


def screen_rows(screen: Screen[Any]) -> list[str]:
    """Row by row, dialogs with what lies behind them."""
    return [strip.text for strip in screen._compositor.render_strips()]


def screen_text(screen: Screen[Any]) -> str:
    """The same as one text."""
    return "\n".join(screen_rows(screen))
