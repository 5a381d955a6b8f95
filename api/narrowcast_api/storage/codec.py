"""Values of the library as text columns, and back."""

from __future__ import annotations

import json
import re
from typing import cast

from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.state.messages import Message, Reaction, Submessage

_BLOCK = re.compile(
    r"</?(?:p|br|hr|h[1-6]|li|ul|ol|div|pre|blockquote|table|tr|td|th)\b[^>]*>", re.IGNORECASE
)
_TAG = re.compile(r"<[^>]*>")


def destination_to_text(destination: Destination | None) -> str | None:
    """JSON: ["channel", id, topic] or ["direct", [ids]]; None stays None."""
    match destination:
        case None:
            return None
        case ChannelDestination(channel_id, topic):
            return json.dumps(["channel", channel_id, topic])
        case DirectDestination(user_ids):
            return json.dumps(["direct", sorted(user_ids)])


def destination_from_text(text: str | None) -> Destination | None:
    """The inverse of `destination_to_text`. Raises ValueError for anything else."""
    if text is None:
        return None
    match json.loads(text):
        case ["channel", int(channel_id), str(topic)]:
            return ChannelDestination(channel_id, topic)
        case ["direct", list(user_ids)]:
            return DirectDestination(frozenset(int(user_id) for user_id in user_ids))
    raise ValueError(f"not a destination: {text!r}")


def message_to_text(message: Message) -> str:
    """One message as a JSON list."""
    return json.dumps(
        [
            message.id,
            message.sender_id,
            message.sender_name,
            message.sender_email,
            message.timestamp,
            message.content,
            message.channel_id,
            message.topic,
            None if message.direct_user_ids is None else sorted(message.direct_user_ids),
            sorted(message.flags),
            [[r.emoji_name, r.emoji_code, r.reaction_type, r.user_id] for r in message.reactions],
            message.is_me_message,
            message.edited_at,
            message.moved_at,
            [[part.id, part.sender_id, part.msg_type, part.content] for part in message.submessages],
            message.client,
        ],
        separators=(",", ":"),
    )


def message_from_text(text: str) -> Message:
    """The inverse of `message_to_text`; its input is what we wrote ourselves."""
    row = cast("list[object]", json.loads(text))
    direct = cast("list[int] | None", row[8])
    return Message(
        id=cast("int", row[0]),
        sender_id=cast("int", row[1]),
        sender_name=cast("str", row[2]),
        sender_email=cast("str", row[3]),
        timestamp=cast("int", row[4]),
        content=cast("str", row[5]),
        channel_id=cast("int | None", row[6]),
        topic=cast("str | None", row[7]),
        direct_user_ids=None if direct is None else frozenset(direct),
        flags=frozenset(cast("list[str]", row[9])),
        reactions=tuple(Reaction(*part) for part in cast("list[tuple[str, str, str, int]]", row[10])),
        is_me_message=cast("bool", row[11]),
        edited_at=cast("int | None", row[12]),
        moved_at=cast("int | None", row[13]),
        submessages=tuple(Submessage(*part) for part in cast("list[tuple[int, int, str, str]]", row[14])),
        client=cast("str", row[15]),
    )


def plain_text(rendered: str) -> str:
    """The words of rendered HTML, for search only: never shown, so a sloppy cut is enough."""
    import html  # its table of names is large, and reading the cache needs none

    return " ".join(html.unescape(_TAG.sub("", _BLOCK.sub(" ", rendered))).split())
