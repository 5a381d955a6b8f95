"""How long a server's event loop is held by one step, so that nobody else is served.

Processor time of the loop's thread is counted, not the clock: a busy machine makes no test fail. Neither does a slow
one, or one whose processors are shared and slow for a moment: a step that takes long is followed by work that is
always the same, and the seconds are those of a machine on which that takes `NOMINAL`. Neither does the garbage
collector, which would look through everything that the tests before have left: that is set aside.

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
"""Seconds that `_yardstick` takes where nothing else runs, on the machine for which the bounds were set."""
LONG = 0.1
"""Seconds: shorter steps are not worth a second look."""
_ROWS = [
    {"id": number, "name": f"person {number}", "flags": ["read"] * (number % 4)} for number in range(400)
]


@dataclass
class Watch:
    """What was seen: seconds, and the step that took longest."""

    longest: float = 0.0
    step: str = ""


@contextmanager
def held() -> Iterator[Watch]:
    """Watches every step of every event loop of this process while the block runs."""
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
    """How many times as long as on that machine things take now; a faster one is no reason to ask for more."""
    begun = time.thread_time()
    _yardstick()
    return max(1.0, (time.thread_time() - begun) / NOMINAL)


def _yardstick() -> int:
    """What servers do: texts, lists and JSON."""
    size = 0
    for _ in range(20):
        for row in json.loads(json.dumps(_ROWS)):
            size += len(f"{row['id']} {row['name']}".upper()) + len(sorted(row["flags"]))
            size += len({name: str(value) for name, value in row.items()})
    return size
