"""The ids of one view: what is known of its ends, and which ids belong between them."""

from __future__ import annotations

import pytest

from narrowcast_api.state.timeline import Gap, Timeline


@pytest.mark.parametrize(
    ("start", "end", "ids", "found"),
    [
        (-2, 9, (10, 11, 12, 13), (True, True)),
        (0, 4, (10, 11, 12, 13), (True, True)),
        (0, 3, (10, 11, 12), (True, False)),
        (1, 4, (11, 12, 13), (False, True)),
        (1, 3, (11, 12), (False, False)),
        (-1, 2, (10, 11), (True, False)),
    ],
)
def test_forgotten_ids_can_be_fetched_again_and_only_those(
    start: int, end: int, ids: tuple[int, ...], found: tuple[bool, bool]
) -> None:
    timeline = Timeline()
    timeline.replace((10, 11, 12, 13), found_oldest=True, found_newest=True)
    timeline.trim(start, end)
    assert (timeline.ids, (timeline.found_oldest, timeline.found_newest)) == (ids, found)


def test_an_end_that_was_not_known_is_not_known_from_keeping_it() -> None:
    timeline = Timeline()
    timeline.replace((10, 11), found_oldest=False, found_newest=False)
    timeline.trim(0, 2)
    assert (timeline.found_oldest, timeline.found_newest) == (False, False)


def test_a_view_that_was_never_fetched_has_no_known_end() -> None:
    timeline = Timeline()
    assert (timeline.found_oldest, timeline.found_newest, timeline.is_current) == (False, False, False)
    timeline.seed((12, 10))
    assert (timeline.ids, timeline.gaps) == ((10, 12), (Gap(12, None),))
    timeline.replace((10, 11, 12), found_oldest=True, found_newest=True)
    assert (timeline.is_current, timeline.gaps) == (True, ())
    timeline.replace((10, 11), found_oldest=True, found_newest=False)
    assert not timeline.is_current


@pytest.mark.parametrize(
    ("ids", "found_oldest", "found_newest", "covered"),
    [
        ((10, 12), True, True, {9, 10, 11, 12, 13}),
        ((10, 12), True, False, {9, 10, 11, 12}),
        ((10, 12), False, True, {10, 11, 12, 13}),
        ((10, 12), False, False, {10, 11, 12}),
        ((), True, True, {9, 10, 11, 12, 13}),
        ((), True, False, set()),
        ((), False, True, set()),
    ],
)
def test_new_and_moved_ids_join_where_no_page_is_missing_in_between(
    ids: tuple[int, ...], found_oldest: bool, found_newest: bool, covered: set[int]
) -> None:
    timeline = Timeline()
    timeline.replace(ids, found_oldest=found_oldest, found_newest=found_newest)
    assert {message_id for message_id in range(9, 14) if timeline.covers(message_id)} == covered


def test_a_message_that_comes_twice_is_there_once() -> None:
    timeline = Timeline()
    timeline.replace((10, 12), found_oldest=True, found_newest=True)
    assert [timeline.insert(message_id) for message_id in (11, 11, 13, 10)] == [True, False, True, False]
    assert timeline.ids == (10, 11, 12, 13)


def test_a_message_is_taken_out_once() -> None:
    timeline = Timeline()
    timeline.replace((10, 11, 12, 13), found_oldest=True, found_newest=True)
    assert [timeline.remove(gone) for gone in ((11, 14), (11,), (10, 13))] == [True, False, True]
    assert timeline.ids == (12,)
