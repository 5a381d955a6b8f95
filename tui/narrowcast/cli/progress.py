"""The progress of an upload or an export: one line that is rewritten in place, on a terminal only."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable

from narrowcast.text.safe_text import safe_line

__all__ = ["Progress"]

EVERY = 0.1
"""Minimum seconds between two updates."""
_NAME_CELLS = 40


class Progress:
    """Call it with the bytes sent and the total, or `count` if there is no total; `end` erases the line."""

    def __init__(self, name: str, *, quiet: bool, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._name = safe_line(name, _NAME_CELLS)
        self._shown = not quiet and sys.stderr.isatty()
        self._monotonic = monotonic
        self._last = 0.0

    def __call__(self, sent: int, size: int) -> None:
        """Rewrites the line, unless that was done a moment ago."""
        share = 100 * sent // size if size else 100
        self._show(f"{share} % of {size / 1e6:.1f} MB", at_once=sent >= size)

    def count(self, number: int, what: str) -> None:
        """The same with a number of things, such as "messages"."""
        self._show(f"{number:,} {what}")

    def _show(self, text: str, *, at_once: bool = False) -> None:
        now = self._monotonic()
        if self._shown and (at_once or now - self._last >= EVERY):
            self._last = now
            self._write(f"{self._name}  {text}")

    def end(self) -> None:
        if self._shown and self._last:
            self._write("")

    def _write(self, text: str) -> None:
        # Directly to the terminal: the command's streams filter out escape sequences and carriage returns.
        out = sys.__stderr__
        if out is not None:
            out.write(f"\r{text[: shutil.get_terminal_size().columns - 1]}\x1b[K")
            out.flush()
