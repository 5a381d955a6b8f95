"""Which views an event makes stale; no network, no server."""

from __future__ import annotations

from typing import Any

import pytest

from narrowcast_api.events.parsing import parse_event
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.apply import apply
from narrowcast_api.sync.message_lists import update_views
from support.live import GENERAL, SOUP, make_state
from support.view_bench import ViewBench, page


def channel_setting(name: str, value: object) -> dict[str, Any]:
    return {
        "type": "subscription",
        "op": "update",
        "stream_id": GENERAL,
        "property": name,
        "value": value,
    }


FOLLOWED = {"type": "user_topic", "stream_id": GENERAL, "topic_name": "soup", "visibility_policy": 3}
MUTED_TOPICS = {"type": "muted_topics", "muted_topics": [["general", "soup", 1]]}


async def stale_after(event: dict[str, Any], narrow: Narrow, level: int = 442) -> bool:
    bench = ViewBench()
    bench.state = make_state(zulip_feature_level=level)
    views = bench.views
    view = views.get(narrow)
    await bench.serve(view.open(), page(1, newest=True))
    parsed = parse_event({"id": 0, **event})
    update_views(views, bench.state, parsed, apply(bench.state, parsed))
    return view.is_stale


@pytest.mark.parametrize("text", ["is:followed", "-is:followed", "is:muted", "in:home"])
@pytest.mark.parametrize(
    "event", [FOLLOWED, channel_setting("is_muted", True), channel_setting("in_home_view", False)]
)
async def test_views_of_what_is_followed_or_muted_are_fetched_again_when_that_changes(
    text: str, event: dict[str, Any]
) -> None:
    assert await stale_after(event, Narrow.search(text))


@pytest.mark.parametrize(
    ("event", "narrow", "level"),
    [
        (FOLLOWED, SOUP, 442),
        (FOLLOWED, Narrow.search("is:unread"), 442),
        (channel_setting("color", "#112233"), Narrow.search("is:muted"), 442),
        (MUTED_TOPICS, Narrow.search("is:muted"), 134),
    ],
)
async def test_events_that_change_no_membership_leave_a_view_as_it_is(
    event: dict[str, Any], narrow: Narrow, level: int
) -> None:
    assert not await stale_after(event, narrow, level)


async def test_the_list_of_muted_topics_of_old_servers_makes_views_stale_too() -> None:
    assert await stale_after(MUTED_TOPICS, Narrow.search("is:muted"), level=133)
