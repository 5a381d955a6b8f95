"""Views on screen are brought up to date: after missed events, and after a fetch that failed temporarily."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from narrowcast_api.errors import BadRequest, NotConnected
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.sync.message_lists import Views
from narrowcast_api.sync.message_view import MessageView
from narrowcast_api.sync.view_refresher import ViewRefresher
from support.clock import VirtualClock
from support.live import GENERAL, SOUP
from support.view_host import ViewHost, opened, page

STEW = Narrow.topic(GENERAL, "stew")


@dataclass
class Screen:
    """The views that a session has on screen."""

    views_on_screen: Sequence[MessageView]
    is_live: bool = True


@asynccontextmanager
async def refreshing(screen: Screen, clock: VirtualClock) -> AsyncIterator[ViewRefresher]:
    refresher = ViewRefresher(screen, clock)
    running = asyncio.create_task(refresher.run())
    refresher.ring()
    await clock.settle()
    yield refresher
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def failed_view(host: ViewHost, error: Exception) -> MessageView:
    view = Views(host).get(SOUP)
    await host.serve(view.open(), error)
    assert view.error is error
    return view


async def test_a_view_that_could_not_be_fetched_is_fetched_again_at_longer_and_longer_intervals(
    clock: VirtualClock,
) -> None:
    host = ViewHost()
    view = await failed_view(host, NotConnected("no network"))
    async with refreshing(Screen([view]), clock) as refresher:
        assert len(host.asked) == 2
        for tries, pause in ((2, 1.0), (3, 2.0)):
            await host.respond(NotConnected("no network"))
            await clock.advance(pause - 0.1)
            assert len(host.asked) == tries
            await clock.advance(0.1)
            assert len(host.asked) == tries + 1
        await host.respond(NotConnected("no network"))
        refresher.wake()
        await clock.settle()
        assert len(host.asked) == 5, "the connection is live again"
        await host.respond(page(1, 2, newest=True))
        await clock.advance(60)
        assert (len(host.asked), list(view.ids), view.error) == (5, [1, 2], None)


async def test_what_the_server_refuses_is_not_asked_again(clock: VirtualClock) -> None:
    host = ViewHost()
    view = await failed_view(host, BadRequest("BAD_REQUEST", "Invalid narrow"))
    async with refreshing(Screen([view]), clock):
        await clock.advance(60)
        assert len(host.asked) == 1


async def test_without_a_connection_nothing_is_asked_until_there_is_one(clock: VirtualClock) -> None:
    host = ViewHost()
    screen = Screen([await failed_view(host, NotConnected("no network"))], is_live=False)
    async with refreshing(screen, clock) as refresher:
        await clock.advance(60)
        assert len(host.asked) == 1
        screen.is_live = True
        refresher.wake()
        await clock.settle()
        assert len(host.asked) == 2


async def test_a_view_that_fails_does_not_hold_up_the_one_beside_it(clock: VirtualClock) -> None:
    failing, missing = ViewHost(), ViewHost()
    beside = await opened(missing, page(1, newest=True), STEW)
    beside.mark_stale()
    async with refreshing(Screen([await failed_view(failing, NotConnected("no network")), beside]), clock):
        assert (len(failing.asked), len(missing.asked)) == (1, 2)
        await missing.respond(page(1, 2, newest=True))
        await clock.settle()
        assert (len(failing.asked), list(beside.ids)) == (2, [1, 2])
