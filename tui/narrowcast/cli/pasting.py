"""Reading what is pasted at a terminal: without Enter, since some texts are valid for seconds only."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from collections.abc import Callable

from narrowcast.terminal.desktop_clipboard import READ_EVERY

_QUIET_SECONDS = 0.2
"""A paste arrives in pieces, with line breaks where another terminal wrapped it: after one, more may follow."""
_MOST_BYTES = 1 << 16


def read_pasted(prompt: str, is_complete: Callable[[str], bool], copied: Callable[[], str]) -> str:
    """Returns what was typed or pasted, as soon as it is complete, else at Enter. It is not shown. A complete text that
    ``copied`` returns, which is called from time to time, is taken too. Raises EOFError for Ctrl-d.
    """
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    # Before the prompt, and without the flush that is the default: what is typed ahead would be lost.
    tty.setcbreak(terminal, termios.TCSADRAIN)
    sys.stderr.write(prompt)
    sys.stderr.flush()
    try:
        return _read(terminal, is_complete, copied)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
        sys.stderr.write("\n")


def _read(terminal: int, is_complete: Callable[[str], bool], copied: Callable[[], str]) -> str:
    data = b""
    while len(data) < _MOST_BYTES:
        if not select.select([terminal], [], [], READ_EVERY)[0]:
            if is_complete(text := copied()):
                return text
            continue
        piece = os.read(terminal, 4096)
        if not piece or piece == b"\x04":
            raise EOFError
        if piece in (b"\x7f", b"\x08"):
            data = data[:-1]
            continue
        data += piece
        text = data.decode("utf-8", "replace").replace("\x1b[200~", "").replace("\x1b[201~", "")
        if is_complete(text):
            return text
        if data.endswith((b"\n", b"\r")) and not select.select([terminal], [], [], _QUIET_SECONDS)[0]:
            return text
    return ""
