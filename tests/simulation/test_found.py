"""What random histories have found, each as a short script."""

from __future__ import annotations

import asyncio
from random import Random

from narrowcast_api.narrow.destinations import ChannelDestination
from simulation.disk import Home, memory
from simulation.loop import SimulatedClock, SimulatedLoop
from simulation.running import seeded
from simulation.service import Service
from simulation.window import ME, Window

PLACE = ChannelDestination(11, "soup")


async def _texts_after_a_race(home: Home, loop: SimulatedLoop) -> list[str]:
    """The drafts of a window after another one wrote on in the same draft at the same moment, and was closed."""
    clock = SimulatedClock(loop)
    service = Service(clock.now, clock.monotonic)
    closed, left = (Window(name, ME, service, home, loop, Random(3)) for name in ("closed", "left"))
    for window in (closed, left):
        window.network.trouble = 0.0
        await window.start()
    draft_id = left.session.drafts.save(None, PLACE, "as it was")
    await asyncio.sleep(5)
    left.session.drafts.save(draft_id, PLACE, "written in the window that is left")
    left.journal_writer.catch_up()
    closed.session.drafts.save(draft_id, PLACE, "written in the window that was closed")
    await closed.quit()
    await asyncio.sleep(30)
    texts = sorted(draft.content for draft in left.session.drafts.all())
    await left.quit()
    return texts


def test_a_window_that_is_closed_keeps_a_draft_that_another_one_was_faster_with() -> None:
    loop = SimulatedLoop()
    try:
        with seeded(3), memory() as folder:
            texts = loop.run_until_complete(_texts_after_a_race(Home(folder, Random(3)), loop))
    finally:
        loop.close()
    assert texts == ["written in the window that is left", "written in the window that was closed"]
