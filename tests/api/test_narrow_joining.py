"""Whether messages that are not in memory join a narrow when they are moved, flagged or edited."""

from __future__ import annotations

import pytest

from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.joining import joins_by_edit, joins_by_flag, joins_by_move
from narrowcast_api.narrow.narrow import Narrow
from support.live import BRUNO, DESIGN, GENERAL, make_state


@pytest.mark.parametrize(
    ("narrow", "joins"),
    [
        (Narrow.all(), False),
        (Narrow.topic(GENERAL, "SOUP"), True),
        (Narrow.topic(GENERAL, "stew"), False),
        (Narrow.topic(DESIGN, "soup"), False),
        (Narrow.channel(GENERAL), True),
        (Narrow.direct(frozenset({BRUNO})), False),
        (Narrow.directs(), False),
        (Narrow.search("-is:dm"), True),
        (Narrow.search("-topic:soup"), False),
        (Narrow.search("is:resolved"), False),
        (Narrow.search("is:followed"), True),
        (Narrow.search("is:muted"), False),
        (Narrow.search("topic:soup sender:bruno"), None),
        (Narrow.search("topic:stew sender:bruno"), False),
        (Narrow.search("in:home"), None),
        (Narrow.search("channels:public"), None),
        (Narrow.search("barley"), None),
        (Narrow.search("topic:stew barley"), False),
        (Narrow.starred(), False),
        (Narrow.search("sender:bruno"), False),
        (Narrow.search("has:link"), False),
    ],
)
def test_a_moved_message_joins_the_narrows_of_its_new_place_only(narrow: Narrow, joins: bool | None) -> None:
    state = make_state(user_topics=[{"stream_id": GENERAL, "topic_name": "soup", "visibility_policy": 3}])
    assert joins_by_move(narrow, ChannelDestination(GENERAL, "soup"), state) is joins


@pytest.mark.parametrize(
    ("text", "flag", "is_set", "joins"),
    [
        ("is:unread", "read", True, False),
        ("is:unread", "read", False, True),
        ("-is:unread", "read", True, True),
        ("is:starred", "starred", True, True),
        ("is:starred", "starred", False, False),
        ("-is:starred", "starred", False, True),
        ("is:starred", "read", True, False),
        ("is:mentioned", "read", False, False),
        ("is:starred", "collapsed", True, False),
        ("sender:bruno is:starred", "starred", True, None),
        ("sender:bruno", "starred", True, False),
    ],
)
def test_a_message_joins_by_a_flag_only_the_narrows_that_want_it(
    text: str, flag: str, is_set: bool, joins: bool | None
) -> None:
    assert joins_by_flag(Narrow.search(text), flag, is_set=is_set) is joins


@pytest.mark.parametrize(
    ("text", "joins"),
    [
        ("barley", None),
        ("channel:general has:link", None),
        ("is:mentioned", None),
        ("is:alerted", None),
        ("mentions:bruno", None),
        ("is:starred", False),
        ("sender:bruno", False),
    ],
)
def test_only_the_server_knows_whether_an_edited_message_joins_a_narrow_about_contents(
    text: str, joins: bool | None
) -> None:
    assert joins_by_edit(Narrow.search(text)) is joins
