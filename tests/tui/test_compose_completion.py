"""What compose completes, from the state alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from narrowcast.panes.compose.completion import completions_at, times_at
from narrowcast_api.model.topics import Topic
from support.live import GENERAL, make_state


@pytest.mark.parametrize(
    ("typed", "inserted"),
    [
        ("#general>lu", "#**general>lunch** "),
        ("#gen>lu", "#**general>lunch** "),
        ("#**gen", "#**general** "),
        ("#**general>lu", "#**general>lunch** "),
        ("@every", "@**everyone** "),
        ("@**every", "@**everyone** "),
        ("hello @_**bru", "@_**Bruno"),
    ],
)
def test_completion_takes_parts_of_names_and_what_is_half_written(typed: str, inserted: str) -> None:
    state = make_state()
    state.topics.load(GENERAL, [Topic("lunch", 5)], since=6)
    offered = completions_at(state, typed, len(typed))
    assert offered is not None
    assert offered.start == max(typed.rfind("@"), typed.rfind("#"))
    assert any(one.insert.startswith(inserted) for one in offered.completions)


def test_emoji_are_shown_beside_their_names() -> None:
    offered = completions_at(make_state(), ":tada", 5)
    assert offered is not None
    assert offered.completions[0].label == "\U0001f389 :tada:"
    assert offered.completions[0].insert == ":tada: "


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("at <time:tomorrow 9", [("tomorrow 9", "2026-03-03T09:00:00+00:00")]),
        ("<time:to", [("tomorrow 9:00", "2026-03-03T09:00:00+00:00")]),
        ("<time:2026-12-24 18:00", [("2026-12-24 18:00", "2026-12-24T18:00:00+00:00")]),
        ("<time:sometime", []),
        ("<time:2026-12-24T18:00:00Z>", []),
        ("`<time:tomorrow", []),
    ],
)
def test_a_time_is_completed_from_the_words_for_it(typed: str, offered: list[tuple[str, str]]) -> None:
    now = datetime(2026, 3, 2, 12, tzinfo=UTC).timestamp()
    found = times_at(typed, now, long=True, zone=UTC)
    completions = found.completions if found is not None else ()
    assert [(one.detail, one.insert) for one in completions] == [(by, f"<time:{at}> ") for by, at in offered]
    assert found is None or found.start == typed.index("<time:")


def test_without_words_the_examples_are_offered() -> None:
    now = datetime(2026, 3, 2, 12, tzinfo=UTC).timestamp()
    found = times_at("<time:", now, long=True, zone=UTC)
    assert found is not None
    assert [one.detail for one in found.completions][:3] == ["+2h", "17:30", "tomorrow 9:00"]
