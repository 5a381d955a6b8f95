"""The disk of one window: writes are done a moment later, and a crash keeps what was written until then."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from random import Random
from typing import Any

from simulation.loop import SimulatedLoop

SLOWEST = 0.05
"""Seconds that a write may take to begin."""


class SlowWriter(Executor):
    """Does what it is given in order, each a moment later; at once when `hurry` is set; never after `crash`."""

    def __init__(self, loop: SimulatedLoop, chance: Random) -> None:
        self._loop = loop
        self._chance = chance
        self._waiting: list[tuple[Future[Any], Callable[[], Any]]] = []
        self.hurry = False
        self._crashed = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._waiting.append((future, lambda: fn(*args, **kwargs)))
        if self.hurry:
            self.catch_up()
        else:
            self._loop.call_later(self._chance.uniform(0.0, SLOWEST), self._next)
        return future

    def _next(self) -> None:
        if self._waiting and not self._crashed:
            future, work = self._waiting.pop(0)
            future.set_result(work())

    def catch_up(self) -> None:
        """Do everything now."""
        while self._waiting and not self._crashed:
            self._next()

    def crash(self) -> None:
        """What waits is never done."""
        self._crashed = True


class Disk:
    """The folder of one window over its lives."""

    def __init__(self, folder: Path, loop: SimulatedLoop, chance: Random) -> None:
        self._root = folder
        self._loop = loop
        self._chance = chance
        self._life = 0
        self.writers: list[SlowWriter] = []

    @property
    def folder(self) -> Path:
        return self._root / f"life-{self._life}"

    def writer(self, _name: str) -> Executor:
        """A `MakeExecutor`."""
        writer = SlowWriter(self._loop, self._chance)
        self.writers.append(writer)
        return writer

    def hurry(self) -> None:
        """From now on writes are done at once: the program ends in order."""
        for writer in self.writers:
            writer.hurry = True
            writer.catch_up()

    def crash(self) -> None:
        """The machine stops: the next life finds the files as they are now, with the torn end of a write."""
        for writer in self.writers:
            writer.crash()
        self.writers.clear()
        before = self.folder
        self._life += 1
        shutil.copytree(before, self.folder)
        for log in self.folder.rglob("*.db-wal"):
            with log.open("ab") as file:
                file.write(self._chance.randbytes(self._chance.randrange(0, 5000)))
        for log in self.folder.rglob("cache.db-wal"):  # not synced: its end may be missing
            with log.open("r+b") as file:
                file.truncate(self._chance.randrange(0, log.stat().st_size + 1))
