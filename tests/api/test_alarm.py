"""The alarm that wakes loops (outbox, drafts): at a time or by a call, even one made before the wait."""

from __future__ import annotations

import asyncio

import pytest

from narrowcast_api.alarm import Alarm
from support.clock import VirtualClock


@pytest.fixture
def alarm(clock: VirtualClock) -> Alarm:
    return Alarm(clock)


async def wait(alarm: Alarm, clock: VirtualClock, seconds: float | None) -> asyncio.Future[bool]:
    """A wait that has already started."""
    waiting = asyncio.ensure_future(alarm.wait(seconds))
    await clock.settle()
    return waiting


async def test_a_wait_ends_at_its_time_and_not_before(alarm: Alarm, clock: VirtualClock) -> None:
    waiting = await wait(alarm, clock, 5)
    await clock.advance(4.9)
    assert not waiting.done()
    await clock.advance(0.1)
    assert waiting.result() is False


@pytest.mark.parametrize("seconds", [5, None])
async def test_a_ring_ends_a_wait_at_once_and_leaves_no_sleeper(
    alarm: Alarm, clock: VirtualClock, seconds: float | None
) -> None:
    waiting = await wait(alarm, clock, seconds)
    assert not waiting.done()
    alarm.ring()
    alarm.ring()
    await clock.settle()
    assert waiting.result() is True
    assert clock.sleeping == []


async def test_rings_between_two_waits_end_the_next_one_and_no_more(
    alarm: Alarm, clock: VirtualClock
) -> None:
    alarm.ring()
    alarm.ring()
    assert (await wait(alarm, clock, None)).done()
    later = await wait(alarm, clock, None)
    assert not later.done()
    alarm.ring()
    await later


async def test_a_ring_after_the_time_has_come_is_for_the_next_wait(alarm: Alarm, clock: VirtualClock) -> None:
    waiting = await wait(alarm, clock, 5)
    await clock.advance(5)
    assert waiting.done()
    alarm.ring()
    assert (await wait(alarm, clock, None)).done()


async def test_a_wait_that_is_given_up_leaves_no_sleeper_and_no_trace(
    alarm: Alarm, clock: VirtualClock
) -> None:
    waiting = await wait(alarm, clock, 5)
    waiting.cancel()
    await clock.settle()
    assert clock.sleeping == []
    alarm.ring()
    assert (await wait(alarm, clock, None)).done()
