"""All private parts of Textual that the app uses, based on the version in `textual_version`.

A test compares that version with the installed one: after an update, this file has to be compared with
Textual's source again, and so have `textual_classes`, `textual_lean` and `textual_compositor`, which replace
private parts. Two methods have to be overridden in `narrowcast.app.app`: `_display` and `_handle_exception`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from string import punctuation
from typing import Any, Final

from textual import events
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual._context import visible_screen_stack
from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.app import App
from textual.await_remove import AwaitRemove
from textual.binding import Binding, BindingsMap
from textual.driver import Driver
from textual.drivers._writer_thread import WriterThread
from textual.geometry import Offset, Region
from textual.notifications import Notifications
from textual.screen import Screen
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets._toast import ToastRack

__all__ = [
    "BRACKETED_PASTE_END",
    "BRACKETED_PASTE_START",
    "ChopsUpdate",
    "CompositorUpdate",
    "KeyParser",
    "LayoutUpdate",
    "WriterThread",
    "add_bindings",
    "clear_replaced_notices",
    "driver_of",
    "finish_of",
    "focused_before",
    "forget_row",
    "free_place",
    "has_notices",
    "has_plain_box",
    "has_plain_content",
    "keep_late_timers",
    "moves_cursor",
    "pass_over_removed",
    "remove_from_stack",
    "remove_screen",
    "repaint_parts",
    "screen_below",
    "writes_frames",
]


def focused_before(app: App[Any]) -> Widget | None:
    """The widget that had the focus until another window of the desktop got it."""
    return app._last_focused_on_app_blur


def driver_of(app: App[Any]) -> Driver | None:
    """The driver that writes to the terminal; None while there is none."""
    return app._driver


def has_notices(app: App[Any]) -> bool:
    """Whether there are notices over the screen."""
    return bool(app._notifications)


def repaint_parts(screen: Screen[Any], regions: Iterable[Region]) -> None:
    """Paints parts of a screen with the next frame. `refresh` with regions marks the whole screen as dirty,
    but paints only these regions: other changes would never be painted.
    """
    screen._set_dirty(*regions)
    screen._dirty_widgets.add(screen)
    screen.check_idle()


async def remove_from_stack(screen: Screen[Any]) -> None:
    """Removes a screen that may not be on top: `switch_screen` would leave no screen for a moment."""
    screen.app._screen_stack.remove(screen)
    await screen.remove()


def writes_frames(app: App[Any]) -> bool:
    """Whether a frame passed to the app now reaches the terminal: if not, it must not be recorded as shown."""
    return app._running and not (
        app._closed or app.is_headless or app.is_inline or app._batch_count or app._driver is None
    )


def moves_cursor(app: App[Any]) -> bool:
    """Whether the next frame moves the cursor."""
    return app._previous_cursor_position != app.screen.outer_size.clamp_offset(app.cursor_position)


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


def screen_below(screen: Screen[Any]) -> list[Strip] | None:
    """The rows of the screen visible below ``screen``, while ``screen`` is rendered; None if there is none."""
    try:
        below = visible_screen_stack.get().pop()
    except LookupError:
        return None
    if below is screen:
        return None
    return [strip.discard_meta() for strip in below._compositor.render_strips(screen.size)]


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


def add_bindings(app: App[Any], bindings: Sequence[Binding]) -> None:
    """Adds key bindings to the running app; unlike those of `App.bind` they have ids, with which keymaps
    change them.
    """
    app._bindings = BindingsMap.merge((app._bindings, BindingsMap(bindings)))


_begin_timer = Timer.__init__


def _begin_timer_once(
    timer: Timer, *args: Any, repeat: int | None = None, skip: bool = True, **options: Any
) -> None:
    _begin_timer(timer, *args, repeat=repeat, skip=skip and repeat != 0, **options)


def keep_late_timers() -> None:
    """Makes one-shot timers fire even if they are late. Textual skips a call that is overdue when its timer
    starts to wait, so a short timer never fires if the process is delayed at that moment: a resize would be
    lost, and everything that depends on it.
    """
    setattr(Timer, "__init__", _begin_timer_once)  # noqa: B010  # a method is not to be assigned to


_widget_and_offset_at = Screen.get_widget_and_offset_at


def _remaining_widget_and_offset_at(
    screen: Screen[Any], x: int, y: int
) -> tuple[Widget | None, Offset | None]:
    widget, offset = _widget_and_offset_at(screen, x, y)
    return (None, None) if widget is None or not widget.is_attached else (widget, offset)


def pass_over_removed() -> None:
    """Selects no text of a widget that was removed and is still painted: a second click on a notice would end
    the app.
    """
    setattr(Screen, "get_widget_and_offset_at", _remaining_widget_and_offset_at)  # noqa: B010  # as above


_show_notices = ToastRack.show


def _show_standing_notices(rack: ToastRack, notifications: Notifications) -> None:
    standing = {rack._toast_id(notice) for notice in notifications}
    for holder in rack.children:
        if holder.id not in standing:
            holder.remove()
    _show_notices(rack, notifications)


def clear_replaced_notices() -> None:
    """Removes the frame around a notice with the notice. Textual leaves it if the notice has not expired, and
    each one moves all later notices down by a row.
    """
    setattr(ToastRack, "show", _show_standing_notices)  # noqa: B010  # as above


SIDE_MARGINS_REPORTED: Final = ("\x1b[?69;1$y", "\x1b[?69;2$y")


class KeyParser(XTermParser):
    """Textual's parser, which drops Alt for keys with names of several letters: Alt-. would be `full_stop`,
    and Alt-Enter `enter`, in every terminal that sends Alt as an escape before the key.
    """

    has_side_margins = False
    """Whether the terminal reported that it has mode 69 (DECLRMM), and that the mode can be set."""

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        if sequence in SIDE_MARGINS_REPORTED:
            self.has_side_margins = True
        for key in super()._sequence_to_key_events(sequence, alt):
            forgotten = alt and "+" not in key.key and (key.key == "enter" or sequence in punctuation)
            yield events.Key(f"alt+{key.key}", key.character) if forgotten else key


def remove_screen(screen: Screen[Any]) -> AwaitRemove:
    """Removes a screen without an extra layout and paint of the screen below, which gets both when it resumes."""
    return screen.app._prune(screen)


keep_late_timers()
pass_over_removed()
clear_replaced_notices()
