"""A user's unread messages and recent conversations, as in the response of POST /register."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import VisibilityPolicy
from narrowcast_server.organization.flags import MENTIONS
from narrowcast_server.organization.models import FlagBit, User
from narrowcast_server.queries.messages import member_ids
from narrowcast_server.rules.access import readable_channel_ids

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


_PERSONAL: Final = int(FlagBit.MENTIONED | FlagBit.GROUP_MENTIONED)


def unread_messages(
    organization: Organization, user: User, empty_topic_name: str | None
) -> dict[str, object]:
    """`unread_msgs`: ids by conversation and topic, of the newest unread messages up to the cap."""
    cap = organization.config.limits.unread_cap
    rows = organization.store.all(
        "SELECT m.id, m.channel_id, m.topic, m.conversation_id, um.flags"
        " FROM user_messages um INDEXED BY unread_messages CROSS JOIN messages m ON m.id = um.message_id"
        " WHERE um.user_id = ? AND um.flags & 1 = 0 ORDER BY um.message_id DESC LIMIT ?",
        user.id,
        cap,
    )
    whole, since = readable_channel_ids(organization, user)
    readable = {*whole, *since}
    topics: dict[tuple[int, str], list[int]] = defaultdict(list)
    names: dict[tuple[int, str], str] = {}
    direct: dict[int, list[int]] = defaultdict(list)
    mentions: list[int] = []
    count = 0
    mentioning = int(MENTIONS)
    is_muted = _muting(organization, user)
    for message_id, channel_id, topic, conversation_id, flags in reversed(rows):
        if channel_id is not None:
            if channel_id not in readable:
                continue
            key = (channel_id, topic.casefold())
            names[key] = topic
            topics[key].append(message_id)
        else:
            direct[conversation_id].append(message_id)
        muted = channel_id is not None and is_muted(channel_id, topic)
        count += not muted
        if flags & mentioning and (flags & _PERSONAL or not muted):
            mentions.append(message_id)
    pms, huddles = _direct(organization, user, direct)
    return {
        "pms": pms,
        "streams": [
            {
                "stream_id": key[0],
                "topic": names[key] or (empty_topic_name or ""),
                "unread_message_ids": ids,
            }
            for key, ids in sorted(topics.items())
        ],
        "huddles": huddles,
        "mentions": mentions,
        "count": count,
        "old_unreads_missing": len(rows) == cap,
    }


def _muting(organization: Organization, user: User) -> Callable[[int, str], bool]:
    """Whether a topic is muted, or its channel is and the topic is not unmuted: such messages do not count, nor do
    their wildcard mentions.
    """
    channels = set(
        organization.store.integers(
            "SELECT channel_id FROM subscriptions WHERE user_id = ? AND is_muted = 1", user.id
        )
    )
    policies = {
        (row["channel_id"], row["topic"].casefold()): row["policy"]
        for row in organization.store.all(
            "SELECT channel_id, topic, policy FROM user_topics WHERE user_id = ?", user.id
        )
    }

    def is_muted(channel_id: int, topic: str) -> bool:
        policy = policies.get((channel_id, topic.casefold()), VisibilityPolicy.NONE)
        if policy == VisibilityPolicy.NONE:
            return channel_id in channels
        return bool(policy == VisibilityPolicy.MUTED)

    return is_muted


def _direct(
    organization: Organization, user: User, direct: dict[int, list[int]]
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    pms: list[dict[str, object]] = []
    huddles: list[dict[str, object]] = []
    for conversation_id, ids in direct.items():
        members = member_ids(organization, conversation_id)
        others = [identity for identity in members if identity != user.id]
        if len(others) <= 1:
            other = others[0] if others else user.id
            pms.append({"other_user_id": other, "sender_id": other, "unread_message_ids": ids})
        else:
            text = ",".join(str(identity) for identity in members)
            huddles.append({"user_ids_string": text, "unread_message_ids": ids})
    return pms, huddles


def recent_direct(organization: Organization, user: User) -> list[dict[str, object]]:
    """`recent_private_conversations`: with the newest message, most recent first; user ids without the user's own."""
    rows = organization.store.all(
        "SELECT c.id, (SELECT max(m.id) FROM messages m WHERE m.conversation_id = c.id) AS newest"
        " FROM conversation_members cm JOIN conversations c ON c.id = cm.conversation_id"
        " WHERE cm.user_id = ? ORDER BY newest DESC LIMIT 1000",
        user.id,
    )
    return [
        {
            "max_message_id": row["newest"],
            "user_ids": [identity for identity in member_ids(organization, row["id"]) if identity != user.id],
        }
        for row in rows
        if row["newest"] is not None
    ]


def starred_ids(organization: Organization, user: User) -> list[int]:
    """Ids of starred messages, ascending."""
    return organization.store.integers(
        "SELECT message_id FROM user_messages INDEXED BY starred_messages"
        " WHERE user_id = ? AND flags & 2 != 0 ORDER BY message_id",
        user.id,
    )


def unread_ids(organization: Organization, user: User) -> list[int]:
    """Ids of all unread messages of a user."""
    return organization.store.integers(
        "SELECT message_id FROM user_messages INDEXED BY unread_messages WHERE user_id = ? AND flags & 1 = 0",
        user.id,
    )


def unread_in(organization: Organization, user: User, channel_id: int, topic: str | None = None) -> list[int]:
    """Ids of a user's unread messages in a channel, or in one topic of it."""
    return _unread_where(
        organization, user, "m.channel_id = ? AND (? IS NULL OR m.topic = ?)", channel_id, topic, topic
    )


def unread_from(organization: Organization, user: User, sender_id: int) -> list[int]:
    """Ids of a user's unread messages from one sender."""
    return _unread_where(organization, user, "m.sender_id = ?", sender_id)


def _unread_where(
    organization: Organization, user: User, condition: str, *values: str | int | None
) -> list[int]:
    return organization.store.integers(
        "SELECT um.message_id FROM user_messages um INDEXED BY unread_messages"
        " CROSS JOIN messages m ON m.id = um.message_id"
        f" WHERE um.user_id = ? AND um.flags & 1 = 0 AND {condition}",
        user.id,
        *values,
    )
