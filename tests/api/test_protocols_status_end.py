"""A status is cleared when it expires, by whichever window then runs, and only if it is still the same."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from narrowcast_api.errors import BadRequest
from narrowcast_api.protocols.status_end import StatusEnd
from narrowcast_api.resources.status import Status
from support.clock import VirtualClock
from support.contexts import make_context
from support.live import ADA


class Bench:
    """A window and a server that has one status."""

    def __init__(self, folder: Path, clock: VirtualClock | None = None) -> None:
        self.context = make_context(folder, clock)
        self.clock = self.context.time
        self.journal = self.context.journal
        self.has(Status("at lunch", "pizza"))
        self.end = StatusEnd(self.context)

    def has(self, status: Status | None) -> None:
        """Gives the user a status, as an event would."""
        fields = {"status_text": "", "emoji_name": ""}
        if status is not None:
            fields = {"status_text": status.text, "emoji_name": status.emoji_name}
        self.context.state.statuses.update(ADA, fields)

    @property
    def cleared(self) -> int:
        """How often the server was told that there is no status."""
        return len(self.context.answers.accepted)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.ensure_future(self.end.run())
        yield
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await self.context.close()

    def lunch(self, seconds: float) -> None:
        """Sets a status that expires after that time."""
        self.end.set(self.clock.now() + seconds, "at lunch", "pizza")


async def test_it_is_cleared_at_its_time_and_once(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    async with bench.running():
        bench.lunch(600)
        await bench.clock.advance(599)
        assert bench.cleared == 0
        await bench.clock.advance(2)
        assert (bench.cleared, bench.journal.load_status_end()) == (1, None)
        await bench.clock.advance(600)
        assert bench.cleared == 1


async def test_a_window_that_starts_later_clears_it(tmp_path: Path) -> None:
    first = Bench(tmp_path)
    first.lunch(600)
    await first.context.close()
    later = Bench(tmp_path, first.clock)
    await first.clock.advance(3600)
    assert later.end.is_due
    async with later.running():
        await later.clock.settle()
        assert later.cleared == 1
        assert not later.end.is_due


@pytest.mark.parametrize("now", [None, Status("back"), Status("at lunch")])
async def test_another_status_is_left_alone(tmp_path: Path, now: Status | None) -> None:
    bench = Bench(tmp_path)
    async with bench.running():
        bench.lunch(600)
        bench.has(now)
        await bench.clock.advance(601)
        assert (bench.cleared, bench.journal.load_status_end()) == (0, None)


async def test_without_a_connection_it_is_cleared_when_there_is_one(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    async with bench.running():
        bench.lunch(60)
        bench.context.online = False
        await bench.clock.advance(600)
        bench.context.online = True
        bench.context.answers.problem = httpx2.ConnectError("no route")
        bench.end.wake()
        await bench.clock.advance(1)
        assert bench.end.is_due
        bench.context.answers.problem = None
        await bench.clock.advance(60)
        assert bench.cleared == 1


async def test_a_refusal_is_not_repeated(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.context.answers.problem = BadRequest("BAD_REQUEST", "no")
    async with bench.running():
        bench.lunch(60)
        await bench.clock.advance(61)
        assert not bench.end.is_due


async def test_another_window_learns_of_the_expiry_and_clears_the_status_when_the_first_has_ended(
    tmp_path: Path,
) -> None:
    first = Bench(tmp_path)
    second = Bench(tmp_path, first.clock)
    first.lunch(60)
    second.end.on_journal(second.journal.refresh().result())
    await first.context.close()
    async with second.running():
        await second.clock.advance(61)
        assert second.cleared == 1
