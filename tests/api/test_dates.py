"""The first message at or after a moment is found with a few pages, however many messages there are."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narrowcast_api.model.messages import Message
from narrowcast_api.narrow.dates import HALF_PAGE, MAX_PAGES, first_since
from narrowcast_api.narrow.page import Page
from support.properties import examples


class History:
    """Messages by id and time, in pages as a server returns them; counts the requests."""

    def __init__(self, marks: Sequence[tuple[int, int]]) -> None:
        self.marks = marks
        self.ids = [message_id for message_id, _ in marks]
        self.asked = 0

    async def fetch(self, anchor: int | str, before: int, after: int) -> Page:
        self.asked += 1
        place = {"newest": len(self.ids), "oldest": 0}.get(str(anchor))
        if place is None:
            place = bisect_left(self.ids, int(anchor))
        start, end = max(0, place - before), place + after
        return Page(
            [Message(number, 2, "Bruno", "", at, "") for number, at in self.marks[start:end]],
            found_oldest=start == 0,
            found_newest=end >= len(self.ids),
        )

    def first_since(self, at: float) -> int | None:
        """The expected result, by a linear search of all messages."""
        return next((number for number, when in self.marks if when >= at), None)


async def test_a_moment_among_a_million_messages_takes_a_handful_of_pages() -> None:
    history = History([(3 * number, 1_000 + 60 * number) for number in range(1_000_000)])
    for at in (1_000, 1_001, 30_000_000, 59_999_999, 60_000_940):
        history.asked = 0
        assert await first_since(history.fetch, at) == history.first_since(at)
        assert history.asked <= 4


async def test_years_of_silence_and_days_of_noise_take_few_pages_too() -> None:
    quiet = [(number, 1_000_000 * number) for number in range(1, 2_000)]
    noisy = [(10_000 + number, 2_000_000_000 + number // 1_000) for number in range(300_000)]
    history = History([*quiet, *noisy])
    for at in (5, 999_000_000, 1_999_000_000, 2_000_000_000, 2_000_000_001, 2_000_000_299):
        history.asked = 0
        assert await first_since(history.fetch, at) == history.first_since(at)
        assert history.asked <= 30


@pytest.mark.parametrize("marks", [[], [(7, 100)]])
async def test_no_message_is_found_if_all_are_older(marks: list[tuple[int, int]]) -> None:
    assert await first_since(History(marks).fetch, 101) is None


@examples(100)
@given(
    st.lists(st.tuples(st.integers(1, 50), st.integers(0, 90)), max_size=400), st.floats(0, 40_000), st.data()
)
async def test_the_first_message_since_a_moment_is_found_in_any_history(
    steps: list[tuple[int, int]], at: float, data: st.DataObject
) -> None:
    marks: list[tuple[int, int]] = []
    number, when = 0, 0
    for step, seconds in steps:
        number, when = number + step, when + seconds
        marks.append((number, when))
    history = History(marks)
    assert await first_since(history.fetch, at) == history.first_since(at)
    disorder = History([(one, data.draw(st.integers(0, 9_999))) for one, _ in marks])
    assert await first_since(disorder.fetch, at) in {None, *disorder.ids}
    assert disorder.asked <= MAX_PAGES + 2 < HALF_PAGE * 10
