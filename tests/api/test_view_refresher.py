"""Views on screen are brought up to date: after missed events, and after a fetch that failed temporarily."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from narrowcast_api.errors import BadRequest, NotConnected
from narrowcast_api.events.status import ConnectionKind, ConnectionStatus
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.sync.message_view import MessageView
from narrowcast_api.sync.view_refresher import ViewRefresher
from support.clock import VirtualClock
from support.live import GENERAL, SOUP
from support.view_bench import ViewBench, opened, page

STEW = Narrow.topic(GENERAL, "stew")


@asynccontextmanager
async def refreshing(bench: ViewBench, clock: VirtualClock) -> AsyncIterator[ViewRefresher]:
    refresher = ViewRefresher(bench, bench.views)
    running = asyncio.create_task(refresher.run())
    refresher.wake()
    await clock.settle()
    yield refresher
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def failed_view(bench: ViewBench, error: Exception) -> MessageView:
    view = bench.views.get(SOUP)
    await bench.serve(view.open(), error)
    assert view.error is error
    return view


async def test_a_view_that_could_not_be_fetched_is_fetched_again_at_longer_and_longer_intervals(
    clock: VirtualClock,
) -> None:
    bench = ViewBench(clock)
    view = await failed_view(bench, NotConnected("no network"))
    async with refreshing(bench, clock) as refresher:
        assert len(bench.asked) == 2
        for tries, pause in ((2, 1.0), (3, 2.0)):
            await bench.respond(NotConnected("no network"))
            await clock.advance(pause - 0.1)
            assert len(bench.asked) == tries
            await clock.advance(0.1)
            assert len(bench.asked) == tries + 1
        await bench.respond(NotConnected("no network"))
        refresher.wake()
        await clock.settle()
        assert len(bench.asked) == 5, "the connection is live again"
        await bench.respond(page(1, 2, newest=True))
        await clock.advance(60)
        assert (len(bench.asked), list(view.ids), view.error) == (5, [1, 2], None)


async def test_what_the_server_refuses_is_not_asked_again(clock: VirtualClock) -> None:
    bench = ViewBench(clock)
    await failed_view(bench, BadRequest("BAD_REQUEST", "Invalid narrow"))
    async with refreshing(bench, clock):
        await clock.advance(60)
        assert len(bench.asked) == 1


async def test_without_a_connection_nothing_is_asked_until_there_is_one(clock: VirtualClock) -> None:
    bench = ViewBench(clock)
    await failed_view(bench, NotConnected("no network"))
    live, bench.status = bench.status, ConnectionStatus(ConnectionKind.OFFLINE, clock.now())
    async with refreshing(bench, clock) as refresher:
        await clock.advance(60)
        assert len(bench.asked) == 1
        bench.status = live
        refresher.wake()
        await clock.settle()
        assert len(bench.asked) == 2


async def test_a_view_that_fails_does_not_hold_up_the_one_beside_it(clock: VirtualClock) -> None:
    bench = ViewBench(clock)
    bench.views.beside = STEW
    beside = await opened(bench, page(1, newest=True), STEW)
    beside.mark_stale()
    await failed_view(bench, NotConnected("no network"))
    async with refreshing(bench, clock):
        assert len(bench.asked) == 3
        await bench.respond(page(1, 2, newest=True))
        await clock.settle()
        assert (len(bench.asked), list(beside.ids)) == (4, [1, 2])


async def test_a_view_on_screen_is_fetched_again_when_it_becomes_outdated(clock: VirtualClock) -> None:
    bench = ViewBench(clock)
    view = await opened(bench, page(1, newest=True))
    async with refreshing(bench, clock):
        assert len(bench.asked) == 1
        view.mark_outdated()
        await clock.settle()
        assert len(bench.asked) == 2
