"""How long a server's event loop is held by one step, so that nobody else is served.

Processor time of the loop's thread is counted, not the clock: a busy machine makes no test fail. Neither does the
garbage collector, which would look through everything that the tests before have left: that is set aside.

    with held() as watch:
        ...
    assert watch.longest < 0.25
"""

from __future__ import annotations

import asyncio
import gc
import time
from asyncio import events
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


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
            if taken > watch.longest:
                watch.longest, watch.step = taken, repr(handle)[:300]

    events.Handle._run = timed  # type: ignore[method-assign, assignment]
    try:
        yield watch
    finally:
        events.Handle._run = run  # type: ignore[method-assign]
        gc.unfreeze()
