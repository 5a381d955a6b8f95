"""The archive's numeric codes, and what corresponds to them here."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from narrowcast_server.organization.models import FlagBit


class RecipientType(IntEnum):
    """What the `type_id` of a recipient refers to."""

    PERSON = 1
    CHANNEL = 2
    GROUP = 3


class AuditEvent(IntEnum):
    """The audit log events that Zulip evaluates: when the organization, its users and subscriptions began and ended."""

    USER_CREATED = 101
    USER_DEACTIVATED = 103
    REALM_CREATED = 215
    SUBSCRIPTION_CREATED = 301
    SUBSCRIPTION_DEACTIVATED = 303


class Delivery(IntEnum):
    """The kind of a pending message."""

    SCHEDULED = 1
    REMINDER = 2


NO_MESSAGE: Final = 2**31 - 1
"""The largest id; no message has it."""
DIRECT_TOPIC: Final = "\x07"
"""The topic of all direct messages."""

_FLAGS: Final = (
    (FlagBit.READ, 1),
    (FlagBit.STARRED, 2),
    (FlagBit.COLLAPSED, 4),
    (FlagBit.MENTIONED, 8),
    (FlagBit.CHANNEL_WILDCARD, 16),
    (FlagBit.TOPIC_WILDCARD, 32),
    (FlagBit.GROUP_MENTIONED, 64),
    (FlagBit.ALERT_WORD, 512),
    (FlagBit.HISTORICAL, 1024),
)
_MENTIONED: Final = 8
_PRIVATE: Final = 2048
_SAME: Final = 127
"""The bits that are equal in both."""


def flags_out(bits: int, *, direct: bool) -> int:
    """The archive's flags of a user's message."""
    mask = bits & _SAME | (_PRIVATE if direct else 0)
    if bits & FlagBit.GROUP_MENTIONED:
        mask |= _MENTIONED  # Zulip counts only these as mentions
    if bits > _SAME:
        mask |= sum(theirs for ours, theirs in _FLAGS if ours > _SAME and bits & ours)
    return mask


def flags_in(mask: int) -> int:
    """Our flags from the archive's; flags that this server does not store are dropped."""
    bits = mask & _SAME
    if mask > _SAME:
        bits |= sum(int(ours) for ours, theirs in _FLAGS if theirs > _SAME and mask & theirs)
    return bits


CHANNEL_TOPICS: Final = {
    "inherit": 1,
    "allow_empty_topic": 2,
    "disable_empty_topic": 3,
    "empty_topic_only": 4,
}
REALM_TOPICS: Final = {name: CHANNEL_TOPICS[name] for name in ("allow_empty_topic", "disable_empty_topic")}
HISTORY_VISIBILITY: Final = {"all": 1, "moves": 2, "none": 3}
NOTICE_READ_POLICY: Final = {"always": 1, "except_followed": 2, "never": 3}

REALM_NUMBERS: Final = {
    "topics_policy": REALM_TOPICS,
    "message_edit_history_visibility_policy": HISTORY_VISIBILITY,
}
PERSONAL_NUMBERS: Final = {"resolved_topic_notice_auto_read_policy": NOTICE_READ_POLICY}
"""Settings that are strings here and numbers in the archive."""

REALM_CHANNELS: Final = {
    "new_stream_announcements_stream": "new_stream_announcements_stream_id",
    "signup_announcements_stream": "signup_announcements_stream_id",
    "moderation_request_channel": "moderation_request_channel_id",
    "zulip_update_announcements_stream": "zulip_update_announcements_stream_id",
}
"""Settings that name a channel; none is null in the archive and -1 here."""
NOT_EXPORTED: Final = frozenset({"giphy_rating"})
"""Settings that newer Zulip servers name differently, and that have no effect here."""


def word_for(numbers: dict[str, int], number: object, otherwise: str) -> str:
    """Our string for the archive's number."""
    return next((word for word, its_number in numbers.items() if its_number == number), otherwise)
