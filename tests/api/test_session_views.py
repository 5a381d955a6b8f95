"""Views by themselves: paging, stale answers, gaps, errors; no network, no server."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any

import pytest

from narrowcast_api.errors import NotConnected
from narrowcast_api.model.messages import Match, Message, read_message
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.narrow.page import Anchor, Page
from narrowcast_api.state.changes import ViewChanged
from narrowcast_api.state.state import State
from narrowcast_api.sync.message_lists import VIEWS_KEPT, Views
from narrowcast_api.sync.message_view import MessageView
from support.live import GENERAL, apply, channel_message, make_state, message_event

SOUP = Narrow.topic(GENERAL, "soup")


def message(message_id: int, *flags: str, topic: str = "soup") -> Message:
    return read_message(channel_message(message_id, topic, flags=list(flags)))


def seen(view: MessageView) -> tuple[list[int], bool]:
    """What is shown, and whether a gap is."""
    return list(view.ids), bool(view.gaps)


def page(*ids: int, anchor: int | None = None, oldest: bool = False, newest: bool = False) -> Page:
    return Page([message(i, "read") for i in ids], anchor, oldest, newest)


class FakeHost:
    """Answers what the test decides, when it decides."""

    def __init__(self) -> None:
        self.state: State = make_state()
        self.asked: list[tuple[Anchor, int, int, bool]] = []
        self.answers: list[asyncio.Future[Page]] = []
        self.matching: dict[int, Match] = {}
        self.changes: list[ViewChanged] = []
        self.works: list[Coroutine[Any, Any, None]] = []
        self.from_cache: list[Message] = []
        self.cached_before: list[int | None] = []
        self.asked_to_match: list[int] = []

    async def fetch(
        self, narrow: Narrow, anchor: Anchor, before: int, after: int, *, include_anchor: bool
    ) -> Page:
        self.asked.append((anchor, before, after, include_anchor))
        answer: asyncio.Future[Page] = asyncio.get_running_loop().create_future()
        self.answers.append(answer)
        found = await answer
        self.state.add_messages(found.messages)
        return found

    async def match(self, narrow: Narrow, message_ids: Sequence[int]) -> Mapping[int, Match]:
        self.asked_to_match.extend(message_ids)
        return {
            message_id: self.matching[message_id] for message_id in message_ids if message_id in self.matching
        }

    def cached(self, narrow: Narrow, before: int | None) -> Sequence[Message]:
        self.cached_before.append(before)
        return [found for found in self.from_cache if before is None or found.id < before]

    def view_changed(self, change: ViewChanged) -> None:
        self.changes.append(change)

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        self.works.append(work)

    async def answer(self, with_page: Page | Exception, which: int = -1) -> None:
        """Answers one of the questions and lets the view take it."""
        await asyncio.sleep(0)
        if isinstance(with_page, Exception):
            self.answers[which].set_exception(with_page)
        else:
            self.answers[which].set_result(with_page)
        for _ in range(3):
            await asyncio.sleep(0)


async def opened(
    host: FakeHost, with_page: Page, narrow: Narrow = SOUP, anchor: Anchor | None = None
) -> MessageView:
    view = Views(host).get(narrow)
    task = asyncio.create_task(view.open(anchor))
    await host.answer(with_page)
    await task
    return view


async def test_opening_asks_for_a_hundred_on_both_sides_of_the_first_unread_message() -> None:
    host = FakeHost()
    view = await opened(host, page(1, 2, 3, anchor=2, newest=True))
    assert host.asked == [("first_unread", 100, 100, True)]
    assert (view.ids, view.anchor, view.gaps, view.loading) == ((1, 2, 3), 2, (), False)


async def test_who_opens_what_is_being_opened_there_waits_for_that() -> None:
    host = FakeHost()
    view = MessageView(SOUP, host)
    first, second = asyncio.create_task(view.open()), asyncio.create_task(view.open())
    await host.answer(page(5, 6))
    await asyncio.gather(first, second)
    assert (len(host.asked), list(view.ids)) == (1, [5, 6])


async def test_what_was_fetched_while_the_first_snapshot_is_under_way_is_not_fetched_again_before_it() -> (
    None
):
    host = FakeHost()
    host.state.from_cache = True
    view = await opened(host, page(5, 6))
    assert view.is_stale
    await view.open()
    assert len(host.asked) == 1
    reloading = asyncio.create_task(view.open("newest"))
    await host.answer(page(5, 6, newest=True))
    await reloading
    assert len(host.asked) == 2, "who asks for it gets it"
    host.state.from_cache = False
    opening = asyncio.create_task(view.open())
    await host.answer(page(5, 6, 7, newest=True))
    await opening
    assert (len(host.asked), list(view.ids), view.is_stale) == (3, [5, 6, 7], False)


async def test_what_was_fetched_early_is_fetched_again_after_the_connection_was_lost() -> None:
    host = FakeHost()
    host.state.from_cache = True
    view = await opened(host, page(5, 6))
    view.lose_touch()
    opening = asyncio.create_task(view.open())
    await host.answer(page(5, 6, 7, newest=True))
    await opening
    assert list(view.ids) == [5, 6, 7]


async def test_near_a_message_that_is_not_there_one_stands_on_the_next() -> None:
    for near, stands_on in ((5, 7), (6, 7), (7, 7), (12, 9)):
        host = FakeHost()
        found = page(3, 4, 7, 9, oldest=True, newest=True)
        view = await opened(host, found, Narrow.search(f"near:{near}"))
        assert host.asked[-1][0] == near
        assert view.anchor == stands_on


async def test_a_further_page_is_asked_for_once_and_without_the_anchor() -> None:
    host = FakeHost()
    view = await opened(host, page(11, 12, anchor=11))
    older = [asyncio.create_task(view.load_older()) for _ in range(3)]
    await host.answer(page(1, 2, oldest=True))
    await asyncio.gather(*older)
    newer = asyncio.create_task(view.load_newer())
    await host.answer(page(21, newest=True))
    await newer
    assert host.asked[1:] == [(11, 100, 0, False), (12, 0, 100, False)]
    assert view.ids == (1, 2, 11, 12, 21)
    await view.load_older()
    await view.load_newer()
    assert len(host.asked) == 3, "both ends are known"


async def test_a_further_page_whose_request_was_cancelled_is_asked_for_again() -> None:
    host = FakeHost()
    view = await opened(host, page(11, 12, anchor=11))
    for load in (view.load_older, view.load_newer):
        cancelled = asyncio.create_task(load())
        await asyncio.sleep(0)
        cancelled.cancel()
        with suppress(asyncio.CancelledError):
            await cancelled
    older = asyncio.create_task(view.load_older())
    await host.answer(page(1, 2, oldest=True))
    newer = asyncio.create_task(view.load_newer())
    await host.answer(page(21, newest=True))
    await asyncio.gather(older, newer)
    assert view.ids == (1, 2, 11, 12, 21)


async def test_an_answer_to_an_older_question_is_thrown_away() -> None:
    host = FakeHost()
    view = Views(host).get(SOUP)
    first = asyncio.create_task(view.open(5))
    await asyncio.sleep(0)
    second = asyncio.create_task(view.open(50))
    await host.answer(page(50, 51, anchor=50), 1)
    await host.answer(page(5, 6, anchor=5), 0)
    await asyncio.gather(first, second)
    assert (view.ids, view.anchor) == ((50, 51), 50)


async def test_a_page_from_before_a_jump_does_not_join_what_came_after_it() -> None:
    host = FakeHost()
    view = await opened(host, page(11, 12, anchor=11))
    older = asyncio.create_task(view.load_older())
    await asyncio.sleep(0)
    jump = asyncio.create_task(view.open(99))
    await host.answer(page(98, 99, anchor=99), 2)
    await host.answer(page(9, 10), 1)
    await asyncio.gather(older, jump)
    assert view.ids == (98, 99)
    assert not view.loading_older


async def test_messages_join_only_where_the_newest_is_known() -> None:
    host = FakeHost()
    view = await opened(host, page(1, 2, newest=False))
    view.add(message(9))
    assert seen(view) == ([1, 2], False)
    newer = asyncio.create_task(view.load_newer())
    await asyncio.sleep(0)
    host.state.messages.put(message(9))
    view.add(message(9))
    await host.answer(page(3, newest=True))
    await newer
    assert seen(view) == ([1, 2, 3, 9], False), "it came while the page was on its way"


async def test_what_was_missed_is_a_gap_until_it_is_fetched_again() -> None:
    host = FakeHost()
    view = await opened(host, page(1, 2, 3, newest=True))
    view.position = 2
    view.lose_touch()
    assert view.gaps == ((3, None),)
    view.add(message(9))
    assert seen(view) == ([1, 2, 3], True)
    again = asyncio.create_task(view.refresh())
    await host.answer(page(1, 2, 7, 9, newest=True))
    await again
    assert host.asked[-1] == (2, 100, 100, True)
    assert seen(view) == ([1, 2, 7, 9], False)
    assert view.anchor == 2


async def test_a_page_that_a_new_snapshot_overtook_is_not_taken_for_the_truth() -> None:
    host = FakeHost()
    view = Views(host).get(SOUP)
    task = asyncio.create_task(view.open())
    await asyncio.sleep(0)
    host.state = make_state()
    await host.answer(page(1, 2, newest=True))
    await task
    assert view.gaps == ((2, None),)


async def test_a_failure_is_kept_for_people_and_the_next_opening_tries_again() -> None:
    host = FakeHost()
    view = Views(host).get(SOUP)
    task = asyncio.create_task(view.open())
    await host.answer(NotConnected("no route"))
    await task
    assert isinstance(view.error, NotConnected)
    assert not view.loading
    assert len(host.changes) == 2, "that it began, and that it failed"
    again = asyncio.create_task(view.open())
    await host.answer(page(1, newest=True))
    await again
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
    host = FakeHost()
    await opened(host, page(1, newest=True), narrow)
    assert [asked[0] for asked in host.asked] == [anchor]


async def test_a_further_page_that_comes_takes_the_error_of_the_one_before_away() -> None:
    host = FakeHost()
    view = await opened(host, page(11, 12))
    for answer in (NotConnected("no route"), page(9, 10)):
        older = asyncio.create_task(view.load_older())
        await host.answer(answer)
        await older
        assert (view.error is None) is isinstance(answer, Page)


async def test_an_error_of_what_was_overtaken_is_nobodys() -> None:
    host = FakeHost()
    view = Views(host).get(SOUP)
    first = asyncio.create_task(view.open(5))
    await asyncio.sleep(0)
    second = asyncio.create_task(view.open(50))
    await host.answer(NotConnected("no route"), 1)
    await host.answer(page(5), 0)
    await asyncio.gather(first, second)
    assert isinstance(view.error, NotConnected)


@pytest.mark.parametrize("found", [page(5, 6), page(oldest=True, newest=True)])
async def test_a_view_with_its_end_still_to_come_or_with_nothing_at_all_is_true_as_well(found: Page) -> None:
    host = FakeHost()
    view = await opened(host, found)
    await view.open()
    assert len(host.asked) == 1


async def test_nobody_is_told_where_nothing_changed() -> None:
    host = FakeHost()
    view = await opened(host, page(1, 2, newest=True))
    before = len(host.changes)
    view.recheck([1, 2])
    view.remove([7])
    assert len(host.changes) == before


async def test_only_the_server_can_say_whether_an_unknown_message_was_moved_here() -> None:
    host = FakeHost()
    view = await opened(host, page(10, 12, newest=True))
    host.state.messages.remove([12])
    view.recheck([5, 11, 12])  # before what is known, within it, and here already
    view.decide()
    assert len(host.works) == 1
    await host.works.pop()
    assert host.asked_to_match == [11]


async def test_a_view_that_is_true_is_not_fetched_again() -> None:
    host = FakeHost()
    view = await opened(host, page(1, 2, 3, newest=True, oldest=True))
    await view.open()
    await view.open(2)
    assert len(host.asked) == 1
    assert view.anchor == 2


async def test_the_cache_is_shown_with_a_gap_and_pages_back_without_a_network() -> None:
    host = FakeHost()
    host.from_cache = [message(i, "read") for i in (5, 6)]
    view = Views(host).get(SOUP)
    assert (view.ids, view.gaps) == ((5, 6), ((6, None),))
    host.from_cache = [message(i, "read") for i in (3, 4)]
    await view.load_older()
    assert view.ids == (3, 4, 5, 6)
    assert (host.asked, host.cached_before) == ([], [None, 5])


async def test_a_muddled_search_is_decided_by_the_server_and_failing_that_leaves_a_gap() -> None:
    host = FakeHost()
    view = await opened(host, page(1, newest=True, oldest=True), Narrow.search("barley"))
    host.matching = {8: Match("<p>barley</p>", "soup")}
    for new in (message(7), message(8)):
        host.state.messages.put(new)
        view.add(new)
    view.decide()
    await host.works.pop()
    assert view.ids == (1, 8)
    assert view.matches[8].content == "<p>barley</p>"


async def test_read_messages_stay_in_a_view_of_unread_ones() -> None:
    host = FakeHost()
    view = await opened(host, page(1, 2, newest=True, oldest=True), Narrow.search("is:unread"))
    view.recheck([1, 2])
    assert view.ids == (1, 2)


async def test_messages_find_their_conversation_among_many_views_whatever_the_case() -> None:
    host = FakeHost()
    views = Views(host)
    wanted = views.get(Narrow.topic(GENERAL, "SOUP"))
    task = asyncio.create_task(wanted.open())
    await host.answer(page(1, newest=True))
    await task
    for number in range(60):
        views.get(Narrow.topic(GENERAL, f"other {number}"))
        views.get(Narrow.topic(GENERAL, "soup"))
    assert views.get(Narrow.topic(GENERAL, "soup")) is wanted, "used all the time, so not forgotten"
    views.add(message(2))
    assert wanted.ids == (1, 2)


async def test_a_refresh_that_overtakes_an_opening_goes_on_with_where_it_was_to_stand() -> None:
    host = FakeHost()
    view = MessageView(SOUP, host)
    opening = asyncio.create_task(view.open("oldest"))
    await asyncio.sleep(0)
    refreshing = asyncio.create_task(view.refresh())
    await asyncio.sleep(0)
    assert [anchor for anchor, *_ in host.asked] == ["oldest", "oldest"]
    await host.answer(page(1), which=0)
    assert not opening.done(), "what it asked for is not there yet"
    await host.answer(page(1, 2, newest=True), which=1)
    await asyncio.gather(opening, refreshing)
    assert seen(view) == ([1, 2], False)


def arrive(host: FakeHost, view: MessageView, message_id: int, *flags: str) -> None:
    """An event brings a message, which the session hands to the view."""
    apply(host.state, message_event(channel_message(message_id), *flags))
    came = host.state.messages.get(message_id)
    assert came is not None
    view.add(came)


async def test_only_an_unread_message_that_comes_is_the_first_unread_one() -> None:
    host = FakeHost()
    view = await opened(host, page(1, newest=True))
    arrive(host, view, 2, "read")
    line = view.first_unread
    assert line is None
    arrive(host, view, 3)
    arrive(host, view, 4)
    assert (view.ids, view.first_unread) == ((1, 2, 3, 4), 3)


async def test_each_opening_begins_where_what_is_unread_now_begins() -> None:
    host = FakeHost()
    view = await opened(host, page(1, newest=True))
    for number in (2, 3, 4):
        arrive(host, view, number)
    assert view.first_unread == 2
    host.state.show_read([2])
    await view.open()
    assert view.first_unread == 3
    host.state.messages.put(message(3))  # the server has not said so of the message, but it counts as read
    host.state.unreads.remove([3])
    await view.open()
    assert view.first_unread == 4
    changes = len(host.changes)
    await view.open()
    assert len(host.changes) == changes, "nothing has changed"


async def test_what_comes_before_the_eyes_of_the_reader_gets_no_line_and_what_comes_unseen_does() -> None:
    host = FakeHost()
    view = await opened(host, page(1, newest=True))
    watched = True
    view.is_watched = lambda: watched
    arrive(host, view, 2)
    assert (view.ids, view.first_unread) == ((1, 2), None)
    watched = False
    arrive(host, view, 3)
    arrive(host, view, 4)
    assert view.first_unread == 3, "the first that came unseen"
    host.state.show_read([2, 3])
    arrive(host, view, 5)
    assert view.first_unread == 3, "below the line there is something left to read"
    host.state.show_read([4, 5])
    watched = True
    arrive(host, view, 6)
    assert view.first_unread == 3
    host.state.show_read([6])
    watched = False
    arrive(host, view, 7)
    assert view.first_unread == 7, "all above it was read"


async def test_a_view_that_the_server_cannot_judge_may_have_gaps() -> None:
    class Unreachable(FakeHost):
        async def match(self, narrow: Narrow, message_ids: Sequence[int]) -> Mapping[int, Match]:
            raise NotConnected("no route")

    host = Unreachable()
    view = await opened(host, page(1, newest=True), Narrow.search("soup"))
    came = message(2)
    host.state.add_messages([came])
    view.add(came)
    views = host.works
    view.decide()
    for work in views:
        await work
    assert (view.ids, view.is_stale) == ((1,), True)


async def test_joining_a_channel_makes_its_views_stale_and_no_others() -> None:
    host = FakeHost()
    views = Views(host)
    here, elsewhere = views.get(SOUP), views.get(Narrow.topic(GENERAL + 1, "soup"))
    for view in (here, elsewhere):
        task = asyncio.create_task(view.open(None))
        await asyncio.sleep(0)
        await host.answer(page(1, newest=True))
        await task
    assert (here.is_stale, elsewhere.is_stale) == (False, False)
    views.joined({GENERAL})
    assert (here.is_stale, elsewhere.is_stale) == (True, False)


async def test_the_view_beside_is_on_screen_too_and_the_oldest_views_are_forgotten() -> None:
    views = Views(FakeHost())
    assert views.on_screen == []
    first, second = views.get(SOUP), views.get(Narrow.topic(GENERAL, "bread"))
    assert views.on_screen == [second]
    views.beside = SOUP
    assert views.on_screen == [second, first]
    others = [views.get(Narrow.topic(GENERAL, f"t{number}")) for number in range(VIEWS_KEPT - 2)]
    assert views.get(Narrow.topic(GENERAL, "bread")) is second, "as many as are kept"
    assert views.on_screen == [second, first], (
        "one that is on screen is kept however long ago it was asked for"
    )
    views.get(Narrow.topic(GENERAL, "one too many"))
    assert first in views.on_screen
    assert views.get(Narrow.topic(GENERAL, "t0")) is not others[0]


async def too_long(
    monkeypatch: pytest.MonkeyPatch, position: int, *, longest: int = 10
) -> tuple[FakeHost, MessageView]:
    """A view of messages 0 to 9 to which one more came, and in which three on either side of the reader are enough."""
    monkeypatch.setattr("narrowcast_api.sync.message_view.LONGEST", longest)
    monkeypatch.setattr("narrowcast_api.sync.message_view.AROUND", 3)
    host = FakeHost()
    view = await opened(host, page(*range(10), oldest=True, newest=True))
    view.position = position
    view.add(message(10))
    return host, view


async def test_a_long_view_forgets_what_is_far_from_a_reader_at_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host, view = await too_long(monkeypatch, 9)
    assert (view.ids, view.found_oldest, view.found_newest) == ((6, 7, 8, 9, 10), False, True)
    assert host.changes[-1].narrow == SOUP
    older = asyncio.create_task(view.load_older())
    await host.answer(page(4, 5))
    await older
    assert list(view.ids) == [4, 5, 6, 7, 8, 9, 10], "it is fetched again when it is wanted"


async def test_a_view_forgets_nothing_before_it_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    _, view = await too_long(monkeypatch, 9, longest=11)
    assert list(view.ids) == list(range(11))
    view.matches = {number: Match("<p>soup</p>", "soup") for number in (5, 6)}
    view.add(message(11))
    assert list(view.ids) == [6, 7, 8, 9, 10, 11]
    assert list(view.matches) == [6]


async def test_a_long_view_keeps_what_is_around_a_reader_who_looks_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host, view = await too_long(monkeypatch, 4)
    assert (view.ids, view.found_oldest, view.found_newest) == ((1, 2, 3, 4, 5, 6), False, False)
    view.add(message(11))
    assert list(view.ids) == [1, 2, 3, 4, 5, 6], "what comes has no place after a hole"
    newer = asyncio.create_task(view.load_newer())
    await host.answer(page(*range(7, 12), newest=True))
    await newer
    assert list(view.ids) == list(range(1, 12))
    assert view.found_newest


async def test_a_long_view_forgets_nothing_while_an_older_page_is_on_its_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host = FakeHost()
    monkeypatch.setattr("narrowcast_api.sync.message_view.LONGEST", 3)
    monkeypatch.setattr("narrowcast_api.sync.message_view.AROUND", 1)
    view = await opened(host, page(5, 6, 7, newest=True))
    older = asyncio.create_task(view.load_older())
    await asyncio.sleep(0)
    view.add(message(8))
    await host.answer(page(3, 4))
    await older
    assert list(view.ids) == [3, 4, 5, 6, 7, 8]
    view.add(message(9))
    assert list(view.ids) == [9]
