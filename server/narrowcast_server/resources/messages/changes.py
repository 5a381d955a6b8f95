"""Deleting messages, and what all changes of messages have in common."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from narrowcast_server.organization import flags
from narrowcast_server.organization.models import FlagBit, Message
from narrowcast_server.queries.messages import audience_of
from narrowcast_server.resources.channels.creation import refresh_first_message
from narrowcast_server.rules import access, edit_history

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_HISTORICAL: Final = int(FlagBit.READ | FlagBit.HISTORICAL)


def delete_messages(organization: Organization, messages: Sequence[Message]) -> None:
    """Deletes messages with everything that belongs to them; notifies everyone who could see them."""
    places: dict[tuple[int | None, str, int | None], list[Message]] = defaultdict(list)
    for message in messages:
        places[(message.channel_id, message.topic, message.conversation_id)].append(message)
    for (channel_id, topic, _), group in places.items():
        _emit_deletions(organization, channel_id, topic, group)
    ids = [(message.id,) for message in messages]
    organization.store.execute_many("DELETE FROM message_words WHERE rowid = ?", ids)
    organization.store.execute_many("DELETE FROM messages WHERE id = ?", ids)
    for channel_id in {message.channel_id for message in messages} - {None}:
        assert channel_id is not None
        refresh_first_message(organization, channel_id)


def _emit_deletions(
    organization: Organization, channel_id: int | None, topic: str, messages: Sequence[Message]
) -> None:
    """Emits one event to all users who could see the same messages."""
    by_person: dict[int, list[int]] = defaultdict(list)
    for message in messages:
        for user_id in audience_of(organization, message):
            by_person[user_id].append(message.id)
    alike: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for user_id, ids in by_person.items():
        alike[tuple(sorted(ids))].append(user_id)
    for seen, user_ids in alike.items():
        emit_deleted(organization, channel_id, topic, seen, user_ids)


def emit_deleted(
    organization: Organization,
    channel_id: int | None,
    topic: str,
    ids: Sequence[int],
    user_ids: Iterable[int],
) -> None:
    """Emits `delete_message` for messages of one topic or conversation."""
    event: dict[str, object] = {"type": "delete_message", "message_ids": list(ids)}
    if channel_id is None:
        event["message_type"] = "private"
    else:
        event |= {"message_type": "stream", "stream_id": channel_id, "topic": topic}
    organization.emit(event, user_ids)


def emit_update(
    organization: Organization,
    message: Message,
    event: Mapping[str, object],
    texts: Mapping[str, object],
    seen_by: Mapping[int, Sequence[int]],
) -> None:
    """Emits `update_message`, to each user with the ids of the changed messages that they may see, and with
    their flags.

    `message` is the edited one, `texts` the fields with its old and new text. Users who cannot see it receive
    the event for the first message that they can see, without `texts`.
    """
    alike: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for user_id, ids in seen_by.items():
        alike[tuple(ids)].append(user_id)
    for ids, people in alike.items():
        message_id = message.id if message.id in ids else ids[0]
        rows = organization.store.all(
            "SELECT user_id, flags FROM user_messages WHERE message_id = ?", message_id
        )
        bits = {row["user_id"]: row["flags"] for row in rows}
        organization.emit(
            {
                "type": "update_message",
                "message_id": message_id,
                "message_ids": list(ids),
                "rendering_only": False,
                **event,
                **(texts if message.id in ids else {}),
            },
            people,
            per_user={
                user_id: flags.fields(bits.get(user_id, _HISTORICAL), organization.level)
                for user_id in people
            },
        )


def add_history(
    organization: Organization, message: Message, entry: Mapping[str, object], **columns: str | int
) -> None:
    """Prepends a change to a message's edit history, and sets columns."""
    entries = edit_history.bounded([entry, *json.loads(message.history)])
    assignments = "".join(f", {name} = ?" for name in columns)
    organization.store.execute(
        f"UPDATE messages SET history = ?{assignments} WHERE id = ?",
        json.dumps(entries),
        *columns.values(),
        message.id,
    )


def stored(organization: Organization, message_id: int) -> Message:
    """The message as it is stored now."""
    message = access.find_message(organization, message_id)
    assert message is not None
    return message
