"""Large freed blocks are returned to the system, as glibc itself reports."""

from __future__ import annotations

import subprocess
import sys
from platform import libc_ver

import pytest

COUNTING = """
import ctypes

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
"""
CALLING = """
from narrowcast_api import memory
memory.tune_malloc()
print(is_apart(600_000))
heap = [bytes(100_000) for _ in range(100)]
last = bytes(1000)
del heap
memory.trim_heap()
print("done")
"""
SERVING = """
from narrowcast.cli.main import main
from narrowcast_server import serve
serve.run = lambda options: print(is_apart(600_000))
main(["serve"])
"""


on_glibc = pytest.mark.skipif(libc_ver()[0] != "glibc", reason="it counts as glibc does")


def printed(program: str) -> list[str]:
    """The words that a program prints after `COUNTING`."""
    command = [sys.executable, "-c", COUNTING + program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


@on_glibc
def test_large_blocks_can_be_mapped_separately_although_a_larger_one_was_freed_before() -> None:
    assert printed(CALLING) == ["False", "True", "done"]


@on_glibc
def test_the_server_maps_large_responses_separately() -> None:
    assert printed(SERVING) == ["False", "True"]
