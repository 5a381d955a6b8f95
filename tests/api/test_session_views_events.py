"""How events change views: what is added, what is removed, where unread begins; no network, no server."""

from __future__ import annotations

import asyncio

from narrowcast_api.errors import NotConnected
from narrowcast_api.model.messages import Match
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.narrow.page import Page
from narrowcast_api.sync.message_view import MessageView
from support.live import GENERAL, SOUP, apply, channel_message, message_event
from support.view_bench import ViewBench, message, opened, page, seen


async def test_messages_join_only_where_the_newest_is_known() -> None:
    bench = ViewBench()
    view = await opened(bench, page(1, 2, newest=False))
    view.add(message(9))
    assert seen(view) == ([1, 2], False)
    newer = asyncio.create_task(view.load_newer())
    await asyncio.sleep(0)
    bench.state.messages.put(message(9))
    view.add(message(9))
    await bench.respond(page(3, newest=True))
    await newer
    assert seen(view) == ([1, 2, 3, 9], False), "it came while the page was on its way"


async def test_an_event_that_changes_nothing_notifies_nobody() -> None:
    bench = ViewBench()
    view = await opened(bench, page(1, 2, newest=True))
    before = len(bench.changes)
    view.recheck([1, 2], unknown_join=None)
    view.remove([7])
    assert len(bench.changes) == before


async def test_only_the_server_can_say_whether_an_unknown_message_was_moved_here() -> None:
    bench = ViewBench()
    view = await opened(bench, page(10, 12, newest=True))
    bench.state.messages.remove([12])
    view.recheck([5, 11, 12], unknown_join=None)  # before the known ids, among them, and already there
    view.match_on_server()
    assert len(bench.works) == 1
    await bench.works.pop()
    assert bench.pages.asked_to_match == [11]


async def test_the_server_decides_whether_a_message_matches_a_search_and_if_it_fails_a_gap_remains() -> None:
    bench = ViewBench()
    view = await opened(bench, page(1, newest=True, oldest=True), Narrow.search("barley"))
    bench.pages.matching = {8: Match("<p>barley</p>", "soup")}
    for new in (message(7), message(8)):
        bench.state.messages.put(new)
        view.add(new)
    view.match_on_server()
    await bench.works.pop()
    assert view.ids == (1, 8)
    assert view.matches[8].content == "<p>barley</p>"


async def test_a_view_that_the_server_cannot_judge_may_have_gaps() -> None:
    bench = ViewBench()
    bench.pages.matching = NotConnected("no route")
    view = await opened(bench, page(1, newest=True), Narrow.search("soup"))
    came = message(2)
    bench.state.add_messages([came])
    view.add(came)
    view.match_on_server()
    await bench.works.pop()
    assert (view.ids, view.is_stale) == ((1,), True)


async def test_read_messages_stay_in_a_view_of_unread_ones() -> None:
    bench = ViewBench()
    view = await opened(bench, page(1, 2, newest=True, oldest=True), Narrow.search("is:unread"))
    view.recheck([1, 2], unknown_join=None)
    assert view.ids == (1, 2)


async def test_messages_find_their_conversation_among_many_views_whatever_the_case() -> None:
    bench = ViewBench()
    views = bench.views
    wanted = views.get(Narrow.topic(GENERAL, "SOUP"))
    await bench.serve(wanted.open(), page(1, newest=True))
    for number in range(60):
        views.get(Narrow.topic(GENERAL, f"other {number}"))
        views.get(Narrow.topic(GENERAL, "soup"))
    assert views.get(Narrow.topic(GENERAL, "soup")) is wanted, "used all the time, so not forgotten"
    views.add(message(2))
    assert wanted.ids == (1, 2)


async def test_a_conversation_has_one_view_whatever_the_order_of_its_terms() -> None:
    views = ViewBench().views
    assert views.get(Narrow(SOUP.terms[::-1])) is views.get(SOUP)


async def test_where_more_of_a_channel_can_be_read_its_views_are_stale_and_no_others() -> None:
    bench = ViewBench()
    views = bench.views
    here, elsewhere = views.get(SOUP), views.get(Narrow.topic(GENERAL + 1, "soup"))
    for view in (here, elsewhere):
        await bench.serve(view.open(None), page(1, newest=True))
    assert (here.is_stale, elsewhere.is_stale) == (False, False)
    views.mark_channels_stale({GENERAL})
    assert (here.is_stale, elsewhere.is_stale) == (True, False)


