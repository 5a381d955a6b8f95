"""Finds the first message since a point in time, among any number of messages, with a few small pages. Quick to import.

Ids increase with time, so the position is interpolated between the ids of the two nearest known messages;
every second guess bisects instead, for histories of uneven density. A million messages take a handful of
pages, and the server does not need to support dates.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from narrowcast_api.narrow.page import Page

__all__ = ["HALF_PAGE", "MAX_PAGES", "first_since"]

HALF_PAGE = 25
"""Number of messages requested before and after each guess."""
MAX_PAGES = 60
"""Number of guesses after which the nearest message found is returned, if ids and times are inconsistent."""

Fetch = Callable[[int | str, int, int], Awaitable["Page"]]
"""Fetches a page of a view: anchor, number of messages before it, number of messages from it on."""


class _Mark(NamedTuple):
    id: int
    at: float


async def first_since(fetch: Fetch, at: float) -> int | None:
    """Returns the id of the first message not older than `at` (seconds, UTC); None if there is none.

    Raises the errors of `fetch`.
    """
    page = await fetch("newest", 2 * HALF_PAGE, 0)
    low, high = _around(_marks(page), at)
    if high is None:
        return None
    if low is None and not page.found_oldest:
        low, first = _around(_marks(await fetch("oldest", 0, 2 * HALF_PAGE)), at)
        if low is not None and first is None:
            return await _narrowed(fetch, low, high, at)
        high = first or high
    return high.id


async def _narrowed(fetch: Fetch, low: _Mark, high: _Mark, at: float) -> int:
    """The id of the first message since `at`, which is after `low` and not after `high`."""
    for number in range(MAX_PAGES):
        marks = _marks(await fetch(_guess(low, high, at, halve=number % 2 == 1), HALF_PAGE, HALF_PAGE))
        for before, after in pairwise(marks):
            if before.at < at <= after.at:
                return after.id
        between = [low, *(mark for mark in marks if low.id < mark.id < high.id), high]
        nearest = _around(between, at)
        if nearest[0] is None or nearest[1] is None or nearest == (low, high):
            break
        low, high = nearest[0], nearest[1]
    return high.id


def _marks(page: Page) -> list[_Mark]:
    return [_Mark(message.id, message.timestamp) for message in page.messages]


def _around(marks: Iterable[_Mark], at: float) -> tuple[_Mark | None, _Mark | None]:
    """The first mark not older than `at`, and the mark before it."""
    before = None
    for mark in marks:
        if mark.at >= at:
            return before, mark
        before = mark
    return before, None


def _guess(low: _Mark, high: _Mark, at: float, *, halve: bool) -> int:
    share = 0.5 if halve or high.at <= low.at else (at - low.at) / (high.at - low.at)
    return min(high.id - 1, max(low.id + 1, low.id + round((high.id - low.id) * share)))
