"""The child processes of the test itself."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["children"]


def children(module: str) -> set[int]:
    """The ids of this process's own children that run the Python module; other test processes may have theirs."""
    found = set()
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with suppress(OSError):
            folder = Path(f"/proc/{name}")
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and module.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                found.add(int(name))
    return found
