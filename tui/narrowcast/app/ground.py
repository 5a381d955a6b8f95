"""What the app stands on: keys in order, lean frames, notices, work in the background, and what ends in a defect."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Awaitable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, cast

from rich.console import RenderableType
from textual import events
from textual.app import App
from textual.driver import Driver
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from narrowcast.terminal import last_screen
from narrowcast.terminal.key_queue import KeyQueue
from narrowcast.terminal.paths import Paths
from narrowcast.terminal.textual_private import cursor_moved, finish_of, free_place, writes_frames

if TYPE_CHECKING:
    from narrowcast.terminal.screen_memory import Move, ScreenMemory

log = logging.getLogger(__name__)

FIRST_SIZES = 2
"""Reports of the size that come at a start although nothing was resized: the driver's own, and the terminal's."""
MOST_NOTICES = 3
"""Notices that stand on the screen at once."""


def terminal_driver() -> type[Driver] | None:
    """Our driver where there is a POSIX terminal, else Textual's choice."""
    if sys.platform == "win32":
        return None
    from narrowcast.terminal.driver import TerminalDriver

    return TerminalDriver


class AppGround(App[int], inherit_bindings=False):
    """Knows nothing of accounts; ``key_pressed`` and ``keep`` are for those who do."""

    def __init__(self, paths: Paths) -> None:
        super().__init__(driver_class=terminal_driver())
        self.paths = paths
        self._typed = KeyQueue(self, self._take_key)
        self._memory: ScreenMemory | None = None
        self._shown_size: tuple[int, int] | None = None
        self._first_sizes = FIRST_SIZES
        if sys.platform != "win32":
            from narrowcast.terminal.screen_memory import ScreenMemory

            self._memory = ScreenMemory()
            self._begin_with(last_screen.shown())
        self._work: set[asyncio.Task[None]] = set()

    def key_pressed(self) -> None:
        """Somebody is there."""

    def keep(self) -> None:
        """The app may end now: nothing written may be lost."""

    # keys

    async def on_event(self, event: events.Event) -> None:
        """Keys and pastes wait for one another; all else goes its way."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await super().on_event(event)
        else:
            self._typed.put(event)

    async def _take_key(self, event: events.Event) -> None:
        try:
            await super().on_event(event)
        except Exception as error:
            self._handle_exception(error)
        self.key_pressed()

    # what reaches the terminal

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Send what differs from what the terminal shows, instead of whole regions; nothing where nothing does."""
        if self._memory is not None and renderable is not None and writes_frames(self):
            text = self._memory.difference(renderable, self.console)
            if text == "" and not cursor_moved(self):
                self.post_display_hook()
                return
            if text is not None:
                from narrowcast.terminal.screen_memory import Written

                renderable = cast("RenderableType", Written(text))
        super()._display(screen, renderable)

    def paint_rows(
        self,
        widget: Widget,
        rows: Mapping[int, Strip],
        edges: Mapping[int, Strip],
        move: Move | None = None,
    ) -> bool:
        """Send rows of a widget at once, without a frame of the whole screen. False where only a frame will do."""
        if self._memory is None or not writes_frames(self):
            return False
        place = free_place(widget)
        if place is None:
            return False
        from narrowcast.terminal.screen_memory import WidgetRows

        finish = finish_of(widget)
        ready = {y: finish(strip) for y, strip in rows.items()}
        update = WidgetRows(place, ready, {y: finish(strip) for y, strip in edges.items()}, move)
        self._display(self.screen, cast("RenderableType", update))
        return True

    def forget_screen(self) -> None:
        """Somebody else may have written to the terminal: the next frame is sent whole."""
        if self._memory is not None:
            self._memory.forget()

    def _begin_with(self, shown: last_screen.Shown | None) -> None:
        """The screen as it was left is on the terminal already: the first frame sends what differs."""
        if shown is not None and self._memory is not None:
            from narrowcast.terminal.screen_store import load_cells

            self._memory.prime(load_cells(shown.cells))
            self._shown_size = shown.size

    def on_resize(self, event: events.Resize) -> None:
        """Terminals move text about when they are resized."""
        if self._first_sizes and tuple(event.size) == self._shown_size:
            self._first_sizes -= 1
            return
        self._shown_size = None
        self.forget_screen()

    def keep_screen(self) -> None:
        """Keep the screen as it stands for the next start, where no notice lies over it."""
        if self._memory is None or self.is_headless or self._notifications:
            return
        from narrowcast.terminal import screen_store

        mark = f" ○ saved {datetime.now().astimezone():%a %d %b, %H:%M} · opening …"
        try:
            screen_store.keep(
                sys.argv[1:], (self.size.width, self.size.height), self._memory.rows, self.console, mark
            )
        except OSError as error:
            log.warning("the screen is not kept for the next start: %s", error)

    # notices and work

    def tell(self, text: str, *, severity: str = "information", seconds: float | None = None) -> None:
        """A notice in a corner. ``text`` may come from anywhere."""
        level = cast(Literal["information", "warning", "error"], severity)
        self.notify(text[:500], severity=level, timeout=seconds)

    def refuse(self, text: str) -> None:
        """A key could not act: say why. What is typed on in the same moment is not run as commands."""
        self._typed.guard.refuse_text()
        self.tell(text, severity="warning")

    def field_left(self) -> None:
        """Escape left a field: another one in the same moment is not meant for what lies behind."""
        self._typed.guard.hold_escape()

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: Literal["information", "warning", "error"] = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """As Textual's, at the top, where it hides neither compose nor the newest message. What stands there
        already is not said twice, and a few notices are enough at once. ``message`` may come from anywhere.
        """
        from narrowcast.text.safe_text import safe_block

        message = safe_block(message)
        standing = list(self._notifications)
        same = [notice for notice in standing if notice.message == message]
        for notice in same or standing[: max(0, len(standing) + 1 - MOST_NOTICES)]:
            self._unnotify(notice, refresh=False)
        super().notify(message, title=title, severity=severity, timeout=timeout, markup=markup)

    def spawn(self, work: Awaitable[object], what: str) -> asyncio.Task[None]:
        """Do ``work`` in the background. Whatever goes wrong becomes a notice and a line in the log."""
        task = asyncio.ensure_future(self._guarded(work, what))
        self._work.add(task)
        task.add_done_callback(self._work.discard)
        return task

    async def _guarded(self, work: Awaitable[object], what: str) -> None:
        from narrowcast_api.errors import NarrowcastError

        try:
            await work
        except NarrowcastError as error:
            log.warning("could not %s: %s", what, error)
            self.tell(error.user_message, severity="error")
        except Exception as error:
            log.exception("could not %s", what)
            self.tell(f"Could not {what}: {type(error).__name__}. See the log for details.", severity="error")

    def _handle_exception(self, error: Exception) -> None:
        """A defect in a handler ends the app: log it, keep the draft, and leave the terminal clean."""
        log.error("unhandled", exc_info=error)
        try:
            self.keep()
        except Exception:
            log.exception("the text in the editor was not kept as a draft")
        if self.is_headless:
            super()._handle_exception(error)  # tests want to see it
            return
        self._return_code = 1
        self.panic(
            f"narrowcast: internal error ({type(error).__name__}); your drafts are saved. "
            f"Details: {self.paths.log_file}"
        )
