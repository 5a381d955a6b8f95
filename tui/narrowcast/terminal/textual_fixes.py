"""Bugs of Textual, and the subclasses with which the app mends them: nothing of Textual itself is replaced.

Each has the number of its public report, or a text for one in docs/upstream. `tests/tui/test_textual_bugs.py` shows
each bug in Textual alone, and fails once an update has mended it: then what mends it here can go. `FixedApp` and
`FixedDriver` also have methods that the app overrides and for which Textual has only private names:
`tests/tui/test_textual_reads.py` watches these.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from string import digits, punctuation
from typing import IO, Any, Final, Generic, Protocol, Self, TypeVar, cast

from rich.console import RenderableType
from textual import events
from textual._compositor import Compositor, CompositorMap
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Offset, Region
from textual.message_pump import MessagePump
from textual.notifications import Notification
from textual.screen import Screen
from textual.strip import Strip
from textual.timer import Timer, TimerCallback
from textual.widget import Widget
from textual.widgets._toast import Toast

__all__ = ["FixedApp", "FixedDriver", "FixedScreen", "KeyParser", "end_notice"]

T = TypeVar("T")


class _Compositor(Compositor):
    """Shows wide letters and all changes: `cuts` and `_render_chops` belong together."""

    @property
    def cuts(self) -> list[list[int]]:
        """The columns of each line where a visible piece of a widget begins or ends. Textual also cuts at edges that
        lie below another widget: a wide letter of that widget above such an edge becomes two spaces (#6357).
        """
        if self._cuts is None:
            width, height = self.size
            cuts, covered = (
                [{0, width} for _ in range(height)],
                [list[tuple[int, int]]() for _ in range(height)],
            )
            # From the topmost widget down: an edge cuts only where no widget before it covers it.
            for region, clip in self.visible_widgets.values():
                seen = clip.intersection(region)
                span = seen.column_span
                for y in range(seen.y, min(seen.bottom, height)) if seen else ():
                    cuts[y].update(
                        cut for cut in span if not any(left < cut < right for left, right in covered[y])
                    )
                    covered[y].append(span)
            self._cuts = [sorted(row) for row in cuts]
        return self._cuts

    def _render_chops(
        self, crop: Region, is_rendered_line: Callable[[int], bool]
    ) -> Sequence[Mapping[int, Strip]]:
        """As Textual's, but a widget may begin or end where there is no cut, below another one."""
        cuts = self.cuts
        chops: list[dict[int, Strip | None]] = [dict.fromkeys(row[:-1]) for row in cuts]
        for region, clip, strips in self._get_renders(crop):
            left, right = clip.intersection(region).column_span
            for y, strip in zip(clip.intersection(region).line_range, strips, strict=False):
                if is_rendered_line(y):
                    inside = [cut for cut in cuts[y] if left < cut <= right]
                    pieces = strip.divide([cut - left for cut in inside])
                    for cut, piece in zip([left, *inside], pieces, strict=False):
                        if chops[y].get(cut, piece) is None:  # a piece that no widget above has filled
                            chops[y][cut] = piece
        return cast("Sequence[Mapping[int, Strip]]", chops)

    @property
    def full_map(self) -> CompositorMap:
        """The places of all widgets. If they are asked for between a change and the layout that paints it, that layout
        compares with the new places and finds no change: a notice is not shown, or never removed
        (docs/upstream/places-asked-before-the-layout.md). So what has changed is marked for painting here.
        """
        if self.root is None or not self._full_map_invalidated:
            return super().full_map
        before = {**self._full_map, **(self._visible_map or {})}
        now = super().full_map
        if before and self.size.region not in self._dirty_regions:
            changed = (place.clip.intersection(place.region) for _, place in now.items() ^ before.items())
            self._dirty_regions.update(filter(None, changed))
        return now


class _LateTimers(MessagePump):
    """Calls a one-shot timer also if it is late. Textual passes over a call that is overdue when its timer begins to
    wait, so a short timer is lost if the process is delayed at that moment; with the one that follows a resize all
    later resizes are lost (docs/upstream/one-shot-timers-that-are-late.md).
    """

    def set_timer(
        self,
        delay: float,
        callback: TimerCallback | None = None,
        *,
        name: str | None = None,
        pause: bool = False,
    ) -> Timer:
        timer = super().set_timer(delay, callback, name=name, pause=pause)
        timer._skip = False
        return timer


class FixedScreen(_LateTimers, Screen[T], Generic[T]):
    """The base of all screens of the app."""

    def __init__(self, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(name, id, classes)
        self._compositor = _Compositor()

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        """A screen below calls this with the regions that it has changed. Textual then forgets what has changed in this
        screen itself (docs/upstream/changes-behind-a-screen.md).
        """
        if regions and repaint:
            self._set_dirty(*regions)
            self._dirty_widgets.add(self)
            repaint = False
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def get_widget_and_offset_at(self, x: int, y: int) -> tuple[Widget | None, Offset | None]:
        """Passes over a widget that was removed and is still painted: a second click on a notice would begin to select
        its text, which ends the app (#5629).
        """
        widget, offset = super().get_widget_and_offset_at(x, y)
        return (None, None) if widget is None or not widget.is_attached else (widget, offset)


class FixedApp(_LateTimers, App[T]):
    """The base of the app."""

    def changed_part(self, frame: RenderableType) -> RenderableType | None:
        """The part of a frame that is to be written; None if nothing has changed."""
        return frame

    def show_frame(self, frame: RenderableType) -> None:
        """Writes what has changed in a frame of the screen."""
        self._display(self.screen, frame)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if renderable is not None and (renderable := self.changed_part(renderable)) is None:
            self.post_display_hook()
            return
        super()._display(screen, renderable)

    def failed(self, error: Exception) -> None:
        """Ends the app because of an error that no handler has handled."""
        super()._handle_exception(error)

    def _handle_exception(self, error: Exception) -> None:
        self.failed(error)


class TextWriter(Protocol):
    """What a driver writes with."""

    def start(self) -> None: ...

    def write(self, text: str) -> None: ...

    def stop(self) -> None: ...


class FixedDriver(LinuxDriver):
    """The base of the driver: handles SIGTSTP and SIGCONT in the event loop, and then draws the screen again.

    Textual does it where the signal interrupts the program, which may be in the middle of writing a frame, or of
    handling another signal: an error there would end the app.
    """

    _stops = False
    """Whether SIGTSTP has arrived, and SIGCONT not after it."""
    _resumes = False
    """Whether SIGCONT has arrived."""
    _stops_job = False
    """Whether the programs of the same job stop, too."""

    @property
    def app(self) -> App[Any]:
        return self._app

    def call_in_loop(self, function: Callable[..., object], *values: object) -> None:
        """Calls a function in the app's event loop, from any thread."""
        self._loop.call_soon_threadsafe(function, *values)

    @property
    def writer(self) -> TextWriter | None:
        """What `use_writer` made."""
        raise NotImplementedError

    def use_writer(self, file: IO[str] | None) -> None:
        """Called at the start and after a suspension, and without a file when there is nothing to write to."""
        raise NotImplementedError

    def repaint(self) -> None:
        """Draws the screen again. Called in the thread of the event loop or in that of the writer."""
        raise NotImplementedError

    @property
    def _writer_thread(self) -> Any:
        return self.writer

    @_writer_thread.setter
    def _writer_thread(self, thread: Any) -> None:
        """Instead of Textual's writer, with which the app waits for a terminal that does not read."""
        self.use_writer(None if thread is None else self._file)

    def _sigtstp_application(self, *_: object) -> None:
        self._stops = True
        self._handle_in_loop()

    def _sigcont_application(self, *_: object) -> None:
        self._stops = False
        self._resumes = True
        self._handle_in_loop()

    def stop_job(self) -> None:
        """Leaves the terminal and stops the whole job: a program that waits for this one, such as make, would go on
        otherwise, and the shell would not get the terminal.
        """
        self._stops = self._stops_job = True
        self._handle_in_loop()

    def _handle_in_loop(self) -> None:
        with suppress(RuntimeError):  # the loop is closed: the app has ended
            self.call_in_loop(self._handle_signals)

    def _handle_signals(self) -> None:
        """Leaves the terminal and stops, or takes it again: once for all signals that have arrived. Does not stop if
        SIGCONT has arrived meanwhile, because nobody would send it again.
        """
        if self._stops:
            if self._auto_restart:
                self.suspend_application_mode()
                self._must_signal_resume = True
            if self._stops_job:
                self._stops_job = False
                self._stop_others()
            if self._stops:
                self._stops = False
                os.kill(os.getpid(), signal.SIGSTOP)
        if self._resumes:
            self._resumes = False
            if self._auto_restart:
                self.resume_application_mode()

    def _stop_others(self) -> None:
        """Sends the other programs of the job the signal that the terminal sends all of them for its key. Does nothing
        where the job is not the one that has the terminal, as without a shell that controls jobs.
        """
        try:
            has_terminal = os.tcgetpgrp(self.fileno) == os.getpgrp()
        except OSError:
            return
        if has_terminal:
            handler = signal.signal(signal.SIGTSTP, signal.SIG_IGN)
            os.kill(0, signal.SIGTSTP)
            signal.signal(signal.SIGTSTP, handler)

    def resume_application_mode(self) -> None:
        """SIGCONT may arrive without a suspension: after SIGSTOP, and after the SIGHUP of a closed window. Textual
        would then read the keys in a second thread, and the first one would never end
        (docs/upstream/sigcont-without-a-suspension.md). After a suspension it only draws the screen if the size
        has changed (#6298).
        """
        if self._key_thread is not None and self._key_thread.is_alive():
            self.suspend_application_mode()
        super().resume_application_mode()
        self.repaint()


def end_notice(app: App[Any], notice: Notification) -> None:
    """Removes a notice that has not expired, as a click on it does. Textual would leave the frame around it, which
    moves all later notices down (docs/upstream/frames-of-replaced-notices.md).
    """
    for screen in app.screen_stack:
        for toast in screen.query(Toast):
            if toast._notification is notice:
                toast._expire()
    app._unnotify(notice, refresh=False)


SIDE_MARGINS_REPORTED: Final = ("\x1b[?69;1$y", "\x1b[?69;2$y")


_AS_PRESSED: Final = {
    "\x00": "ctrl+space",
    "\x1bb": "alt+b",
    "\x1bf": "alt+f",
    "\x1b\x7f": "alt+backspace",
    "\x1b-": "alt+minus",
    "\x1b=": "alt+equals_sign",
    **{f"\x1b{digit}": f"alt+{digit}" for digit in digits},
}
"""What Textual takes for other keys (docs/upstream/keys-of-alt-that-are-others.md)."""


class KeyParser(XTermParser):
    """Keeps Alt of keys with names of several letters: Alt-. would be `full_stop`, and Alt-Enter `enter`, in every
    terminal that sends Alt as an escape before the key (#6663). Reads keys that Textual takes for others.
    """

    has_side_margins = False
    """Whether the terminal reported that it has mode 69 (DECLRMM), and that the mode can be set."""

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        if sequence in SIDE_MARGINS_REPORTED:
            self.has_side_margins = True
        if (pressed := _AS_PRESSED.get(sequence)) is not None:
            yield events.Key(pressed, None)
            return
        for key in super()._sequence_to_key_events(sequence, alt):
            forgotten = alt and "+" not in key.key and (key.key == "enter" or sequence in punctuation)
            yield events.Key(f"alt+{key.key}", key.character) if forgotten else key
