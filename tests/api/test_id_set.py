"""The memory-saving set of ids behaves like any other set."""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from narrowcast_api.model.id_set import IdSet
from narrowcast_api.model.reading import MAX_INT64

IDS = st.lists(st.integers(0, 40) | st.integers(-MAX_INT64, MAX_INT64))


@given(IDS, IDS, st.integers(0, 40))
def test_it_holds_and_gives_what_a_frozenset_does(ids: list[int], others: list[int], one: int) -> None:
    made, same, rest = IdSet(ids), frozenset(ids), frozenset(others)
    assert list(made) == sorted(same)
    assert len(made) == len(same)
    assert made == same
    assert same == made
    assert made == IdSet([*ids, *ids])
    assert hash(made) == hash(same)
    assert (made == rest) == (same == rest)
    assert (made == IdSet(others)) == (same == rest)
    assert (one in made) == (one in same)
    assert made | rest == same | rest
    assert made - rest == same - rest
    assert isinstance(made - rest, IdSet)


def test_invalid_ids_are_not_in_the_set() -> None:
    assert list(IdSet([3, 2**70, -(2**70)])) == [3]
    other: object = "3"
    assert other not in IdSet([3])
    assert 2**70 not in IdSet([3])


def test_ids_of_many_people_take_four_bytes_each() -> None:
    tracemalloc.start()
    try:
        made = IdSet(range(20_000))
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert taken < 5 * len(made)
