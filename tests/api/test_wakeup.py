"""What wakes the loops of the outbox and of drafts: at a time or by a call, even one made before the wait."""

from __future__ import annotations

import asyncio

import pytest

from narrowcast_api.clock import Wakeup
from support.clock import VirtualClock


@pytest.fixture
def wakeup(clock: VirtualClock) -> Wakeup:
    return Wakeup(clock)


async def wait(wakeup: Wakeup, clock: VirtualClock, seconds: float | None) -> asyncio.Future[bool]:
    """A wait that has already started."""
    waiting = asyncio.ensure_future(wakeup.wait(seconds))
    await clock.settle()
    return waiting


async def test_a_wait_ends_at_its_time_and_not_before(wakeup: Wakeup, clock: VirtualClock) -> None:
    waiting = await wait(wakeup, clock, 5)
    await clock.advance(4.9)
    assert not waiting.done()
    await clock.advance(0.1)
    assert waiting.result() is False


@pytest.mark.parametrize("seconds", [5, None])
async def test_a_wakeup_ends_a_wait_at_once_and_leaves_no_sleeper(
    wakeup: Wakeup, clock: VirtualClock, seconds: float | None
) -> None:
    waiting = await wait(wakeup, clock, seconds)
    assert not waiting.done()
    wakeup.set()
    wakeup.set()
    await clock.settle()
    assert waiting.result() is True
    assert clock.sleeping == []


async def test_calls_between_two_waits_end_the_next_one_and_no_more(
    wakeup: Wakeup, clock: VirtualClock
) -> None:
    wakeup.set()
    wakeup.set()
    assert (await wait(wakeup, clock, None)).done()
    later = await wait(wakeup, clock, None)
    assert not later.done()
    wakeup.set()
    await later


async def test_a_wakeup_after_the_time_has_come_is_for_the_next_wait(
    wakeup: Wakeup, clock: VirtualClock
) -> None:
    waiting = await wait(wakeup, clock, 5)
    await clock.advance(5)
    assert waiting.done()
    wakeup.set()
    assert (await wait(wakeup, clock, None)).done()


async def test_a_wait_that_is_given_up_leaves_no_sleeper_and_no_trace(
    wakeup: Wakeup, clock: VirtualClock
) -> None:
    waiting = await wait(wakeup, clock, 5)
    waiting.cancel()
    await clock.settle()
    assert clock.sleeping == []
    wakeup.set()
    assert (await wait(wakeup, clock, None)).done()
