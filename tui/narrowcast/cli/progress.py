"""How far a file is on its way: one line that is written again, on a terminal only."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable

from narrowcast.text.safe_text import safe_line

__all__ = ["Progress"]

EVERY = 0.1
"""Seconds between two writes."""
_NAME_CELLS = 40


class Progress:
    """Call it with the bytes sent and all there are; `end` takes the line away."""

    def __init__(self, name: str, *, quiet: bool, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._name = safe_line(name, _NAME_CELLS)
        self._shown = not quiet and sys.stderr.isatty()
        self._monotonic = monotonic
        self._last = 0.0

    def __call__(self, sent: int, size: int) -> None:
        """Write the line again, unless that was done a moment ago."""
        now = self._monotonic()
        if not self._shown or (now - self._last < EVERY and sent < size):
            return
        self._last = now
        share = 100 * sent // size if size else 100
        self._write(f"{self._name}  {share} % of {size / 1e6:.1f} MB")

    def end(self) -> None:
        if self._shown and self._last:
            self._write("")

    def _write(self, text: str) -> None:
        # To the terminal itself: the streams of commands let no sequence and no carriage return through.
        out = sys.__stderr__
        if out is not None:
            out.write(f"\r{text[: shutil.get_terminal_size().columns - 1]}\x1b[K")
            out.flush()
