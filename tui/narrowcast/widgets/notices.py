"""Where notices stand on a screen, which is told after each layout, so that something can make room for them. Style
sheets say where for all screens but the main one, where compose grows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from textual.geometry import Region, Spacing
from textual.screen import Screen

__all__ = ["after_layouts", "hide_notices", "notice_places", "notices_above"]

RACK = "ToastRack"
"""What holds the notices of a screen."""


def after_layouts(screen: Screen[Any], show: Callable[[], object]) -> None:
    """Calls a function after each layout of a mounted screen: only then is it known where everything stands."""
    screen.screen_layout_refresh_signal.subscribe(screen, lambda _: show(), immediate=True)


def notice_places(screen: Screen[Any]) -> list[Region]:
    """Where the notices of a screen stand, from top to bottom."""
    racks = screen.query_children(RACK)
    return [notice.region for rack in racks for notice in rack.query("Toast") if notice.region]


def notices_above(screen: Screen[Any], regions: Iterable[Region]) -> None:
    """Puts the notices of a screen directly above these regions, flush right with them."""
    if not (shown := [region for region in regions if region]):
        return
    top, right = min(region.y for region in shown), max(region.right for region in shown)
    below = Spacing(bottom=max(0, screen.size.height - top))
    beside = Spacing(right=max(0, screen.size.width - right))
    for rack in screen.query_children(RACK):
        # Setting them lays out the whole screen.
        if (rack.styles.margin, rack.styles.padding) != (below, beside):
            rack.styles.margin, rack.styles.padding = below, beside


def hide_notices(screen: Screen[Any]) -> None:
    """Hides the notices of a screen below another one, which shows them itself. Textual shows them again when nothing
    is above the screen any more.
    """
    for rack in screen.query_children(RACK):
        rack.display = False
