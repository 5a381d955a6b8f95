"""What compose completes, from the state alone."""

from __future__ import annotations

import pytest

from narrowcast.panes.compose.completion import completions_at
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
