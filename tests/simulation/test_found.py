"""What random histories have found, each as a short script for two windows of one home."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from random import Random

from narrowcast_api.errors import NarrowcastError
from narrowcast_api.model.messages import Reaction
from narrowcast_api.narrow.destinations import ChannelDestination
from simulation.disk import Home, memory
from simulation.loop import SimulatedClock, SimulatedLoop
from simulation.running import seeded
from simulation.service import Service
from simulation.window import ME, Window

PLACE = ChannelDestination(11, "soup")


@dataclass
class Two:
    """Two windows, of which `first` looks after drafts, a draft that both have, and their service."""

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


def play(script: Callable[[Two], Awaitable[None]]) -> None:
    """Do this where nothing goes wrong by itself."""
    loop = SimulatedLoop()
    with seeded(3), memory() as folder:
        clock = SimulatedClock(loop)
        service = Service(clock.now, clock.monotonic)
        home = Home(folder, Random(3))
        first, second = (Window(name, ME, service, home, loop, Random(3)) for name in ("first", "second"))
        loop.run(_played(script, Two(service, first, second)))


async def _played(script: Callable[[Two], Awaitable[None]], two: Two) -> None:
    for window in (two.first, two.second):
        window.network.trouble = 0.0
        await window.start()
    two.draft_id = two.first.session.drafts.save(None, PLACE, "as it was")
    await asyncio.sleep(10.1)  # a moment after both have looked at the journal
    await script(two)
    for window in (two.first, two.second):
        if window.is_open:
            await window.quit()


def test_a_window_that_is_closed_keeps_a_draft_that_another_one_was_faster_with() -> None:
    async def script(two: Two) -> None:
        two.first.session.drafts.save(two.draft_id, PLACE, "written in the window that is left")
        two.first.journal_writer.catch_up()
        two.second.session.drafts.save(two.draft_id, PLACE, "written in the window that was closed")
        await two.second.quit()
        await asyncio.sleep(30)
        assert two.drafts() == ["written in the window that is left", "written in the window that was closed"]

    play(script)


def test_a_window_that_is_killed_has_kept_a_draft_that_another_one_was_faster_with() -> None:
    async def script(two: Two) -> None:
        two.first.session.drafts.save(two.draft_id, PLACE, "written in the window that is left")
        two.first.journal_writer.catch_up()
        two.second.session.drafts.save(two.draft_id, PLACE, "written in the window that was killed")
        await asyncio.sleep(0.5)
        await two.second.kill()
        await asyncio.sleep(30)
        assert two.drafts() == ["written in the window that is left", "written in the window that was killed"]

    play(script)


def test_a_draft_that_another_window_writes_on_in_is_not_deleted() -> None:
    async def script(two: Two) -> None:
        two.second.session.drafts.save(two.draft_id, PLACE, "written on")
        two.second.journal_writer.catch_up()
        two.first.session.drafts.delete(two.draft_id)
        await asyncio.sleep(30)
        assert two.drafts() == ["written on"]

    play(script)


def test_a_star_that_was_refused_does_not_come_back_with_what_was_done_after_it() -> None:
    async def script(two: Two) -> None:
        message_id = two.service.say(3, ("stream", 11, "soup"), "said")
        await asyncio.sleep(1)
        two.first.network.is_down = True
        two.service.delete(message_id)
        for starred in (True, False):
            with suppress(NarrowcastError):
                await two.first.session.acts.flag(message_id, "starred", starred)
        two.service.expire_queues(ME)
        await asyncio.sleep(1)
        two.first.network.is_down = False
        await asyncio.sleep(120)
        assert two.first.session.acts.waiting == 0
        assert two.first.session.state.starred == set()

    play(script)


def test_a_star_that_is_refused_goes_in_the_other_windows_too() -> None:
    async def script(two: Two) -> None:
        message_id = two.service.say(3, ("stream", 11, "soup"), "said")
        await asyncio.sleep(1)
        two.first.network.is_down = two.second.network.is_down = True
        with suppress(NarrowcastError):
            await two.first.session.acts.flag(message_id, "starred", True)
        await asyncio.sleep(1.1)
        assert two.second.session.state.starred == {message_id}
        two.service.delete(message_id)
        two.first.network.is_down = False
        await asyncio.sleep(60)
        assert two.first.session.state.starred == set()
        assert two.second.session.state.starred == set()

    play(script)


def test_a_star_that_was_refused_does_not_come_back_with_a_reaction_before_it() -> None:
    async def script(two: Two) -> None:
        message_id = two.service.say(3, ("stream", 11, "soup"), "said")
        await asyncio.sleep(1)
        two.first.network.is_down = True
        acts = two.first.session.acts
        for work in (
            acts.reaction(message_id, Reaction("tada", "1f389", "unicode_emoji", ME), True),
            acts.flag(message_id, "starred", True),
        ):
            with suppress(NarrowcastError):
                await work
        two.service.delete(message_id)
        two.service.expire_queues(ME)
        await asyncio.sleep(1)
        two.first.network.is_down = False
        await asyncio.sleep(120)
        assert acts.waiting == 0
        assert two.first.session.state.starred == set()

    play(script)


def test_a_star_that_is_taken_stays_in_the_other_windows() -> None:
    async def script(two: Two) -> None:
        message_id = two.service.say(3, ("stream", 11, "soup"), "said")
        await asyncio.sleep(1)
        two.first.network.is_down = True
        with suppress(NarrowcastError):
            await two.first.session.acts.flag(message_id, "starred", True)
        await asyncio.sleep(1.1)
        two.first.network.is_down = False
        await asyncio.sleep(60)
        assert two.second.session.state.starred == {message_id}

    play(script)
