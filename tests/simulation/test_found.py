"""What random histories have found, each as a short script for two windows of one home."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random

from narrowcast_api.narrow.destinations import ChannelDestination
from simulation.disk import Home, memory
from simulation.loop import SimulatedClock, SimulatedLoop
from simulation.running import seeded
from simulation.service import Service
from simulation.window import ME, Window

PLACE = ChannelDestination(11, "soup")

Script = Callable[[Window, Window, str], Awaitable[None]]
"""What happens in the window that looks after drafts, and in the other one, with a draft of both."""


def drafts_after(script: Script) -> list[str]:
    """The texts of the drafts that are on the server and in each window that is open, some time later."""
    loop = SimulatedLoop()
    try:
        with seeded(3), memory() as folder:
            return loop.run_until_complete(_played(script, Home(folder, Random(3)), loop))
    finally:
        loop.close()


async def _played(script: Script, home: Home, loop: SimulatedLoop) -> list[str]:
    clock = SimulatedClock(loop)
    service = Service(clock.now, clock.monotonic)
    first, second = (Window(name, ME, service, home, loop, Random(3)) for name in ("first", "second"))
    for window in (first, second):
        window.network.trouble = 0.0
        await window.start()
    draft_id = first.session.drafts.save(None, PLACE, "as it was")
    await asyncio.sleep(10.1)  # a moment after both have looked at the journal
    await script(first, second, draft_id)
    await asyncio.sleep(30)
    texts = sorted(draft["content"] for _, draft in service.drafts.values())
    assert sorted(draft.content for draft in first.session.drafts.all()) == texts
    await first.quit()
    if second.is_open:
        assert sorted(draft.content for draft in second.session.drafts.all()) == texts
        await second.quit()
    return texts


def test_a_window_that_is_closed_keeps_a_draft_that_another_one_was_faster_with() -> None:
    async def script(first: Window, second: Window, draft_id: str) -> None:
        first.session.drafts.save(draft_id, PLACE, "written in the window that is left")
        first.journal_writer.catch_up()
        second.session.drafts.save(draft_id, PLACE, "written in the window that was closed")
        await second.quit()

    assert drafts_after(script) == [
        "written in the window that is left",
        "written in the window that was closed",
    ]


def test_a_draft_that_another_window_writes_on_in_is_not_deleted() -> None:
    async def script(first: Window, second: Window, draft_id: str) -> None:
        second.session.drafts.save(draft_id, PLACE, "written on")
        second.journal_writer.catch_up()
        first.session.drafts.delete(draft_id)

    assert drafts_after(script) == ["written on"]
