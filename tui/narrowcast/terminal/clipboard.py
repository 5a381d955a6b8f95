"""Reading the clipboard of this machine's desktop, for what a browser has copied there while the user logs in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping

__all__ = ["READ_EVERY", "clipboard_reader", "clipboard_text"]

READ_EVERY = 0.5
"""Seconds between two looks at the clipboard."""

_READERS = (
    ("WAYLAND_DISPLAY", ("wl-paste", "--no-newline")),
    ("DISPLAY", ("xclip", "-selection", "clipboard", "-out")),
    ("DISPLAY", ("xsel", "--clipboard", "--output")),
)
"""The variable of a desktop, and a command that prints its clipboard."""
_MOST_BYTES = 4096
_MOST_SECONDS = 1.0


def clipboard_reader(environment: Mapping[str, str] = os.environ) -> tuple[str, ...] | None:
    """The command that prints the clipboard of the desktop of this machine; None if there is none."""
    if sys.platform == "darwin":
        return ("pbpaste",)
    for variable, command in _READERS:
        if environment.get(variable) and shutil.which(command[0]):
            return command
    return None


def clipboard_text(reader: tuple[str, ...]) -> str:
    """The text in the clipboard; empty if it is longer than what a login page shows, or cannot be read. Blocks."""
    try:
        process = subprocess.Popen(  # noqa: S603 - one of the commands above
            reader, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    except OSError:
        return ""
    with process:
        try:
            data, _ = process.communicate(timeout=_MOST_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            return ""
    return data.decode("utf-8", "replace") if len(data) <= _MOST_BYTES else ""
