"""What views keep in memory: a limited number of views, and of a long one the part near the reader's
position.
"""

from __future__ import annotations

import asyncio

import pytest

from narrowcast_api.model.messages import Match
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.changes import ViewChanged
from narrowcast_api.sync.message_lists import MAX_VIEWS
from narrowcast_api.sync.message_view import MessageView
from support.live import GENERAL, SOUP
from support.view_bench import ViewBench, message, opened, page


async def test_the_view_beside_is_on_screen_too_and_the_oldest_views_are_forgotten() -> None:
    views = ViewBench().views
    assert views.on_screen == []
    first, second = views.get(SOUP), views.get(Narrow.topic(GENERAL, "bread"))
    assert views.on_screen == [second]
    views.beside = SOUP
    assert views.on_screen == [second, first]
    others = [views.get(Narrow.topic(GENERAL, f"t{number}")) for number in range(MAX_VIEWS - 2)]
    assert views.get(Narrow.topic(GENERAL, "bread")) is second, "as many as are kept"
    assert views.on_screen == [second, first], (
        "one that is on screen is kept however long ago it was asked for"
    )
    views.get(Narrow.topic(GENERAL, "one too many"))
    assert first in views.on_screen
    assert views.get(Narrow.topic(GENERAL, "t0")) is not others[0]


async def too_long(
    monkeypatch: pytest.MonkeyPatch, position: int, *, longest: int = 10
) -> tuple[ViewBench, MessageView]:
    """A view of messages 0 to 9 plus a new one, which keeps three on either side of the reader's position."""
    monkeypatch.setattr("narrowcast_api.sync.message_view.MAX_LENGTH", longest)
    monkeypatch.setattr("narrowcast_api.sync.message_view.KEPT_AROUND", 3)
    bench = ViewBench()
    view = await opened(bench, page(*range(10), oldest=True, newest=True))
    view.position = position
    view.add(message(10))
    return bench, view


async def test_a_long_view_forgets_what_is_far_from_a_reader_at_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench, view = await too_long(monkeypatch, 9)
    assert (view.ids, view.found_oldest, view.found_newest) == ((6, 7, 8, 9, 10), False, True)
    assert bench.changes[-1] == ViewChanged(SOUP)
    await bench.serve(view.load_older(), page(4, 5))
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
    bench, view = await too_long(monkeypatch, 4)
    assert (view.ids, view.found_oldest, view.found_newest) == ((1, 2, 3, 4, 5, 6), False, False)
    view.add(message(11))
    assert list(view.ids) == [1, 2, 3, 4, 5, 6], "what comes has no place after a hole"
    await bench.serve(view.load_newer(), page(*range(7, 12), newest=True))
    assert list(view.ids) == list(range(1, 12))
    assert view.found_newest


async def test_a_long_view_forgets_nothing_while_an_older_page_is_on_its_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = ViewBench()
    monkeypatch.setattr("narrowcast_api.sync.message_view.MAX_LENGTH", 3)
    monkeypatch.setattr("narrowcast_api.sync.message_view.KEPT_AROUND", 1)
    view = await opened(bench, page(5, 6, 7, newest=True))
    older = asyncio.create_task(view.load_older())
    await asyncio.sleep(0)
    view.add(message(8))
    await bench.respond(page(3, 4))
    await older
    assert list(view.ids) == [3, 4, 5, 6, 7, 8]
    view.add(message(9))
    assert list(view.ids) == [9]
