"""Runs complete histories: one by its seed, and shrinking a failing one."""

from __future__ import annotations

import random as randomness
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random

from narrowcast_api.events import stream
from narrowcast_api.sync import journal_watcher
from simulation.disk import memory
from simulation.history import LOOK_EVERY, History, Report
from simulation.loop import SimulatedLoop
from simulation.plan import Act
from simulation.window import Window

CLOCK_CHECK_EVERY = 30.0
"""Seconds between two checks for a suspended machine: in the simulation its clocks never differ."""


def run(
    seed: int,
    acts: Sequence[Act] | None = None,
    *,
    kind: type[Window] = Window,
    history: type[History] = History,
) -> Report:
    """Runs the history of a seed, or only the given actions; `kind` is the class of all windows but the last."""
    loop = SimulatedLoop()
    with seeded(seed), memory() as folder, kind.using_time_of(loop):
        return loop.run(history(seed, folder, loop, kind).run(history.plan(seed) if acts is None else acts))


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seeds the library's own random numbers, which are not passed in, with the same seed."""
    numbers = Random(seed)
    state, token_hex = randomness.getstate(), secrets.token_hex
    look_every, journal_watcher.LOOK_EVERY = journal_watcher.LOOK_EVERY, LOOK_EVERY
    clocks_every, stream.CLOCK_CHECK_EVERY = stream.CLOCK_CHECK_EVERY, CLOCK_CHECK_EVERY
    randomness.seed(seed)
    secrets.token_hex = lambda size=8: numbers.randbytes(size or 8).hex()  # type: ignore[assignment]
    try:
        yield
    finally:
        secrets.token_hex = token_hex
        journal_watcher.LOOK_EVERY = look_every
        stream.CLOCK_CHECK_EVERY = clocks_every
        randomness.setstate(state)


def shrunk(seed: int, *, kind: type[Window] = Window, history: type[History] = History) -> list[Act]:
    """Returns the fewest actions of a failing seed that still fail: larger and smaller runs of them are left
    out in turn.
    """
    acts = history.plan(seed)
    size = max(1, len(acts) // 2)
    while size:
        start = 0
        while start < len(acts):
            fewer = acts[:start] + acts[start + size :]
            if run(seed, fewer, kind=kind, history=history).problems:
                acts = fewer
            else:
                start += size
        size //= 2
    return acts
