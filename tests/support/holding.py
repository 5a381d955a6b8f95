"""Measures how long one step blocks a server's event loop, so that nothing else is served.

Only processor time of the loop's thread counts, so that a busy machine makes no test fail. A slow machine
makes none fail either: a long step is followed by a fixed amount of work, and the result is scaled to a
machine on which that takes `NOMINAL` seconds. The garbage collector is switched off, since it would scan
everything that earlier tests left.

    with held() as watch:
        ...
    assert watch.longest < 0.25
"""

from __future__ import annotations

import asyncio
import gc
import json
import time
from asyncio import events
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

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
