"""A message as the model of the service stores it, and what others are told of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from simulation.queues import Row


@dataclass
class Stored:
    """A message as the service stores it."""

    id: int
    sender: int
    place: tuple[Any, ...]
    """('stream', channel id, topic) or ('private', sorted user ids)."""
    content: str
    timestamp: int
    flags: dict[int, set[str]] = field(default_factory=dict)
    reactions: list[Row] = field(default_factory=list)
    earlier: list[tuple[int, str]] = field(default_factory=list)
    """The time and text of each version before the present one, oldest first."""
    edited: int = 0
    """When the text was last edited, 0 if never."""


def unread_of(mine: list[Stored], user_id: int) -> Row:
    """The unread messages among these, as in a registration."""
    streams: dict[tuple[int, str], list[int]] = {}
    pms: dict[int, list[int]] = {}
    huddles: dict[str, list[int]] = {}
    for message in mine:
        if "read" in message.flags.get(user_id, ()):
            continue
        if message.place[0] == "stream":
            streams.setdefault((message.place[1], message.place[2]), []).append(message.id)
        elif len(message.place[1]) > 2:
            huddles.setdefault(",".join(map(str, message.place[1])), []).append(message.id)
        else:
            other = next((i for i in message.place[1] if i != user_id), user_id)
            pms.setdefault(other, []).append(message.id)
    return {
        "streams": [
            {"stream_id": channel, "topic": topic, "unread_message_ids": ids}
            for (channel, topic), ids in streams.items()
        ],
        "pms": [{"other_user_id": other, "unread_message_ids": ids} for other, ids in pms.items()],
        "huddles": [
            {"user_ids_string": people, "unread_message_ids": ids} for people, ids in huddles.items()
        ],
        "mentions": [],
        "count": sum(map(len, [*streams.values(), *pms.values(), *huddles.values()])),
    }


def details_of(message: Stored, user_id: int) -> Row:
    """Where a message is, as in events about flags."""
    if message.place[0] == "stream":
        return {"type": "stream", "stream_id": message.place[1], "topic": message.place[2]}
    return {"type": "private", "user_ids": [i for i in message.place[1] if i != user_id]}


def versions_of(message: Stored) -> list[Row]:
    """The rows of the edit history."""
    versions = [*message.earlier, (message.edited or message.timestamp, message.content)]
    return [{"timestamp": time, "content": content} for time, content in versions]
