"""How models of the wire are parsed: aliases, numbers in strings, bad items, and the text of errors."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import pytest

from narrowcast_api.model.reading import BadRow
from narrowcast_api.wire.model import Good, GoodList, Id, Seconds, WireModel, either


class Sample(WireModel):
    id: Id
    title: Annotated[str, either("subject", "topic")] = ""
    kind: Literal["a", "b"] = "a"
    at: Seconds | None = None
    done: bool = False
    ids: GoodList[Id] = []  # noqa: RUF012  # msgspec copies empty defaults
    by_id: Good[dict[int, str]] = {}  # noqa: RUF012
    secret: str = ""

    hidden_fields: ClassVar[frozenset[str]] = frozenset({"secret"})


def test_the_preferred_name_wins_and_the_models_own_is_understood() -> None:
    assert Sample.read({"id": 1, "topic": "new", "subject": "old"}).title == "old"
    assert Sample.read({"id": 1, "topic": "new"}).title == "new"
    assert Sample.read({"id": 1, "title": "own"}).title == "own"


def test_numbers_may_stand_in_texts_and_flags_may_be_numbers() -> None:
    read = Sample.read({"id": "7", "at": "1.5", "done": 1})
    assert (read.id, read.at, read.done) == (7, 1.5, True)


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({}, "id"),
        ({"id": None}, "id"),
        ({"id": 2**63}, "id"),
        ({"id": 1, "subject": 5}, "subject"),
        ({"id": 1, "kind": "c"}, "kind"),
        ({"id": 1, "at": float("nan")}, "at"),
    ],
)
def test_an_error_names_the_field_and_not_the_value(row: dict[str, object], field: str) -> None:
    with pytest.raises(BadRow, match=f"^{field}: ") as refused:
        Sample.read({**row, "secret": "canary"})
    assert "canary" not in str(refused.value)
    assert str(2**63) not in str(refused.value)


def test_bad_items_are_left_out_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    read = Sample.read({"id": 1, "ids": [1, "x", 3, None], "by_id": {"1": "one", "x": "no", "2": 2}})
    assert read.ids == [1, 3]
    assert read.by_id == {1: "one"}
    assert [line.split(" is ")[0] for line in caplog.messages] == ["ids 1", "ids 3", "by_id x", "by_id 2"]
    assert Sample.read({"id": 1, "ids": None}).ids == []


def test_what_is_unknown_is_kept_and_null_is_told_from_absent() -> None:
    read = Sample.read({"id": 1, "at": None, "topic": "t", "mood": "good"})
    assert read.unknown_fields == {"mood": "good"}
    assert [read.was_sent(name) for name in ("at", "title", "done", "mood")] == [True, True, False, True]


def test_a_log_shows_neither_hidden_nor_unknown_fields() -> None:
    shown = repr(Sample.read({"id": 1, "secret": "canary", "other": "canary"}))
    assert "canary" not in shown
    assert shown.startswith("Sample(id=1, title='', kind='a'")


def test_a_lenient_reading_takes_the_next_name_or_the_default() -> None:
    read = Sample.read_leniently({"id": 1, "subject": 5, "topic": "fits", "done": "perhaps"})
    assert (read.title, read.done) == ("fits", False)
