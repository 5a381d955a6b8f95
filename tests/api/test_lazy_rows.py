"""Rows of a large response that are parsed when they are accessed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from narrowcast_api.errors import MalformedResponse
from narrowcast_api.http.lazy_rows import LazyRows
from narrowcast_api.http.safe_json import parse_object
from narrowcast_api.model.reading import rows
from narrowcast_api.state.snapshots import cacheable
from narrowcast_api.state.state import State
from narrowcast_api.storage.codec import from_json, to_json
from support.live import snapshot, user

PADDING = b" " * 2**20


def large(people: bytes) -> Sequence[Any]:
    """The lazy list of a response that is large enough to have one."""
    value = parse_object(b'{"people": ' + people + b', "n": 1}' + PADDING, "people")
    assert value["n"] == 1
    found = value["people"]
    assert isinstance(found, LazyRows)
    return found


def test_each_row_is_what_it_would_have_been() -> None:
    people = [user(number, f"Person {number} 🙂") for number in range(200)]
    lazy = large(json.dumps(people).encode())
    assert len(lazy) == 200
    assert list(lazy) == people == list(lazy)
    assert (lazy[7], lazy[-1], lazy[5:9]) == (people[7], people[-1], people[5:9])
    assert list(rows(lazy)) == people


@pytest.mark.parametrize(
    ("row", "read"),
    [
        (b'{"full_name": "\xff"}', {"full_name": "\ufffd"}),
        (b'"no row"', "no row"),
    ],
    ids=["broken text", "no object"],
)
def test_a_row_that_is_broken_costs_no_other(row: bytes, read: object) -> None:
    lazy = large(b'[{"user_id": 1}, ' + row + b', {"user_id": 2}]')
    assert list(lazy) == [{"user_id": 1}, read, {"user_id": 2}]
    assert [one["user_id"] for one in rows(lazy) if "user_id" in one] == [1, 2]


def test_rows_are_found_by_a_field_also_where_only_the_careful_reader_can_tell() -> None:
    lazy = large(
        b'[{"user_id": 1, "n": [1]}, {"n": 2}, {"user_id": [1]}, {"user_id": "1"}, 5,'
        b' {"user_id": 3, "full_name": "\xff"}, {"n": "\xff"}, {"user_id": ["\xff"]},'
        b' {"user_id": 4, "user_id": 1}]'
    )
    assert isinstance(lazy, LazyRows)
    assert lazy.select("user_id", {1, 3}) == [
        {"user_id": 1, "n": [1]},
        {"user_id": 3, "full_name": "\ufffd"},
        {"user_id": 1},
    ]


@pytest.mark.parametrize("people", [None, {"a": 1}, "text", 5])
def test_a_value_that_is_not_a_list_stays_as_it_is(people: object) -> None:
    assert parse_object(json.dumps({"people": people}).encode() + PADDING, "people") == {"people": people}


def test_a_response_nested_too_deeply_is_rejected_as_usual() -> None:
    with pytest.raises(MalformedResponse):
        parse_object(b'{"people": [' + b"[" * 50_000 + b"]" * 50_000 + b"]}" + PADDING, "people")


def test_a_small_response_has_a_list() -> None:
    assert parse_object(b'{"people": [1]}', "people") == {"people": [1]}


def test_a_state_and_what_is_cached_of_it_are_the_same_as_of_a_list() -> None:
    whole = snapshot(realm_users=[user(number, f"Person {number}") for number in range(1, 50)])
    lazy = parse_object(json.dumps(whole).encode() + PADDING, "realm_users")
    assert isinstance(lazy["realm_users"], LazyRows)
    assert list(State.from_snapshot(lazy).users) == list(State.from_snapshot(whole).users)
    assert from_json(to_json(cacheable(lazy))) == from_json(to_json(cacheable(whole)))
