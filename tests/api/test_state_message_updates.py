"""Messages, topics and unread counts after edits and moves."""

from __future__ import annotations

import pytest

from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.state.changes import (
    MessagesChanged,
    MessagesMoved,
    UnreadsChanged,
)
from support.live import (
    BRUNO,
    DESIGN,
    GENERAL,
    RANDOM,
    apply,
    channel_message,
    make_state,
    message_event,
)


def move(message_ids: list[int], **fields: object) -> dict[str, object]:
    return {
        "type": "update_message",
        "message_id": message_ids[0],
        "message_ids": message_ids,
        "user_id": BRUNO,
        "edit_timestamp": 1_800_000_500,
        "stream_id": GENERAL,
        "orig_subject": "soup",
        "propagate_mode": "change_all",
        "flags": [],
        **fields,
    }


def test_a_move_takes_messages_unread_and_topics_along() -> None:
    state = make_state()
    apply(state, message_event(channel_message(101)), message_event(channel_message(102)))
    assert UnreadsChanged() in apply(state, move([101, 102], subject="stew"))
    assert state.unreads.topic_ids(GENERAL, "stew") == [101, 102]
    assert [topic.name for topic in state.topics.of(GENERAL)] == ["stew"]
    message = state.messages.get(101)
    assert message is not None
    assert (message.topic, message.moved_at, message.edited_at) == ("stew", 1_800_000_500, None)


def test_messages_of_a_topic_that_is_resolved_are_not_marked_as_moved() -> None:
    state = make_state()
    apply(state, message_event(channel_message(101)), move([101], subject="✔ soup"))
    message = state.messages.get(101)
    assert message is not None
    assert (message.topic, message.moved_at) == ("✔ soup", None)
    apply(state, move([101], orig_subject="✔ soup", subject="soup", new_stream_id=DESIGN))
    message = state.messages.get(101)
    assert message is not None
    assert (message.topic, message.moved_at) == ("soup", 1_800_000_500)


def test_a_pure_channel_move_keeps_the_topic() -> None:
    state = make_state()
    apply(state, message_event(channel_message(101)))
    apply(state, move([101], new_stream_id=DESIGN))
    message = state.messages.get(101)
    assert message is not None
    assert (message.channel_id, message.topic) == (DESIGN, "soup")
    assert state.unreads.topic_ids(DESIGN, "soup") == [101]


def test_a_move_says_from_where_to_where_and_whether_nothing_stayed() -> None:
    state = make_state()
    soup, stew = ChannelDestination(GENERAL, "soup"), ChannelDestination(GENERAL, "stew")
    assert MessagesMoved((101, 102), soup, stew, True, BRUNO) in apply(
        state, move([101, 102], subject="stew")
    )
    assert MessagesMoved((101,), soup, ChannelDestination(DESIGN, "soup"), False, BRUNO) in apply(
        state, move([101], new_stream_id=DESIGN, propagate_mode="change_later")
    )


def test_unread_messages_moved_out_of_ones_channels_are_dropped() -> None:
    state = make_state()
    apply(state, message_event(channel_message(101)))
    apply(state, move([101], new_stream_id=RANDOM))
    assert len(state.unreads) == 0


def test_an_edit_changes_the_content_of_one_message_and_may_mention() -> None:
    state = make_state()
    apply(state, message_event(channel_message(101)), message_event(channel_message(102), "starred"))
    apply(state, move([101, 102], message_id=102, rendered_content="<p>new</p>", flags=["mentioned"]))
    first, second = state.messages.get(101), state.messages.get(102)
    assert first is not None
    assert second is not None
    assert (first.content, first.edited_at) == ("<p>message 101</p>", None)
    assert (second.content, second.edited_at) == ("<p>new</p>", 1_800_000_500)
    assert second.flags == {"starred", "mentioned"}
    assert state.unreads.mentions == {102}


def test_an_edit_that_says_nothing_of_it_leaves_a_message_what_it_was() -> None:
    state = make_state()
    apply(state, message_event(channel_message(101, is_me_message=True)))
    for edit, is_me_message in (
        ({}, True),
        ({"is_me_message": False}, False),
        ({"is_me_message": True}, True),
    ):
        apply(state, move([101], rendered_content="<p>new</p>", **edit))
        message = state.messages.get(101)
        assert message is not None
        assert message.is_me_message is is_me_message


def test_an_edit_is_told_to_whoever_shows_mentions_where_it_begins_or_ends_one_and_no_other() -> None:
    state = make_state()
    apply(state, message_event(channel_message(101)))
    for flags, is_told in (([], False), (["mentioned"], True), (["mentioned"], False), ([], True)):
        edit = move([101], rendered_content="<p>new</p>", flags=flags)
        assert (UnreadsChanged() in apply(state, edit)) is is_told


@pytest.mark.parametrize(
    "told", [{"user_id": None, "edit_timestamp": 5, "rendering_only": True}, {}], ids=["from-114", "before"]
)
def test_a_rendering_alone_is_no_edit(told: dict[str, object]) -> None:
    state = make_state()
    apply(state, message_event(channel_message(101)))
    changes = apply(
        state,
        {
            "type": "update_message",
            "message_id": 101,
            "message_ids": [101],
            "rendered_content": "<p>preview</p>",
            "flags": [],
            **told,
        },
    )
    assert changes == [MessagesChanged((101,))]
    message = state.messages.get(101)
    assert message is not None
    assert (message.content, message.edited_at) == ("<p>preview</p>", None)
