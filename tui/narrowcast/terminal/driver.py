"""The terminal driver: Textual's own for POSIX, made to handle a terminal that stalls or vanishes.

Textual queues thirty writes and then blocks the app until the terminal takes them, and its writer dies with a
traceback when the terminal is gone. Here frames are dropped while the terminal is stalled, and everything is
repainted once it reads again; if it vanishes, the app quits in order (see ``signal_handler``).
"""

from __future__ import annotations

import codecs
import os
import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import IO, ClassVar, Final

from textual.message import Message

from narrowcast.terminal import last_screen
from narrowcast.terminal.clipboard_answers import QUESTION
from narrowcast.terminal.fallbacks import ERRORS, tolerate_all_characters
from narrowcast.terminal.keyboard import read_keys
from narrowcast.terminal.notifications import BELL, RESTORE_TITLE, SAVE_TITLE, title_sequence
from narrowcast.terminal.terminal_filter import TerminalFilter, are_notices
from narrowcast.terminal.textual_fixes import FixedDriver

LAST_PATIENCE = 10.0
"""Maximum seconds for which a stalled terminal may delay the exit."""
MAX_PENDING = 512
"""Number of pending writes above which frames are dropped; a frame is a few writes."""
CAUGHT_UP: Final = ""
"""Queued behind all pending writes when frames begin to be dropped; the thread has caught up when it gets this."""


class TerminalWriter(threading.Thread):
    """Never blocks its caller: writes at once what the terminal takes at once, and the rest in a thread of
    its own. Waking the thread takes as long as painting a letter, and longer if other programs use the
    processor.
    """

    is_stuck: ClassVar[bool] = False
    """Whether the final output could not be written: the process must then not wait for its streams."""

    def __init__(self, file: IO[str], caught_up: Callable[[], None], lost: Callable[[], None]) -> None:
        super().__init__(daemon=True, name="terminal-output")
        self._file = file
        self._pending: queue.SimpleQueue[str | bytes | None] = queue.SimpleQueue()
        self._given = 0
        """Number of texts handed to the thread so far."""
        self._done = 0
        """Number of these texts that were written."""
        self._at_once = _never_waiting(file)
        self._caught_up = caught_up
        self._lost = lost
        self.is_stalled = False
        """Whether frames are being dropped."""
        self._closing = False
        self.gone = False

    def write(self, text: str) -> None:
        """Writes ``text``; drops it while the terminal is stalled, unless the app is leaving the terminal."""
        if self.gone or (self.is_stalled and not self._closing):
            return
        if self._pending.qsize() > MAX_PENDING and not self._closing:
            self.is_stalled = True
            self._hand_over(CAUGHT_UP)
            return
        rest = self._write_at_once(text)
        if rest:
            self._hand_over(rest)

    def _hand_over(self, text: str | bytes) -> None:
        self._given += 1
        self._pending.put(text)

    def _write_at_once(self, text: str) -> str | bytes:
        """The part of the text that is left for the thread: all of it if the thread is not done yet, or on an error."""
        if self._at_once is None or self._given != self._done:
            return text
        encoded = text.encode("utf-8", ERRORS)
        try:
            return encoded[os.write(self._at_once, encoded) :]
        except OSError:
            return text

    def begin_closing(self) -> None:
        """From now on write everything: these are the sequences that restore the terminal. Discards pending
        frames, which would only delay them.
        """
        self._closing = True
        with suppress(queue.Empty):
            while True:
                self._pending.get_nowait()

    def run(self) -> None:
        """Writes texts until stopped or until the terminal is gone."""
        while (text := self._pending.get()) is not None:
            try:
                if isinstance(text, bytes):
                    self._write_whole(text)
                else:
                    self._file.write(text)
                if text == CAUGHT_UP or self._pending.empty():
                    self._file.flush()
            except (OSError, ValueError):
                self.gone = True
                self._lost()
                return
            self._done += 1
            if text == CAUGHT_UP:
                self.is_stalled = False
                self._caught_up()
        with suppress(OSError, ValueError):
            self._file.flush()

    def _write_whole(self, rest: bytes) -> None:
        """Writes the bytes that the terminal did not take at once, which may begin in the middle of a text."""
        self._file.flush()
        while rest:
            rest = rest[os.write(self._file.fileno(), rest) :]

    def stop(self, patience: float = LAST_PATIENCE) -> None:
        """Waits until the rest is written, for at most ``patience`` seconds."""
        at_once, self._at_once = self._at_once, None
        if at_once is not None:
            os.close(at_once)
        self._pending.put(None)
        self.join(patience)
        if self.is_alive():
            TerminalWriter.is_stuck = True


