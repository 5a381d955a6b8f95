"""Where notices stand on the main screen: above what is written, in rows that the messages leave to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narrowcast.widgets.notices import after_layouts, notice_places, notices_above

if TYPE_CHECKING:
    from textual.screen import Screen

    from narrowcast.screens.main.conversation_pane import ConversationPane
    from narrowcast.screens.main.side_by_side import SideBySide

__all__ = ["keep_notices_apart"]

MOST = 3
"""The messages leave at most one row of so many."""


def keep_notices_apart(screen: Screen[Any], side: SideBySide) -> None:
    """From now on, notices stand above compose, in both conversations, and messages above notices. The blank row above
    compose is the first that they take.
    """
    after_layouts(screen, lambda: _place(screen, side))


def _place(screen: Screen[Any], side: SideBySide) -> None:
    shown = [pane for pane in side.all if pane.writing.region]
    notices_above(screen, [pane.writing.region for pane in shown])
    places = notice_places(screen)
    rows = sum(place.height for place in places)
    top = min((pane.writing.region.y for pane in shown), default=0) - rows
    left = min((place.x for place in places), default=0)
    for pane in shown:
        _leave_rows(pane, top if rows and pane.region.right > left else None)


def _leave_rows(pane: ConversationPane, top: int | None) -> None:
    """Ends the messages above the row ``top``; None: they reach down to compose, but for the blank row above it. The
    larger one of two margins holds.
    """
    messages, compose = pane.messages, pane.writing
    end, air = compose.region.y, compose.styles.margin.top
    rows = 0 if top is None else min(end - top, (end - messages.region.y) // MOST)
    rows = rows if rows > air else 0
    if rows != messages.styles.margin.bottom:
        messages.styles.margin = (0, 0, rows, 0)
