"""Reporting the user's presence."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from narrowcast_api.protocols.presence import PresenceSender
from narrowcast_api.state.changes import PresenceChanged
from support.contexts import make_context
from support.live import ADA, BRUNO, make_state, user


class Bench:
    """The sender, its clock, and its reports: (active, new input)."""

    def __init__(self, folder: Path) -> None:
        self.context = make_context(folder, server_presence_ping_interval_seconds=60)
        self.clock = self.context.time
        self.sender = PresenceSender(self.context)

    @property
    def reports(self) -> list[tuple[bool, bool]]:
        return [
            (sent.params["status"] == "active", sent.params["new_user_input"] == "true")
            for sent in self.context.answers.requests
        ]


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    made = Bench(tmp_path)
    task = asyncio.create_task(made.sender.run())
    await made.clock.settle()
    yield made
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await made.context.close()


async def test_it_reports_at_the_start_and_then_at_the_period_of_the_server(bench: Bench) -> None:
    assert bench.reports == [(True, True)]
    bench.context.state = make_state(server_presence_ping_interval_seconds=30)  # a new snapshot
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
    bench.context.online = False
    await bench.clock.advance(600)
    assert len(bench.reports) == 1
    bench.context.online = True
    bench.sender.wake()
    await bench.clock.settle()
    assert len(bench.reports) == 2


async def test_input_of_a_report_that_failed_counts_for_the_next(bench: Bench) -> None:
    bench.sender.key_pressed()
    bench.context.answers.problem = httpx2.ConnectError("down")
    await bench.clock.advance(60)
    bench.context.answers.problem = None
    await bench.clock.advance(60)
    assert bench.reports[-1] == (True, True)


async def test_a_report_brings_the_presence_of_others_and_the_servers_time(bench: Bench) -> None:
    now = bench.clock.now() + 60
    bench.context.answers.body = {
        "server_timestamp": now + 5.0,
        "presence_last_update_id": 7,
        "presences": {str(BRUNO): {"active_timestamp": now, "idle_timestamp": now}},
    }
    await bench.clock.advance(60)
    assert bench.context.published == [PresenceChanged((BRUNO,))]
    assert bench.context.state.presence.server_offset == 5.0
    await bench.clock.advance(60)
    assert bench.context.answers.requests[-1].params["last_update_id"] == "7"


async def test_a_bot_is_not_reported(tmp_path: Path) -> None:
    context = make_context(tmp_path, realm_users=[user(ADA, "Ada", is_bot=True)])
    task = asyncio.create_task(PresenceSender(context).run())
    await context.time.advance(600)
    assert context.answers.requests == []
    task.cancel()
    await context.close()
