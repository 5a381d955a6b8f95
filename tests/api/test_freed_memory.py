"""Large freed blocks are returned to the system, as glibc itself reports."""

from __future__ import annotations

import subprocess
import sys
from platform import libc_ver

import pytest

PROGRAM = """
import ctypes
from narrowcast_api import memory

class Counts(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")]

library = ctypes.CDLL(None)
library.mallinfo2.restype = Counts

def is_apart(size):
    before = library.mallinfo2().hblks
    block = bytes(size)
    return library.mallinfo2().hblks > before

large = bytes(8_000_000)
del large
print(is_apart(300_000))
memory.tune_malloc()
print(is_apart(600_000))
heap = [bytes(100_000) for _ in range(100)]
last = bytes(1000)
del heap
memory.trim_heap()
print("done")
"""


@pytest.mark.skipif(libc_ver()[0] != "glibc", reason="it counts as glibc does")
def test_large_blocks_can_be_mapped_separately_although_a_larger_one_was_freed_before() -> None:
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False", "True", "done"]
