"""From messages as they travel to messages as the app reads them."""

from __future__ import annotations

from narrowcast_api.model.messages import Message, Reaction, Submessage
from narrowcast_api.wire import messages as wire


def message_from_wire(message: wire.Message, local_id: str | None = None) -> Message:
    """The state's record of a message of the wire."""
    is_direct = message.is_direct
    edited_at, moved_at = _history(message)
    return Message(
        id=message.id,
        sender_id=message.sender_id,
        sender_name=message.sender_full_name,
        sender_email=message.sender_email,
        timestamp=int(message.timestamp),
        content=message.content,
        channel_id=None if is_direct else message.stream_id,
        topic=None if is_direct else message.topic,
        direct_user_ids=frozenset(message.direct_user_ids or ()) if is_direct else None,
        flags=frozenset(message.flags),
        reactions=tuple(
            Reaction(reaction.emoji_name, reaction.emoji_code, reaction.reaction_type, reaction.reactor_id)
            for reaction in message.reactions
            if reaction.reactor_id is not None
        ),
        is_me_message=message.is_me_message,
        edited_at=edited_at,
        moved_at=moved_at,
        submessages=tuple(
            Submessage(part.id, part.sender_id, part.msg_type, part.content) for part in message.submessages
        ),
        client=message.client,
        local_id=local_id,
    )


def _history(message: wire.Message) -> tuple[int | None, int | None]:
    """When content and place last changed; the history tells them apart where the newest times do not."""
    edits = [entry.timestamp for entry in message.edit_history if entry.prev_content is not None]
    moves = [
        entry.timestamp
        for entry in message.edit_history
        if entry.prev_topic is not None or entry.prev_stream is not None
    ]
    moved = message.last_moved_timestamp or max(moves, default=None)
    edited = max(edits, default=None)
    if edited is None and not moves:
        edited = message.last_edit_timestamp
    return (None if edited is None else int(edited)), (None if moved is None else int(moved))
