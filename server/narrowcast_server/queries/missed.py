"""Messages that a user has missed and wants to be emailed about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import VisibilityPolicy
from narrowcast_server.organization.models import FlagBit, Message, User
from narrowcast_server.organization.personal import switched_on
from narrowcast_server.queries.narrow import muted_condition
from narrowcast_server.rules.access import may_see

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_PERSONAL: Final = int(FlagBit.MENTIONED | FlagBit.GROUP_MENTIONED | FlagBit.ALERT_WORD)
_WILDCARDS: Final = int(FlagBit.CHANNEL_WILDCARD | FlagBit.TOPIC_WILDCARD)
_BY_CHANNEL: Final = (
    "EXISTS (SELECT 1 FROM subscriptions s WHERE s.user_id = um.user_id AND s.channel_id = m.channel_id"
    " AND s.active AND coalesce(s.email_notifications, ?))"
)
_FOLLOWED: Final = (
    "EXISTS (SELECT 1 FROM user_topics t WHERE t.user_id = um.user_id AND t.channel_id = m.channel_id"
    f" AND t.topic = m.topic AND t.policy = {int(VisibilityPolicy.FOLLOWED)})"
)
_MAX_MESSAGES: Final = 50


def missed(organization: Organization, user: User, after: int) -> list[Message]:
    """The first unread messages after an id for which the user's settings ask for email, ascending."""
    reasons: list[str] = [_BY_CHANNEL]
    values: list[int] = [switched_on(user, "enable_stream_email_notifications")]
    if switched_on(user, "enable_offline_email_notifications"):
        bits = _PERSONAL | (_WILDCARDS if switched_on(user, "wildcard_mentions_notify") else 0)
        reasons += ["m.conversation_id IS NOT NULL", "um.flags & ? != 0"]
        values.append(bits)
        if switched_on(user, "enable_followed_topic_email_notifications"):
            reasons.append(_FOLLOWED)
    muted, *of_muted = muted_condition(user)
    rows = organization.store.all(
        "SELECT m.* FROM user_messages um INDEXED BY unread_messages CROSS JOIN messages m ON m.id = um.message_id"
        " WHERE um.user_id = ? AND um.message_id > ? AND um.flags & 1 = 0 AND m.sender_id != um.user_id"
        f" AND ({' OR '.join(reasons)}) AND NOT ({muted}) ORDER BY um.message_id LIMIT ?",
        user.id,
        after,
        *values,
        *of_muted,
        _MAX_MESSAGES,
    )
    return [message for message in map(Message.of, rows) if may_see(organization, user, message)]
