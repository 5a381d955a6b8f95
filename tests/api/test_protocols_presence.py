"""Reporting the user's presence."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from narrowcast_api.errors import NotConnected
from narrowcast_api.protocols.presence import PresenceSender
from support.clock import VirtualClock


class Bench:
    """The sender, its clock, and its reports: (active, new input)."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.reports: list[tuple[bool, bool]] = []
        self.online = True
        self.period = 60.0
        self.fails = False
        self.sender = PresenceSender(
            post=self.post, clock=self.clock, period=lambda: self.period, online=lambda: self.online
        )

    async def post(self, active: bool, new_user_input: bool) -> None:
        self.reports.append((active, new_user_input))
        if self.fails:
            raise NotConnected("down")


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    task = asyncio.create_task(made.sender.run())
    await made.clock.settle()
    yield made
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_it_reports_at_the_start_and_then_at_the_period_of_the_server(bench: Bench) -> None:
    assert bench.reports == [(True, True)]
    bench.period = 30.0
    await bench.clock.advance(59)
    assert len(bench.reports) == 1, "the wait that was on was for the old period"
    await bench.clock.advance(31)
    assert bench.reports == [(True, True), (True, False), (True, False)]


async def test_keys_between_two_reports_are_new_input(bench: Bench) -> None:
    bench.sender.key_pressed()
    bench.sender.key_pressed()
    await bench.clock.advance(60)
    assert bench.reports == [(True, True), (True, True)]


async def test_after_five_minutes_without_a_key_the_user_is_idle(bench: Bench) -> None:
    await bench.clock.advance(299)
    assert bench.reports[-1] == (True, False)
    await bench.clock.advance(1)
    assert bench.reports[-1] == (False, False)


async def test_coming_back_is_reported_at_once(bench: Bench) -> None:
    await bench.clock.advance(400)
    before = len(bench.reports)
    bench.sender.key_pressed()
    await bench.clock.settle()
    assert bench.reports[before:] == [(True, True)]


async def test_offline_nothing_is_reported_and_waking_reports(bench: Bench) -> None:
    bench.online = False
    await bench.clock.advance(600)
    assert len(bench.reports) == 1
    bench.online = True
    bench.sender.wake()
    await bench.clock.settle()
    assert len(bench.reports) == 2


async def test_input_of_a_report_that_failed_counts_for_the_next(bench: Bench) -> None:
    bench.sender.key_pressed()
    bench.fails = True
    await bench.clock.advance(60)
    bench.fails = False
    await bench.clock.advance(60)
    assert bench.reports[-1] == (True, True)