def _never_waiting(file: IO[str]) -> int | None:
    """The terminal of ``file`` opened again in non-blocking mode, as ``file`` itself is shared with the
    shell. None if that is not possible, or if the encoding is not UTF-8.
    """
    try:
        if codecs.lookup(getattr(file, "encoding", "")).name != "utf-8":
            return None
        number = file.fileno()
        flags = os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        opened = os.open(os.ttyname(number), flags)
    except (OSError, ValueError, LookupError):
        return None
    if os.fstat(opened).st_rdev != os.fstat(number).st_rdev:
        os.close(opened)
        return None
    return opened


class TerminalDriver(FixedDriver):
    """See the module's description."""

    _writer: TerminalWriter | None = None
    _is_entered = False
    """Whether the alternate screen is on already."""
    lost: Callable[[], None] | None = None
    """Called from the writer's thread when the terminal is gone."""
    repainting: Callable[[], None] | None = None
    """Called on the loop when the terminal may show something other than what was sent."""

    _title = ""
    _is_named = False

    leaving: Callable[[], bool] | None = None
    """Whether the app is quitting."""

    @property
    def writer(self) -> TerminalWriter | None:
        return self._writer

    def use_writer(self, file: IO[str] | None) -> None:
        if file is not None:
            tolerate_all_characters(file)
        self._writer = None if file is None else TerminalWriter(file, self.repaint, self._vanished)

    def repaint(self) -> None:
        """Sends everything again, because the terminal may show something else."""

        def repaint() -> None:
            self.gate.forget()
            if self.repainting is not None:
                self.repainting()
            if self.app.screen_stack:
                self.app.screen.refresh(layout=True)

        self.call_in_loop(repaint)

    def start_application_mode(self) -> None:
        """Called at the start, when the saved screen may be on the terminal, and again after a suspension."""
        attributes = last_screen.attributes()
        self._is_entered = attributes is not None
        self.gate.forget()
        if self.repainting is not None:
            self.repainting()
        super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual has no types there
        if self._title:
            self.set_title(self._title)
        if attributes is not None:
            self.attrs_before = attributes

    def resume_application_mode(self) -> None:
        """Takes the terminal again after a suspension, unless the app is quitting."""
        if self.leaving is None or not self.leaving():
            super().resume_application_mode()

    def _vanished(self) -> None:
        if self.lost is not None:
            self.lost()

    def write(self, data: str) -> None:
        """Never blocks; drops text while another program uses the terminal."""
        if self._is_entered and data == last_screen.ENTER:
            self._is_entered = False  # entering again would clear the saved screen that is shown
            return
        if self._writer is not None and (self._writer.is_alive() or not self._writer.ident):
            self._writer.write(self.gate(data))

    def write_notice(self, notice: str) -> None:
        """Writes a bell, or sequences for a notification; drops anything else."""
        if self._writer is not None and (notice == BELL or are_notices(notice)):
            self._writer.write(notice)

    def ask_for_side_margins(self) -> None:
        """Asks for the message `SideMargins`. Not sent to Apple's terminal, which would print a part of the
        question.
        """
        if self.input_tty and os.environ.get("TERM_PROGRAM") != "Apple_Terminal":
            self.write("\x1b[?69$p")

    def ask_for_clipboard(self) -> None:
        """Asks for the message `ClipboardAnswer`, which not all terminals send. The filter would drop the question."""
        if self.input_tty and self._writer is not None:
            self._writer.write(QUESTION)

    def set_title(self, text: str) -> None:
        """Sets the title of the terminal's window; the previous one is restored at the end."""
        self._title = text
        if self._is_named:
            self.write(title_sequence(text))
        elif self._writer is not None:
            self._is_named = True
            self.write(SAVE_TITLE + title_sequence(text))

    @property
    def title_to_restore(self) -> str:
        """The sequence that restores the title of the terminal's window; '' if it was not changed."""
        return RESTORE_TITLE if self._is_named else ""

    @cached_property
    def gate(self) -> TerminalFilter:
        """The filter that decides which sequences may be written."""
        return TerminalFilter(colours=not os.environ.get("NO_COLOR"))

    def send_message(self, message: Message) -> None:
        """Called in the thread that reads the keys. Textual creates a task for each message, which takes longer."""
        self.call_in_loop(self.app.post_message, message)

    def run_input_thread(self) -> None:
        """Reads the keys until the app quits; invalid bytes do not stop it."""
        read_keys(self.fileno, self.exit_event, time.monotonic, self.process_message)

    def stop_application_mode(self) -> None:
        """Restores the terminal, even if frames are still pending."""
        if self._writer is not None:
            self._writer.begin_closing()
        if self._is_named:
            self.write(RESTORE_TITLE)
            self._is_named = False
        super().stop_application_mode()
        last_screen.forget()
