"""Measures how long something takes on a machine that may be held up: time in which no thread ran does not
count, nor does time in which a thread was ready to run and waited for a processor.

    with RunningTime() as clock:
        begun = clock.mark()
        ...
        assert clock.since(begun) < 0.2

Code that waits for a network, a disk, or another process lets other threads run, and code that computes uses
processor time. On a machine that is held up neither happens.
"""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

TICK = 0.005
MAX_TICK = 4 * TICK
"""The most seconds that one tick counts: in any time beyond, this thread was kept from running, and so were
others.
"""
_THREADS = Path("/proc/self/task")


@dataclass(frozen=True)
class Mark:
    """The seconds counted so far."""

    ran: float
    """In which any thread ran."""
    computed: float
    """Processor time of the thread that made the mark."""
    queued: dict[str, float]
    """In which each thread was ready to run and waited for a processor; empty where the system does not tell."""


class RunningTime:
    """A context manager with a thread that counts while the block runs. Marks belong to the thread that makes
    them.
    """

    def __init__(self) -> None:
        self._ran = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._count, name="running time", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def mark(self) -> Mark:
        """The current time."""
        return Mark(self._ran, time.thread_time(), _queued())

    def since(self, mark: Mark) -> float:
        """Seconds since a mark. A thread that waits for the interpreter's lock waits as long as its holder does,
        so the longest wait of any thread for a processor is not counted.
        """
        now = self.mark()
        held_up = max(
            (queued - mark.queued.get(thread, queued) for thread, queued in now.queued.items()), default=0.0
        )
        return max(now.ran - mark.ran - held_up, now.computed - mark.computed)

    async def passes(self, seconds: float) -> None:
        """Waits until this many seconds have passed, counting only time in which the process could run."""
        begun = self.mark()
        while self.since(begun) < seconds:
            await asyncio.sleep(TICK)

    def _count(self) -> None:
        last = time.monotonic()
        while not self._ended.wait(TICK):
            now = time.monotonic()
            self._ran += min(now - last, MAX_TICK)
            last = now


def _queued() -> dict[str, float]:
    found = {}
    for thread in _THREADS.iterdir() if _THREADS.is_dir() else ():
        try:
            found[thread.name] = int((thread / "schedstat").read_text().split()[1]) / 1e9
        except (OSError, IndexError):  # the thread has ended, or the kernel keeps no statistics
            continue
    return found
