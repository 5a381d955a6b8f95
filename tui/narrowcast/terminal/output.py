"""What the app sends to the terminal: only the cells that differ from what the terminal already shows."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from rich.console import Console, RenderableType
from textual.errors import NoWidget
from textual.geometry import Offset
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from narrowcast.terminal import screen_store
from narrowcast.terminal.screen_memory import ScreenMemory, WidgetRows
from narrowcast.terminal.textual_fixes import FixedApp
from narrowcast.terminal.textual_reads import (
    ChopsUpdate,
    CompositorUpdate,
    LayoutUpdate,
    driver_of,
    finish_of,
    free_place,
    moves_cursor,
    notices_of,
    writes_frames,
)

if TYPE_CHECKING:
    from narrowcast.terminal.screen_memory import Move

log = logging.getLogger(__name__)

__all__ = ["TerminalOutput", "Written", "difference"]

SHOW_CURSOR, HIDE_CURSOR = "\x1b[?25h", "\x1b[?25l"
RESPONSE_SECONDS = 5.0
"""Seconds that a terminal may take to respond."""


@runtime_checkable
class AsksTerminal(Protocol):
    """A driver that can query the terminal's features."""

    def ask_for_side_margins(self) -> None: ...


@runtime_checkable
class HasCaret(Protocol):
    """A field that text is typed into."""

    @property
    def caret(self) -> Offset | None:
        """The cell of its content where the caret is; None if it does not have the focus."""


def caret_place(screen: Screen[Any]) -> Offset | None:
    """The cell of the terminal where the focused field has its caret; None if no field has the focus."""
    field = screen.focused
    caret = field.caret if isinstance(field, HasCaret) else None
    if field is None or caret is None:
        return None
    try:
        shown = screen.find_widget(field)
    except NoWidget:  # not laid out yet
        return None
    place = field.content_region.offset + caret
    return place if shown.region.intersection(shown.clip).contains_point(place) else None


class TerminalOutput:
    """Keeps track of the terminal's cells."""

    def __init__(self, app: FixedApp[Any]) -> None:
        self._app = app
        self._asked = -RESPONSE_SECONDS
        self._memory = ScreenMemory()
        self._is_cursor_shown: bool | None = None
        """None if the terminal may show its cursor or not."""

    def difference(self, frame: RenderableType) -> RenderableType | None:
        """The part of a frame that has to be sent, which then counts as shown; None if nothing differs."""
        if not writes_frames(self._app):
            return frame
        text = difference(self._memory, frame, self._app.console)
        if text is None:
            return frame
        text += self._place_cursor()
        if text == "" and not moves_cursor(self._app):
            return None
        return cast("RenderableType", Written(text))

    def _place_cursor(self) -> str:
        """Chooses where Textual puts the terminal's cursor after a frame: at the caret of the focused field, where
        input methods, magnifiers and screen readers look for it. Returns what shows or hides it, if that changes.
        """
        place = caret_place(self._app.screen)
        if place is not None:
            self._app.cursor_position = place
        is_shown, self._is_cursor_shown = self._is_cursor_shown, place is not None
        if is_shown is self._is_cursor_shown:
            return ""
        return SHOW_CURSOR if self._is_cursor_shown else HIDE_CURSOR

    def send_rows(
        self, widget: Widget, rows: Mapping[int, Strip], edges: Mapping[int, Strip], move: Move | None
    ) -> bool:
        """See `narrowcast.widgets.line_view.SendsRows`."""
        if not writes_frames(self._app):
            return False
        place = free_place(widget)
        if place is None:
            return False

        finish = finish_of(widget)
        ready = {y: finish(strip) for y, strip in rows.items()}
        update = WidgetRows(
            place.shrink(widget.gutter), ready, {y: finish(strip) for y, strip in edges.items()}, move
        )
        self._app.show_frame(cast("RenderableType", update))
        return True

    def forget(self) -> None:
        """Sends the next frame whole, because another program may have written to the terminal."""
        self._memory.forget()
        self._is_cursor_shown = None

    def can_move_columns(self) -> None:
        """The terminal can move columns. A report that was not asked for is ignored: it may be pasted text."""
        if time.monotonic() < self._asked + RESPONSE_SECONDS:
            self._memory.has_side_margins = True

    def resized(self) -> None:
        """Forgets what is shown: terminals move text when resized, and another terminal may show the app now."""
        self._memory.has_side_margins = False
        driver = driver_of(self._app)
        if isinstance(driver, AsksTerminal):
            self._asked = time.monotonic()
            driver.ask_for_side_margins()
        self.forget()

    def keep(self) -> None:
        """Saves the screen for the next start, unless a notice covers part of it."""
        app = self._app
        if app.is_headless or notices_of(app):
            return

        mark = f" ○ saved {datetime.now().astimezone():%a %d %b, %H:%M} · opening …"
        try:
            screen_store.keep(
                sys.argv[1:],
                (app.size.width, app.size.height),
                self._memory.rows,
                app.console,
                mark,
            )
        except OSError as error:
            log.warning("the screen is not kept for the next start: %s", error)


class Written(CompositorUpdate):
    """A frame that is already text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def render_segments(self, console: Console) -> str:
        return self._text


def difference(memory: ScreenMemory, update: object, console: Console) -> str | None:
    """The text to write for ``update``, which ``memory`` then records as written; None if it is not a frame."""
    if isinstance(update, LayoutUpdate):
        return memory.of_layout(update, console)
    if isinstance(update, ChopsUpdate):
        return memory.of_chops(update, console)
    if isinstance(update, WidgetRows):
        return memory.of_rows(update, console)
    return None
