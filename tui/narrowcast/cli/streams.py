"""The standard streams of the command line, which filter out terminal control sequences.

Errors, usage, tables, prompts, tracebacks and warnings of libraries all quote text from servers, files or
arguments, and any of them could forget to filter it. So the streams themselves do.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import TextIO, cast

from narrowcast_api.characters import sanitized

__all__ = ["SafeStream", "ready_streams", "settle_streams"]


class SafeStream:
    """Wraps a text stream; everything written to it is filtered."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Writes ``text`` without unsafe characters. Returns the length of ``text``, as other streams do."""
        self._stream.write(sanitized(text))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Writes each line through the filter."""
        for line in lines:
            self.write(line)


def ready_streams() -> None:
    """Installs filtering streams. Streams that the caller closed are empty to read and discard what is
    written; characters that the locale cannot encode are escaped.
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


def settle_streams() -> OSError | None:
    """Flushes the streams, and discards what cannot be written: Python would otherwise report an error at exit.
    Returns why standard output could not be written, unless its reader has closed it.
    """
    problem: OSError | None = None
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError) as error:
            if stream is sys.stdout and isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
                problem = error
            with contextlib.suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)
    return problem
