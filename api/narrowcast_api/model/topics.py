"""Topics of channels, as in lists of topics (TOP rows)."""

from __future__ import annotations

from typing import NamedTuple

from narrowcast_api.model.reading import RawRecord, required_int, required_text
from narrowcast_api.wire.vocabulary import RESOLVED_TOPIC_PREFIX


class Topic(NamedTuple):
    """A topic with the id of its last known message."""

    name: str
    max_id: int


def read_topic(row: RawRecord) -> Topic:
    """Reads a row of `topics` in the list of a channel's topics."""
    return Topic(required_text(row, "name"), required_int(row, "max_id"))


def is_resolved(topic: str) -> bool:
    """Whether a topic's name has the prefix of resolved topics."""
    return topic.startswith(RESOLVED_TOPIC_PREFIX)


def resolved_name(topic: str) -> str:
    """The name with the prefix, once."""
    return topic if is_resolved(topic) else RESOLVED_TOPIC_PREFIX + topic


def unresolved_name(topic: str) -> str:
    """The name without any such prefix."""
    while is_resolved(topic):
        topic = topic[len(RESOLVED_TOPIC_PREFIX) :]
    return topic


def is_renamed(old: str, new: str) -> bool:
    """Whether the names differ in more than the prefix: resolving a topic does not count as moving its messages."""
    return unresolved_name(old) != unresolved_name(new)
