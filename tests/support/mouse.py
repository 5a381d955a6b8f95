"""The mouse as the terminal reports it: the app itself recognizes clicks and drags."""

from __future__ import annotations

from typing import Any

from textual import events
from textual.pilot import Pilot

Place = tuple[int, int]


def mouse_event(kind: type[events.MouseEvent], place: Place) -> events.MouseEvent:
    """What the terminal reports of the left button at a place of the screen."""
    x, y = place
    return kind(
        None,
        x=x,
        y=y,
        delta_x=0,
        delta_y=0,
        button=1,
        shift=False,
        meta=False,
        ctrl=False,
        screen_x=x,
        screen_y=y,
    )


async def drag(pilot: Pilot[Any], start: Place, end: Place) -> None:
    """Presses the button at one place of the screen, and releases it at another, or at the same one: a click."""
    pilot.app.post_message(mouse_event(events.MouseDown, start))
    await pilot.pause()
    if start != end:
        pilot.app.post_message(mouse_event(events.MouseMove, end))
        await pilot.pause()
    pilot.app.post_message(mouse_event(events.MouseUp, end))
    await pilot.pause()


async def click(pilot: Pilot[Any], place: Place) -> None:
    """Clicks at a place of the screen; twice quickly is a double click."""
    await drag(pilot, place, place)
