"""Memory that is free goes back to the system, where the C library is glibc.

Once glibc has seen a free block of some megabytes it takes those below from the heap, where the texts that are kept of
an answer lie between what is free: 9 MB for 20,000 people. And it has a heap for each thread, of which it gives back
nothing: reading an answer in one thread and the next in another takes the memory of both. Other C libraries are left
alone.
"""

from __future__ import annotations

import sys
from contextlib import suppress

# The numbers of the options in glibc's malloc.h.
_TRIM_THRESHOLD = -1
_MMAP_THRESHOLD = -3
_ARENA_MAX = -8

_LARGE = 128 * 1024
"""Bytes from which on a block is one of the system's, and the end of the heap is given back; what glibc begins with."""


def keep_large_blocks_apart() -> None:
    """From now on every large block is given back as soon as it is free, and new threads have no heap of their own."""
    _call("mallopt", _MMAP_THRESHOLD, _LARGE)
    _call("mallopt", _TRIM_THRESHOLD, _LARGE)
    _call("mallopt", _ARENA_MAX, 1)


def give_back() -> None:
    """Give back the pages of the heap on which nothing is left. Takes a millisecond."""
    _call("malloc_trim", 0)


def _call(name: str, *numbers: int) -> None:
    if sys.platform.startswith("linux"):
        import ctypes  # only here: it takes some milliseconds

        with suppress(OSError, AttributeError):
            getattr(ctypes.CDLL(None), name)(*numbers)
