"""Quitting in order after SIGHUP, SIGTERM, or the loss of the terminal.

Textual ends on these signals without any cleanup. The handler makes the app quit as if the user had requested
it; if that takes longer than a few seconds (a blocked loop, a stalled terminal), it restores the terminal
itself and ends the process. Drafts are in the journal within a second of the last key, so no data depends on
this.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import sys
import termios
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from textual.driver import Driver

from narrowcast.terminal.driver import TerminalDriver

PATIENCE = 8.0
"""Seconds after which the process is ended by force."""

CLEAN = (
    "\x1b[?2026l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[?2004l\x1b[?2048l"
    "\x1b[?7h\x1b[<u\x1b[?69l\x1b[?1049l\x1b[?25h\x1b[?1004l\x1b[0m"
)
"""Undoes every mode that the app sets: synchronized output, mouse, paste, resize reports, wrap, keys,
margins, screen."""


class SignalHandler:
    """Handles signals during one run of the app. ``leave(code)`` is called once, on the loop, to quit the app."""

    def __init__(self, leave: Callable[[int], None]) -> None:
        self._leave = leave
        self._loop = asyncio.get_running_loop()
        self._asked = threading.Lock()
        """Taken by the first request and never given back. An event could wait for itself: its own lock may be held
        where a signal interrupts the program.
        """
        self._done = threading.Event()
        self._old: dict[int, Any] = {}
        self._wake_read, self._wake_write = os.pipe()
        self._modes: list[Any] | None = None
        self._fd = sys.__stdin__.fileno() if sys.__stdin__ is not None else 0
        self.also_clean: Callable[[], str] = str
        """Returns further sequences to write after `CLEAN`."""

    def start(self) -> None:
        """Installs the handlers; to be called from the main thread, if possible before the app changes the
        terminal's modes.
        """
        if threading.current_thread() is not threading.main_thread():
            return
        with contextlib.suppress(termios.error, OSError):
            self._modes = termios.tcgetattr(self._fd)
        for number in (signal.SIGHUP, signal.SIGTERM):
            self._old[number] = signal.signal(number, self._on_signal)
        if os.isatty(self._fd):
            threading.Thread(target=self._watch, daemon=True, name="terminal-watch").start()

    def stop(self) -> None:
        """Restores the previous handlers after the app has quit by itself."""
        self._done.set()
        for number, handler in self._old.items():
            signal.signal(number, handler)
        self._old.clear()
        with contextlib.suppress(OSError):
            os.write(self._wake_write, b".")

    def watch(
        self, driver: Driver | None, is_leaving: Callable[[], bool], repaint: Callable[[], None]
    ) -> None:
        """Lets the app's driver report when the terminal is gone, or when another program wrote to it
        (``repaint``).
        """
        if isinstance(driver, TerminalDriver):
            self.also_clean = lambda: driver.title_to_restore
            driver.lost = self.vanished
            driver.leaving = is_leaving
            driver.repainting = repaint

    @property
    def is_leaving(self) -> bool:
        """Whether the app has to quit, or has quit already."""
        return self._asked.locked() or self._done.is_set()

    def ask(self, code: int) -> None:
        """Makes the app quit with ``code``; may be called from any thread, only the first call counts."""
        if self._done.is_set() or not self._asked.acquire(blocking=False):
            return
        threading.Thread(target=self._force, args=(code,), daemon=True, name="leave-by-force").start()
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._leave, code)

    def vanished(self) -> None:
        """Called when the terminal is gone; from any thread."""
        self.ask(128 + signal.SIGHUP)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.ask(128 + number)

    def _watch(self) -> None:
        """Waits until the terminal hangs up. Textual would repeatedly read the end of file instead."""
        poll = select.poll()
        poll.register(self._fd, 0)
        poll.register(self._wake_read, select.POLLIN)
        for fd, _ in poll.poll():
            if fd == self._fd:
                self.vanished()

    def _force(self, code: int) -> None:
        if self._done.wait(PATIENCE):
            return
        with contextlib.suppress(OSError, ValueError, termios.error):
            if self._modes is not None:
                termios.tcsetattr(self._fd, termios.TCSANOW, self._modes)
            os.set_blocking(2, False)
            os.write(2, (CLEAN + self.also_clean()).encode())
        os._exit(code)
