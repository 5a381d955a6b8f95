"""All private parts of Textual that the app reads; `textual_fixes` has those that are overridden.

`tests/tui/test_textual_reads.py` watches each of these parts in Textual alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START
from textual.app import App
from textual.binding import Binding, BindingsMap
from textual.driver import Driver
from textual.filter import LineFilter
from textual.geometry import Region
from textual.notifications import Notification
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

__all__ = [
    "BRACKETED_PASTE_END",
    "BRACKETED_PASTE_START",
    "ChopsUpdate",
    "CompositorUpdate",
    "LayoutUpdate",
    "add_bindings",
    "add_line_filter",
    "driver_of",
    "finish_of",
    "focused_before",
    "forget_row",
    "free_place",
    "has_plain_box",
    "has_plain_content",
    "moves_cursor",
    "notices_of",
    "remove_from_stack",
    "rows_of",
    "writes_frames",
]


def focused_before(app: App[Any]) -> Widget | None:
    """The widget that had the focus until another window of the desktop got it."""
    return app._last_focused_on_app_blur


def driver_of(app: App[Any]) -> Driver | None:
    """The driver that writes to the terminal; None while there is none."""
    return app._driver


def notices_of(app: App[Any]) -> Sequence[Notification]:
    """The notices over the screen, oldest first."""
    return list(app._notifications)


def writes_frames(app: App[Any]) -> bool:
    """Whether a frame passed to the app now reaches the terminal: if not, it must not be recorded as shown."""
    return app._running and not (
        app._closed or app.is_headless or app.is_inline or app._batch_count or app._driver is None
    )


def moves_cursor(app: App[Any]) -> bool:
    """Whether the next frame moves the cursor."""
    return app._previous_cursor_position != app.screen.outer_size.clamp_offset(app.cursor_position)


def add_bindings(app: App[Any], bindings: Iterable[Binding]) -> None:
    """Adds key bindings to the running app; unlike those of `App.bind` they have ids, which keymaps name."""
    app._bindings = BindingsMap.merge((app._bindings, BindingsMap(bindings)))


def add_line_filter(app: App[Any], line_filter: LineFilter) -> None:
    """Applies a filter to all that is drawn, after Textual's own."""
    app._filters.append(line_filter)


def rows_of(screen: Screen[Any]) -> list[Strip]:
    """The rows of a screen as they are now, without what only the mouse needs."""
    return [strip.discard_meta() for strip in screen._compositor.render_strips()]


async def remove_from_stack(screen: Screen[Any]) -> None:
    """Removes a screen that may not be on top: `switch_screen` would leave no screen for a moment."""
    screen.app._screen_stack.remove(screen)
    await screen.remove()


def free_place(widget: Widget) -> Region | None:
    """The region of ``widget`` on the terminal, if it is completely visible, uncovered, and about to stay there.

    None if only a frame of the whole screen shows the right result.
    """
    screen = widget.screen
    if screen is not widget.app.screen:
        return None
    if screen._layout_required or screen._scroll_required or screen._repaint_required:
        return None
    return _places(screen).get(widget)


def _places(screen: Screen[Any]) -> Mapping[Widget, Region]:
    """The regions of widgets that nothing covers, computed once per layout."""
    compositor = screen._compositor
    visible = compositor.visible_widgets
    known: tuple[object, Mapping[Widget, Region]] | None = getattr(screen, "_free_places", None)
    if known is not None and known[0] is visible:
        return known[1]
    free: dict[Widget, Region] = {}
    above: list[Region] = []
    for widget, (region, clip) in visible.items():  # topmost first
        if clip.contains_region(region) and not any(region.overlaps(other) for other in above):
            free[widget] = region
        if not widget.is_container or widget.styles.background.a:
            above.append(region.intersection(clip))
    screen._free_places = visible, free  # type: ignore[attr-defined]
    return free


def has_plain_box(widget: Widget) -> bool:
    """Whether only the lines of ``widget`` are drawn: no border, padding, tint or transparency."""
    return widget.gutter.totals == (0, 0) and has_plain_content(widget)


def has_plain_content(widget: Widget) -> bool:
    """Whether the content of ``widget`` is drawn unchanged: no tint or transparency."""
    styles = widget.styles
    return not (styles.tint.a or styles.has_rule("hatch") or widget.opacity != 1)


def forget_row(widget: Widget, y: int) -> None:
    """Renders row ``y`` of the content again in the next frame that shows it."""
    offset = widget.content_offset
    widget._styles_cache.set_dirty(Region(offset.x, offset.y + y, widget.content_size.width, 1))


def finish_of(widget: Widget) -> Callable[[Strip], Strip]:
    """A function that applies Textual's filters to a strip of ``widget``; returns the same strip for the same input."""
    filters, background = widget.get_line_filters(), widget.background_colors[1]

    def finish(strip: Strip) -> Strip:
        for line_filter in filters:
            strip = strip.apply_filter(line_filter, background)
        return strip

    return finish
