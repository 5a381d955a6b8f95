"""How messages join views when only the server knows whether they match, when they are not in memory, and
while a page is being fetched; no network, no server.
"""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from narrowcast_api.errors import NotConnected
from narrowcast_api.model.messages import Match
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.sync.message_lists import Views
from narrowcast_api.sync.message_view import MAX_UNDECIDED, MessageView
from support.live import DESIGN, GENERAL, SOUP
from support.view_bench import ViewBench, message, opened, page

SEARCH = Narrow.search("barley")


async def many_views(bench: ViewBench) -> Views:
    """Views of other conversations, of starred messages and of a search, which is on screen, all completely loaded."""
    views = bench.views
    others = [Narrow.direct(frozenset({number})) for number in range(10, 40)]
    for narrow in (*others, Narrow.topic(GENERAL, "stew"), Narrow.channel(DESIGN), Narrow.starred(), SEARCH):
        await bench.serve(views.get(narrow).open(), page(1, oldest=True, newest=True))
    return views


async def test_an_unknown_message_that_moves_elsewhere_is_asked_about_for_searches_only() -> None:
    bench = ViewBench()
    views = await many_views(bench)
    views.recheck_places([123], ChannelDestination(GENERAL, "✔ soup"))
    views.match_on_server()
    assert len(bench.works) == 1
    await bench.works.pop()
    assert bench.pages.asked_to_match == [123]


async def test_a_conversation_is_fetched_again_after_unknown_messages_were_moved_there() -> None:
    bench = ViewBench()
    views = bench.views
    target, source = views.get(SOUP), views.get(Narrow.topic(GENERAL, "stew"))
    for view in (target, source):
        await bench.serve(view.open(), page(1, 9, newest=True))
    views.recheck_places([5, 6], ChannelDestination(GENERAL, "soup"))
    views.match_on_server()
    assert (target.is_stale, source.is_stale, bench.works) == (True, False, [])


async def test_a_conversation_that_is_being_opened_is_requested_again_when_unknown_messages_move_there() -> (
    None
):
    bench = ViewBench()
    views = bench.views
    view = views.get(SOUP)
    opening = asyncio.create_task(view.open())
    await asyncio.sleep(0)
    views.recheck_places([5], ChannelDestination(GENERAL, "soup"))
    refreshing = asyncio.create_task(bench.works.pop())
    await bench.respond(page(1, newest=True), which=0)
    await bench.respond(page(1, 5, newest=True), which=1)
    await asyncio.gather(opening, refreshing)
    assert (view.ids, view.is_stale) == ((1, 5), False)


async def test_a_moved_message_that_a_view_shows_already_or_has_not_reached_changes_nothing() -> None:
    bench = ViewBench()
    views = bench.views
    view = views.get(SOUP)
    await bench.serve(view.open(), page(10, 12, newest=True))
    bench.state.messages.remove([12])
    views.recheck_places([5, 12], ChannelDestination(GENERAL, "soup"))
    assert not view.is_stale


async def test_messages_that_are_read_or_starred_elsewhere_are_not_asked_about() -> None:
    bench = ViewBench()
    views = await many_views(bench)
    views.recheck_flags([123], "read", is_set=True)
    views.recheck_flags([123], "starred", is_set=False)
    views.match_on_server()
    assert bench.works == []
    starred = views.get(Narrow.starred())
    assert not starred.is_stale
    views.recheck_flags([123], "starred", is_set=True)
    assert starred.is_stale, "the message has to be fetched"


async def test_an_unknown_message_that_was_edited_is_asked_about_for_searches_only() -> None:
    bench = ViewBench()
    views = await many_views(bench)
    views.recheck_contents([123])
    views.match_on_server()
    assert len(bench.works) == 1
    await bench.works.pop()


async def test_a_known_message_that_was_edited_so_that_it_matches_joins_a_search() -> None:
    bench = ViewBench()
    views = await many_views(bench)
    bench.pages.matching = {5: Match("<p>barley</p>", "soup")}
    bench.state.messages.put(message(5))
    views.recheck_reactions([5])
    views.recheck_flags([5], "starred", is_set=True)
    views.match_on_server()
    assert bench.works == [], "only the content can make it match"
    views.recheck_contents([5])
    views.match_on_server()
    await bench.works.pop()
    assert views.get(SEARCH).ids == (1, 5)


