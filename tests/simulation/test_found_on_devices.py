"""Bugs that random histories have found on two devices, whose clocks may differ, each as a short script."""

from __future__ import annotations

import asyncio

import pytest

from simulation.two_windows import PLACE, Two, play
from simulation.window import ME

SKEWED = [(0.0, -7200.0), (-7200.0, 0.0), (0.0, 300.0), (86_400.0, -75.0)]


@pytest.mark.parametrize("skews", SKEWED)
def test_two_devices_write_in_turn_whatever_their_clocks_say_and_nothing_is_copied(
    skews: tuple[float, float],
) -> None:
    async def script(two: Two) -> None:
        for number in range(3):
            for window in (two.first, two.second):
                (draft,) = window.session.drafts.all()
                text = f"written anew in {window.name}, {number}"
                window.session.drafts.save(draft.draft_id, PLACE, text)
                await asyncio.sleep(15)
                assert two.drafts() == [text]
                assert abs(window.session.drafts.all()[0].edited - window.clock.now()) < 20

    play(script, homes=2, skews=skews)


@pytest.mark.parametrize("skews", SKEWED)
def test_two_devices_that_write_at_once_keep_both_texts_whatever_their_clocks_say(
    skews: tuple[float, float],
) -> None:
    async def script(two: Two) -> None:
        for window in (two.first, two.second):
            (draft,) = window.session.drafts.all()
            window.session.drafts.save(draft.draft_id, PLACE, f"written in {window.name}")
        await asyncio.sleep(60)
        assert two.drafts() == ["written in first", "written in second"]

    play(script, homes=2, skews=skews)


@pytest.mark.parametrize("skews", [(0.0, 0.0), (86_400.0, 0.0), (0.0, 86_400.0)])
def test_long_texts_that_two_devices_write_at_once_while_their_queues_expire_are_both_kept(
    skews: tuple[float, float],
) -> None:
    texts = {name: f"written in {name}" + " word" * 1990 for name in ("first", "second")}

    async def script(two: Two) -> None:
        for length in (4, 12, 5000, 10_000):
            for window in (two.first, two.second):
                drafts = window.session.drafts.all()
                own = next((one for one in drafts if one.content[:12] == texts[window.name][:12]), drafts[0])
                window.session.drafts.save(own.draft_id, PLACE, texts[window.name][:length])
            await asyncio.sleep(0.4)
            two.service.expire_queues(ME)
        await asyncio.sleep(120)
        assert two.drafts() == [*texts.values()]

    play(script, homes=2, skews=skews)


def test_a_clock_that_is_set_between_two_edits_copies_nothing() -> None:
    async def script(two: Two) -> None:
        (draft,) = two.first.session.drafts.all()
        two.first.session.drafts.save(draft.draft_id, PLACE, "written at three")
        await asyncio.sleep(15)
        two.second.clock.jump(-7200.0)
        await asyncio.sleep(610)  # until the server has sent its time again
        (draft,) = two.second.session.drafts.all()
        two.second.session.drafts.save(draft.draft_id, PLACE, "written anew at one")
        await asyncio.sleep(15)
        assert two.drafts() == ["written anew at one"]

    play(script, homes=2)
