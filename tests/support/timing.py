"""How long things take: on a machine that may be held up, in one step of a server, in a call that blocks the loop.

With `RunningTime`, time in which no thread ran does not count, nor does time in which a thread was ready to run and
waited for a processor:

    with RunningTime() as clock:
        begun = clock.mark()
        ...
        assert clock.since(begun) < 0.2

Code that waits for a network, a disk, or another process lets other threads run, and code that computes uses
processor time. On a machine that is held up neither happens.

With `held`, only processor time of the loop's thread counts. A slow machine makes no test fail: a long step is followed
by a fixed amount of work, and the result is scaled to a machine on which that takes `NOMINAL` seconds. The garbage
collector is switched off, since it would scan everything that earlier tests left.

    with held() as watch:
        ...
    assert watch.longest < 0.25
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import socket
import threading
import time
from asyncio import events
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pytest

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


NOMINAL = 0.0135
"""Seconds that `_reference` takes on the idle machine for which the bounds were set."""
LONG = 0.1
"""Seconds: shorter steps are not examined."""
_ROWS = [
    {"id": number, "name": f"person {number}", "flags": ["read"] * (number % 4)} for number in range(400)
]


@dataclass
class Watch:
    """The longest step: its seconds and its name."""

    longest: float = 0.0
    step: str = ""


@contextmanager
def held() -> Iterator[Watch]:
    """Measures every step of every event loop of this process during the block."""
    gc.freeze()
    watch = Watch()
    run = events.Handle._run

    def timed(handle: asyncio.Handle) -> Any:
        begun = time.thread_time()
        try:
            return run(handle)
        finally:
            taken = time.thread_time() - begun
            if taken > max(watch.longest, LONG):
                taken /= _slowness()
            if taken > watch.longest:
                watch.longest, watch.step = taken, repr(handle)[:300]

    events.Handle._run = timed  # type: ignore[method-assign, assignment]
    try:
        yield watch
    finally:
        events.Handle._run = run  # type: ignore[method-assign]
        gc.unfreeze()


def _slowness() -> float:
    """How many times slower than the reference machine this one is now, at least 1."""
    begun = time.thread_time()
    _reference()
    return max(1.0, (time.thread_time() - begun) / NOMINAL)


def _reference() -> int:
    """Typical work of a server: texts, lists and JSON."""
    size = 0
    for _ in range(20):
        for row in json.loads(json.dumps(_ROWS)):
            size += len(f"{row['id']} {row['name']}".upper()) + len(sorted(row["flags"]))
            size += len({name: str(value) for name, value in row.items()})
    return size


_WAITING: tuple[tuple[Any, str], ...] = (
    (Future, "result"),
    (Future, "exception"),
    (threading.Thread, "join"),
    (time, "sleep"),
    (os, "fsync"),
    (os, "open"),
    (socket, "getaddrinfo"),
)


@contextmanager
def no_blocking_calls() -> Iterator[None]:
    """The calling thread must not wait inside the block; other threads may."""
    thread = threading.get_ident()

    def refused(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(*args: Any, **kwargs: Any) -> Any:
            assert threading.get_ident() != thread, f"{name} was called in the event loop's thread"
            return call(*args, **kwargs)

        return guarded

    with pytest.MonkeyPatch.context() as patch:
        for where, name in _WAITING:
            patch.setattr(where, name, refused(name, getattr(where, name)))
        yield
