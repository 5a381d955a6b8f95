"""Kills a window at a chosen point, around a journal write or a request; another one takes over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import TypeVar

from narrowcast_api.http.exchange import PreparedRequest
from simulation.disk import Home, memory
from simulation.loop import SimulatedClock, SimulatedLoop
from simulation.running import seeded
from simulation.service import Service
from simulation.window import ME, Window

Result = TypeVar("Result")
AROUND = {"before a write", "after a write", "before the request", "after the request"}


class Scene:
    """Two windows of a home whose networks work.

    The `victim` is killed at point number `fatal`, counted from `begin`; 0: not before `end`. The `other`
    window is open from the beginning, or opened after the victim's end.
    """

    def __init__(self, folder: Path, loop: SimulatedLoop, fatal: int, *, beside: bool) -> None:
        clock = SimulatedClock(loop)
        self.service = Service(clock.now, clock.monotonic)
        home = Home(folder, Random(1))
        self.victim, self.other = (
            Window(name, ME, self.service, home, loop, Random(2)) for name in ("victim", "other")
        )
        self.victim.network.trouble = self.other.network.trouble = 0.0
        self._fatal = fatal
        self._beside = beside
        self.points: list[str] = []

    @property
    def where(self) -> str:
        """For the message of a failure."""
        return f"killed {self.points[-1]}, point {self._fatal}"

    @property
    def was_killed(self) -> bool:
        return 0 < self._fatal <= len(self.points)

    async def open(self) -> None:
        """Opens the windows that exist from the beginning, live."""
        await self.victim.start()
        if self._beside:
            await self.other.start()
        await asyncio.sleep(5)

    def begin(self, path: str) -> None:
        """Starts counting. Requests count as points if they change what is at `path` or below it."""
        writer, network = self.victim.journal_writer, self.victim.network
        writer.before = lambda: self._reached("before a write")
        writer.after = lambda: self._reached("after a write")
        network.before = lambda request: self._request("before", path, request)
        network.after = lambda request: self._request("after", path, request)

    def _request(self, when: str, path: str, request: PreparedRequest) -> None:
        if request.method != "GET" and f"{request.path}/".startswith(f"{path}/"):
            self._reached(f"{when} the request")

    def _reached(self, point: str) -> None:
        self.points.append(point)
        if len(self.points) == self._fatal:
            self.victim.die()

    async def end(self) -> None:
        """Kills the victim, and gives the other window two minutes."""
        await self.victim.kill()
        if not self._beside:
            await self.other.start()
        await asyncio.sleep(120)


def play(act: Callable[[Scene], Awaitable[Result]], fatal: int, *, beside: bool) -> Result:
    """Returns the result of `act` in a scene."""
    loop = SimulatedLoop()

    async def whole(folder: Path) -> Result:
        return await act(Scene(folder, loop, fatal, beside=beside))

    with seeded(7), memory() as folder:
        return loop.run(whole(folder))
