"""Views in isolation: opening, paging, outdated responses, errors; without a network or server."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from narrowcast_api.errors import NotConnected
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.narrow.page import Anchor, Page
from narrowcast_api.sync.message_view import MessageView
from support.live import SOUP, make_state
from support.view_bench import ViewBench, message, opened, page, seen


async def test_opening_asks_for_a_hundred_on_both_sides_of_the_first_unread_message() -> None:
    bench = ViewBench()
    view = await opened(bench, page(1, 2, 3, anchor=2, newest=True))
    assert bench.asked == [("first_unread", 100, 100, True)]
    assert (view.ids, view.anchor, view.gaps, view.loading) == ((1, 2, 3), 2, (), False)


async def test_opening_a_view_that_is_being_opened_at_the_same_place_waits_for_the_first_opening() -> None:
    bench = ViewBench()
    view = MessageView(SOUP, bench, bench.pages)
    first, second = asyncio.create_task(view.open()), asyncio.create_task(view.open())
    await bench.respond(page(5, 6))
    await asyncio.gather(first, second)
    assert (len(bench.asked), list(view.ids)) == (1, [5, 6])


async def test_what_was_fetched_while_the_first_snapshot_is_under_way_is_not_fetched_again_before_it() -> (
    None
):
    bench = ViewBench()
    bench.state.from_cache = True
    view = await opened(bench, page(5, 6))
    assert view.is_stale
    await view.open()
    assert len(bench.asked) == 1
    await bench.serve(view.open("newest"), page(5, 6, newest=True))
    assert len(bench.asked) == 2, "who asks for it gets it"
    bench.state.from_cache = False
    await bench.serve(view.open(), page(5, 6, 7, newest=True))
    assert (len(bench.asked), list(view.ids), view.is_stale) == (3, [5, 6, 7], False)


async def test_what_was_fetched_early_is_fetched_again_after_the_connection_was_lost() -> None:
    bench = ViewBench()
    bench.state.from_cache = True
    view = await opened(bench, page(5, 6))
    view.mark_stale()
    await bench.serve(view.open(), page(5, 6, 7, newest=True))
    assert list(view.ids) == [5, 6, 7]


async def test_opening_near_a_missing_message_selects_the_next_one() -> None:
    for near, stands_on in ((5, 7), (6, 7), (7, 7), (12, 9)):
        bench = ViewBench()
        found = page(3, 4, 7, 9, oldest=True, newest=True)
        view = await opened(bench, found, Narrow.search(f"near:{near}"))
        assert bench.asked[-1][0] == near
        assert view.anchor == stands_on


async def test_a_further_page_is_asked_for_once_and_without_the_anchor() -> None:
    bench = ViewBench()
    view = await opened(bench, page(11, 12, anchor=11))
    older = [asyncio.create_task(view.load_older()) for _ in range(3)]
    await bench.respond(page(1, 2, oldest=True))
    await asyncio.gather(*older)
    await bench.serve(view.load_newer(), page(21, newest=True))
    assert bench.asked[1:] == [(11, 100, 0, False), (12, 0, 100, False)]
    assert view.ids == (1, 2, 11, 12, 21)
    await view.load_older()
    await view.load_newer()
    assert len(bench.asked) == 3, "both ends are known"


async def test_a_further_page_whose_request_was_cancelled_is_asked_for_again() -> None:
    bench = ViewBench()
    view = await opened(bench, page(11, 12, anchor=11))
    for load in (view.load_older, view.load_newer):
        cancelled = asyncio.create_task(load())
        await asyncio.sleep(0)
        cancelled.cancel()
        with suppress(asyncio.CancelledError):
            await cancelled
    older = asyncio.create_task(view.load_older())
    await bench.respond(page(1, 2, oldest=True))
    newer = asyncio.create_task(view.load_newer())
    await bench.respond(page(21, newest=True))
    await asyncio.gather(older, newer)
    assert view.ids == (1, 2, 11, 12, 21)


async def overtaken(*, first_response: Page, second_response: Page | Exception) -> MessageView:
    """A view opened at two messages, one after the other; the response to the second arrives before the first."""
    bench = ViewBench()
    view = bench.views.get(SOUP)
    first = asyncio.create_task(view.open(5))
    await asyncio.sleep(0)
    second = asyncio.create_task(view.open(50))
    await bench.respond(second_response, 1)
    await bench.respond(first_response, 0)
    await asyncio.gather(first, second)
    return view


async def test_a_response_to_an_outdated_request_is_discarded() -> None:
    view = await overtaken(first_response=page(5, 6, anchor=5), second_response=page(50, 51, anchor=50))
    assert (view.ids, view.anchor) == ((50, 51), 50)


async def test_a_page_from_before_a_jump_does_not_join_what_came_after_it() -> None:
    bench = ViewBench()
    view = await opened(bench, page(11, 12, anchor=11))
    older = asyncio.create_task(view.load_older())
    await asyncio.sleep(0)
    jump = asyncio.create_task(view.open(99))
    await bench.respond(page(98, 99, anchor=99), 2)
    await bench.respond(page(9, 10), 1)
    await asyncio.gather(older, jump)
    assert view.ids == (98, 99)
    assert not view.loading_older


async def test_missed_messages_are_a_gap_until_the_view_is_fetched_again() -> None:
    bench = ViewBench()
    view = await opened(bench, page(1, 2, 3, newest=True))
    view.position = 2
    view.mark_stale()
    assert view.gaps == ((3, None),)
    view.add(message(9))
    assert seen(view) == ([1, 2, 3], True)
    await bench.serve(view.refresh(), page(1, 2, 7, 9, newest=True))
    assert bench.asked[-1] == (2, 100, 100, True)
    assert seen(view) == ([1, 2, 7, 9], False)
    assert view.anchor == 2


async def test_a_page_requested_before_a_new_snapshot_leaves_a_gap() -> None:
    bench = ViewBench()
    view = bench.views.get(SOUP)
    task = asyncio.create_task(view.open())
    await asyncio.sleep(0)
    bench.state = make_state()
    await bench.respond(page(1, 2, newest=True))
    await task
    assert view.gaps == ((2, None),)


async def test_a_failure_is_kept_for_people_and_the_next_opening_tries_again() -> None:
    bench = ViewBench()
    view = bench.views.get(SOUP)
    await bench.serve(view.open(), NotConnected("no route"))
    assert isinstance(view.error, NotConnected)
    assert not view.loading
    assert len(bench.changes) == 2, "that it began, and that it failed"
    await bench.serve(view.open(), page(1, newest=True))
    assert seen(view) == ([1], False)
    failed = view.error
    assert failed is None


@pytest.mark.parametrize(
    ("narrow", "anchor"),
    [(SOUP, "first_unread"), (Narrow.all(), "newest"), (Narrow.search("soup"), "newest")],
)
async def test_what_counts_as_read_by_looking_opens_where_one_left_off(
    narrow: Narrow, anchor: Anchor
) -> None:
    bench = ViewBench()
    await opened(bench, page(1, newest=True), narrow)
    assert [asked[0] for asked in bench.asked] == [anchor]


async def test_a_further_page_clears_the_error_of_the_one_before() -> None:
    bench = ViewBench()
    view = await opened(bench, page(11, 12))
    for response in (NotConnected("no route"), page(9, 10)):
        await bench.serve(view.load_older(), response)
        assert (view.error is None) is isinstance(response, Page)


async def test_the_error_of_an_outdated_opening_is_not_shown() -> None:
    view = await overtaken(first_response=page(5), second_response=NotConnected("no route"))
    assert isinstance(view.error, NotConnected)


@pytest.mark.parametrize("found", [page(5, 6), page(oldest=True, newest=True)])
async def test_a_view_without_its_end_or_without_messages_is_up_to_date_too(found: Page) -> None:
    bench = ViewBench()
    view = await opened(bench, found)
    await view.open()
    assert len(bench.asked) == 1


async def test_a_view_that_is_up_to_date_is_not_fetched_again() -> None:
    bench = ViewBench()
    view = await opened(bench, page(1, 2, 3, newest=True, oldest=True))
    await view.open()
    await view.open(2)
    assert len(bench.asked) == 1
    assert view.anchor == 2


async def test_the_cache_is_shown_with_a_gap_and_pages_back_without_a_network() -> None:
    bench = ViewBench()
    bench.pages.from_cache = [message(i, "read") for i in (5, 6)]
    view = bench.views.get(SOUP)
    assert (view.ids, view.gaps) == ((5, 6), ((6, None),))
    bench.pages.from_cache = [message(i, "read") for i in (3, 4)]
    await view.load_older()
    assert view.ids == (3, 4, 5, 6)
    assert (bench.asked, bench.pages.cached_before) == ([], [None, 5])


async def test_a_refresh_during_an_opening_keeps_the_position_that_was_asked_for() -> None:
    bench = ViewBench()
    view = MessageView(SOUP, bench, bench.pages)
    opening = asyncio.create_task(view.open("oldest"))
    await asyncio.sleep(0)
    refreshing = asyncio.create_task(view.refresh())
    await asyncio.sleep(0)
    assert [anchor for anchor, *_ in bench.asked] == ["oldest", "oldest"]
    await bench.respond(page(1), which=0)
    assert not opening.done(), "what it asked for is not there yet"
    await bench.respond(page(1, 2, newest=True), which=1)
    await asyncio.gather(opening, refreshing)
    assert seen(view) == ([1, 2], False)
