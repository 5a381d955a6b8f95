"""The ids of one view: what is known of its ends when a part of it is forgotten."""

from __future__ import annotations

import pytest

from narrowcast_api.state.timeline import Timeline


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
def test_what_is_forgotten_can_be_asked_for_again_and_only_that(
    start: int, end: int, ids: tuple[int, ...], found: tuple[bool, bool]
) -> None:
    timeline = Timeline()
    timeline.replace((10, 11, 12, 13), found_oldest=True, found_newest=True)
    timeline.keep(start, end)
    assert (timeline.ids, (timeline.found_oldest, timeline.found_newest)) == (ids, found)


def test_an_end_that_was_not_known_is_not_known_from_keeping_it() -> None:
    timeline = Timeline()
    timeline.replace((10, 11), found_oldest=False, found_newest=False)
    timeline.keep(0, 2)
    assert (timeline.found_oldest, timeline.found_newest) == (False, False)
