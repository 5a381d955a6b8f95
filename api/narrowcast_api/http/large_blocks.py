"""What the reading of tens of thousands of people leaves free goes back to the system, where the C library is glibc.

Once glibc has seen a free block of some megabytes it takes those below from the heap, where the texts that are kept of
an answer lie between what is free: 9 MB for 20,000 people. Other C libraries are left alone.
"""

from __future__ import annotations

import sys
from contextlib import suppress

_MMAP_THRESHOLD = -3
"""The number of the option in glibc's malloc.h."""
_LARGE = 128 * 1024
"""Bytes from which on a block is one of the system's; what glibc begins with."""


def keep_apart() -> None:
    """From now on every large block is given back as soon as it is free."""
    _call("mallopt", _MMAP_THRESHOLD, _LARGE)


def give_back() -> None:
    """Give back the pages of the heap on which nothing is left. Takes a millisecond."""
    _call("malloc_trim", 0)


def _call(name: str, *numbers: int) -> None:
    if sys.platform.startswith("linux"):
        import ctypes  # only here: few organizations are so large

        with suppress(OSError, AttributeError):
            getattr(ctypes.CDLL(None), name)(*numbers)
