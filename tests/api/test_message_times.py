"""When a message was edited and when it was moved, from the fields of any server."""

from __future__ import annotations

from typing import Any

import pytest

from narrowcast_api.model.messages import read_message
from support.live import channel_message

RESOLVED = {"timestamp": 50, "topic": "✔ soup", "prev_topic": "soup"}
RENAMED = {"timestamp": 40, "topic": "soup", "prev_topic": "stew"}
CHANNEL = {"timestamp": 30, "stream": 11, "prev_stream": 12}
EDITED = {"timestamp": 20, "prev_content": "old"}


def times(topic: str, *history: dict[str, Any], **fields: int) -> tuple[int | None, int | None]:
    message = read_message(channel_message(101, topic, edit_history=list(history), **fields))
    return message.edited_at, message.moved_at


@pytest.mark.parametrize("fields", [{}, {"last_edit_timestamp": 50}])
def test_resolving_a_topic_neither_edits_nor_moves_its_messages(fields: dict[str, int]) -> None:
    assert times("✔ soup", RESOLVED, **fields) == (None, None)
    assert times("soup", {**RESOLVED, "topic": "soup", "prev_topic": "✔ soup"}, **fields) == (None, None)


@pytest.mark.parametrize("name", ["prev_topic", "prev_subject"])
def test_old_servers_say_only_the_topic_before_each_change(name: str) -> None:
    resolved, renamed = {"timestamp": 50, name: "soup"}, {"timestamp": 40, name: "stew"}
    assert times("✔ soup", resolved, renamed, last_edit_timestamp=50) == (None, 40)
    assert times("✔ soup", resolved, last_edit_timestamp=50) == (None, None)


def test_a_move_to_another_channel_counts_though_the_topic_is_only_resolved_by_it() -> None:
    assert times("soup", CHANNEL) == (None, 30)
    assert times("✔ soup", {**RESOLVED, **CHANNEL}) == (None, 30)


def test_edits_and_moves_are_told_apart_by_the_history() -> None:
    assert times("✔ soup", RESOLVED, RENAMED, EDITED, last_edit_timestamp=50) == (20, 40)


def test_the_time_that_the_server_gives_for_moves_prevails() -> None:
    assert times("soup", RENAMED, last_moved_timestamp=41) == (None, 41)


def test_an_edit_that_the_history_leaves_out_is_known_by_its_time() -> None:
    assert times("soup", last_edit_timestamp=70) == (70, None)
    assert times("soup", RENAMED, last_edit_timestamp=70, last_moved_timestamp=40) == (70, 40)
    assert times("✔ soup", RESOLVED, last_edit_timestamp=45) == (45, None)
    assert times("soup", RENAMED, last_edit_timestamp=40, last_moved_timestamp=40) == (40, 40)
