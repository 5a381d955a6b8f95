"""Parts of the snapshot: the newest message, unread and starred ids, direct conversations."""

from __future__ import annotations

from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.queries.unread import recent_direct, starred_ids, unread_messages


@part("message")
def messages(request: Snapshot) -> dict[str, object]:
    """The newest message id in the user's history; also unread ids if flags are fetched."""
    newest = request.organization.store.integer(
        "SELECT max(message_id) FROM user_messages WHERE user_id = ?", request.user.id
    )
    result: dict[str, object] = {"max_message_id": -1 if newest is None else newest}
    if request.fetches("message", "update_message_flags"):
        result["unread_msgs"] = unread_messages(
            request.organization, request.user, request.options.empty_topic_name
        )
    return result


@part("starred_messages")
def starred(request: Snapshot) -> dict[str, object]:
    """Ids of starred messages."""
    return {"starred_messages": starred_ids(request.organization, request.user)}


@part("recent_private_conversations")
def recent(request: Snapshot) -> dict[str, object]:
    """Direct conversations, most recent first."""
    return {"recent_private_conversations": recent_direct(request.organization, request.user)}
