"""Free memory is returned to the system, where the C library is glibc.

Once glibc has freed a block of some megabytes, it allocates smaller blocks from the heap. The texts that are
kept from a large response then lie between free blocks, so that the heap cannot shrink: 9 MB for 20,000 people.
glibc also has a heap for each thread and does not return its memory: reading one response in one thread and the
next in another takes the memory of both. Nothing is done with other C libraries.
"""

from __future__ import annotations

import sys
from contextlib import suppress

# The numbers of the options in glibc's malloc.h.
_TRIM_THRESHOLD = -1
_MMAP_THRESHOLD = -3
_ARENA_MAX = -8

_LARGE = 128 * 1024
"""Size in bytes from which a block is mapped on its own, and the free end of the heap is returned; glibc's
initial value.
"""


def tune_malloc() -> None:
    """Returns every large block to the system as soon as it is free, and gives new threads no heap of their
    own, from now on.
    """
    _call("mallopt", _MMAP_THRESHOLD, _LARGE)
    _call("mallopt", _TRIM_THRESHOLD, _LARGE)
    _call("mallopt", _ARENA_MAX, 1)


def trim_heap() -> None:
    """Returns the unused pages of the heap to the system. Takes a millisecond."""
    _call("malloc_trim", 0)


def _call(name: str, *numbers: int) -> None:
    if sys.platform.startswith("linux"):
        import ctypes  # imported here because it takes some milliseconds

        with suppress(OSError, AttributeError):
            getattr(ctypes.CDLL(None), name)(*numbers)