def arrive(bench: ViewBench, view: MessageView, message_id: int, *flags: str) -> None:
    """An event delivers a message, which the session passes to the view."""
    apply(bench.state, message_event(channel_message(message_id), *flags))
    came = bench.state.messages.get(message_id)
    assert came is not None
    view.add(came)


async def test_only_an_unread_message_that_comes_is_the_first_unread_one() -> None:
    bench = ViewBench()
    view = await opened(bench, page(1, newest=True))
    arrive(bench, view, 2, "read")
    line = view.first_unread
    assert line is None
    arrive(bench, view, 3)
    arrive(bench, view, 4)
    assert (view.ids, view.first_unread) == ((1, 2, 3, 4), 3)


async def test_each_opening_begins_where_what_is_unread_now_begins() -> None:
    bench = ViewBench()
    view = await opened(bench, page(1, newest=True))
    for number in (2, 3, 4):
        arrive(bench, view, number)
    assert view.first_unread == 2
    bench.state.show_read([2])
    await view.open()
    assert view.first_unread == 3
    bench.state.messages.put(message(3))  # the server did not flag the message as read, but it counts as read
    bench.state.unreads.remove([3])
    await view.open()
    assert view.first_unread == 4
    changes = len(bench.changes)
    await view.open()
    assert len(bench.changes) == changes, "nothing has changed"


async def test_the_unread_line_stands_above_messages_that_arrive_unseen_but_not_above_those_in_view() -> None:
    bench = ViewBench()
    view = await opened(bench, page(1, newest=True))
    watched = True
    view.is_watched = lambda: watched
    arrive(bench, view, 2)
    assert (view.ids, view.first_unread) == ((1, 2), None)
    watched = False
    arrive(bench, view, 3)
    arrive(bench, view, 4)
    assert view.first_unread == 3, "the first that came unseen"
    bench.state.show_read([2, 3])
    arrive(bench, view, 5)
    assert view.first_unread == 3, "below the line there is something left to read"
    bench.state.show_read([4, 5])
    watched = True
    arrive(bench, view, 6)
    assert view.first_unread == 3
    bench.state.show_read([6])
    watched = False
    arrive(bench, view, 7)
    assert view.first_unread == 7, "all above it was read"


async def test_the_unread_line_is_not_above_messages_whose_read_marks_are_on_their_way() -> None:
    bench = ViewBench()
    view = await opened(bench, page(1, newest=True))
    for number in (2, 3):
        arrive(bench, view, number)
    bench.state.show_read([2, 3])
    view.mark_stale()
    as_on_the_server = Page([message(1, "read"), message(2), message(3)], None, False, True)
    await bench.serve(view.open(), as_on_the_server)
    assert (view.ids, view.first_unread) == ((1, 2, 3), None)


async def test_fetching_the_view_again_moves_the_unread_line_only_to_what_came_meanwhile() -> None:
    bench = ViewBench()
    view = await opened(bench, page(1, newest=True))
    arrive(bench, view, 2)

    async def fetched_again(last: int) -> None:
        await bench.serve(view.refresh(), Page([message(i) for i in range(1, last + 1)], None, False, True))

    bench.state.show_read([2])
    view.mark_stale()
    await fetched_again(2)
    assert view.first_unread == 2, "what was read since stays below the line"
    view.mark_stale()
    arrive(bench, view, 3, "read")
    for number in (4, 5):
        arrive(bench, view, number)
    await fetched_again(5)
    assert view.first_unread == 4
    view.mark_stale()
    bench.state.show_read([4])
    arrive(bench, view, 6)
    await fetched_again(6)
    assert view.first_unread == 4, "below the line there is something left to read"
    bench.state.show_read([5, 6])
    view.mark_stale()
    await bench.serve(view.open(), Page([message(i) for i in range(1, 7)], None, False, True))
    assert view.first_unread is None, "the view was opened again"


async def test_the_unread_line_is_above_a_message_whose_page_comes_before_its_event() -> None:
    bench = ViewBench()
    view = await opened(bench, Page([message(1, "read"), message(2)], None, False, True))
    arrive(bench, view, 2)
    assert (view.ids, view.first_unread) == ((1, 2), 2)
