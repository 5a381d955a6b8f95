"""Short scripts for two windows of one account, of one home or of two."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random

from narrowcast_api.narrow.destinations import ChannelDestination
from simulation.disk import Home, memory
from simulation.loop import SimulatedClock, SimulatedLoop
from simulation.running import seeded
from simulation.service import Service
from simulation.window import ME, Window

PLACE = ChannelDestination(11, "soup")


@dataclass
class Two:
    """Two windows, of which `first` syncs drafts if they share a home, a draft of `first` that both have, and
    their service.
    """

    service: Service
    first: Window
    second: Window
    draft_id: str = ""

    def drafts(self) -> list[str]:
        """The texts of the drafts on the server, which each open window has too."""
        texts = sorted(draft["content"] for _, draft in self.service.drafts.values())
        for window in (self.first, self.second):
            if window.is_open:
                assert sorted(draft.content for draft in window.session.drafts.all()) == texts
        return texts


def play(
    script: Callable[[Two], Awaitable[None]], *, homes: int = 1, skews: tuple[float, float] = (0.0, 0.0)
) -> None:
    """Runs this without random faults; with two homes the windows are on two devices, whose clocks are
    `skews` seconds ahead.
    """
    loop = SimulatedLoop()
    with seeded(3), memory() as folder:
        clock = SimulatedClock(loop)
        service = Service(clock.now, clock.monotonic)
        places = [Home(folder / f"home-{number}", Random(3), skews[number]) for number in range(homes)]
        first, second = (
            Window(name, ME, service, home, loop, Random(3))
            for name, home in (("first", places[0]), ("second", places[-1]))
        )
        loop.run(_played(script, Two(service, first, second)))


async def _played(script: Callable[[Two], Awaitable[None]], two: Two) -> None:
    for window in (two.first, two.second):
        window.network.trouble = 0.0
        await window.start()
    two.draft_id = two.first.session.drafts.save(None, PLACE, "as it was")
    await asyncio.sleep(10.1)  # a moment after both have checked the journal
    await script(two)
    for window in (two.first, two.second):
        if window.is_open:
            await window.quit()