async def test_a_search_that_is_not_on_screen_is_fetched_again_when_it_is_instead_of_asking_each_time() -> (
    None
):
    bench = ViewBench()
    views = await many_views(bench)
    search, _ = views.get(SEARCH), views.get(SOUP)
    arriving = message(9)
    bench.state.messages.put(arriving)
    views.add(arriving)
    views.match_on_server()
    assert (search.is_stale, bench.works) == (True, [])
    await bench.serve(views.get(SEARCH).open(), page(1, 9, oldest=True, newest=True))
    assert (search.ids, search.is_stale) == ((1, 9), False)


async def test_a_search_that_is_being_opened_is_requested_again_if_matching_a_new_message_fails() -> None:
    bench = ViewBench()
    bench.pages.matching = NotConnected("no route")
    views = bench.views
    search = views.get(SEARCH)
    opening = asyncio.create_task(search.open())
    await asyncio.sleep(0)
    bench.state.messages.put(message(9))
    search.add(message(9))
    views.match_on_server()
    await bench.works.pop()
    refreshing = asyncio.create_task(bench.works.pop())
    await bench.respond(page(1, newest=True), which=0)
    await bench.respond(page(1, 9, newest=True), which=1)
    await asyncio.gather(opening, refreshing)
    assert (search.ids, search.is_stale) == ((1, 9), False)


@pytest.mark.parametrize("number", [MAX_UNDECIDED, MAX_UNDECIDED + 1])
async def test_a_search_is_fetched_again_rather_than_asking_about_very_many_messages(number: int) -> None:
    bench = ViewBench()
    view = await opened(bench, page(1, oldest=True, newest=True), SEARCH)
    view.recheck(range(1000, 1000 + number), unknown_join=None)
    view.match_on_server()
    assert view.is_stale is (number > MAX_UNDECIDED)
    for work in bench.works:
        await work
    assert len(bench.pages.asked_to_match) == (0 if view.is_stale else number)


async def searched(bench: ViewBench) -> MessageView:
    """A search that is opened in the middle of what it finds; message 301 will match."""
    bench.pages.matching = {301: Match("<p>barley</p>", "soup")}
    return await opened(bench, page(1, 2, oldest=True), SEARCH)


async def arrives_and_matches(bench: ViewBench, view: MessageView, message_id: int) -> None:
    bench.state.messages.put(message(message_id, "read"))
    view.add(message(message_id, "read"))
    view.match_on_server()
    await bench.works.pop()


async def test_a_match_that_arrives_while_a_page_before_it_is_fetched_leaves_no_hole() -> None:
    bench = ViewBench()
    view = await searched(bench)
    newer = asyncio.create_task(view.load_newer())
    await asyncio.sleep(0)
    await arrives_and_matches(bench, view, 301)
    await bench.respond(page(3, 4))
    await newer
    assert (view.ids, view.found_newest) == ((1, 2, 3, 4), False)
    await bench.serve(view.load_newer(), page(5, 301, newest=True))
    assert view.ids == (1, 2, 3, 4, 5, 301)


async def test_a_match_that_the_last_page_lacks_is_shown_below_it() -> None:
    bench = ViewBench()
    view = await searched(bench)
    newer = asyncio.create_task(view.load_newer())
    await asyncio.sleep(0)
    await arrives_and_matches(bench, view, 301)
    await bench.respond(page(3, newest=True))
    await newer
    assert view.ids == (1, 2, 3, 301)


async def test_a_match_stays_with_its_highlights_when_the_page_requested_before_it_arrives() -> None:
    bench = ViewBench()
    view = await searched(bench)
    opening = asyncio.create_task(view.open("newest"))
    await asyncio.sleep(0)
    await arrives_and_matches(bench, view, 301)
    await bench.respond(page(2, 3, newest=True))
    await opening
    assert (view.ids, view.matches) == ((2, 3, 301), {301: Match("<p>barley</p>", "soup")})


async def test_a_message_moved_here_stays_when_the_page_requested_before_the_move_arrives() -> None:
    bench = ViewBench()
    view = await opened(bench, page(1, 5, newest=True))
    refreshing = asyncio.create_task(view.refresh())
    await asyncio.sleep(0)
    bench.state.messages.put(message(3, "read"))
    view.recheck([3], unknown_join=True)
    await bench.respond(page(1, 5, newest=True))
    await refreshing
    assert view.ids == (1, 3, 5)


async def test_a_message_that_arrives_and_moves_away_during_the_opening_is_not_shown() -> None:
    bench = ViewBench()
    view = bench.views.get(SOUP)
    opening = asyncio.create_task(view.open())
    await asyncio.sleep(0)
    arriving = message(9, "read")
    bench.state.messages.put(arriving)
    view.add(arriving)
    bench.state.messages.put(replace(arriving, topic="stew"))
    await bench.respond(page(1, newest=True))
    await opening
    assert view.ids == (1,)
