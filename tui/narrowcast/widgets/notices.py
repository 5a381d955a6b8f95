"""Where notices stand on a screen. Style sheets say it for all screens but the main one, where compose grows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from textual.geometry import Region, Spacing
from textual.screen import Screen

__all__ = ["hide_notices", "notices_above"]

RACK = "ToastRack"
"""What holds the notices of a screen."""


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
