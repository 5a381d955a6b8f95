"""The standard streams of the command line: whatever is written there, a terminal can obey none of it.

Errors, usage, tables, prompts, tracebacks and the warnings of libraries all quote what a server, a file or an
argument said, and each new one could forget to clean it. So the streams themselves do.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import TextIO, cast

from narrowcast_api.characters import defused

__all__ = ["SafeStream", "ready_streams", "settle_streams"]


class SafeStream:
    """A text stream that is written to through the filter, and else the stream that it wraps."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write what of ``text`` is safe; the length of ``text``, as other streams say."""
        self._stream.write(defused(text))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Write each line through the filter."""
        for line in lines:
            self.write(line)


def ready_streams() -> None:
    """Streams that the caller closed read as empty and swallow what is written; no character is too strange to
    print, whatever the locale; and what is written goes through the filter.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - open until the end
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, SafeStream):
            continue
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
        setattr(sys, name, cast(TextIO, SafeStream(stream)))


def settle_streams() -> None:
    """Write the rest now. Where nobody takes it, Python would complain at the end and change the exit code."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)
