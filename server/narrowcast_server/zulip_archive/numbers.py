"""What the archive's numbers mean, and ours for them."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from narrowcast_server.organization.models import FlagBit


class RecipientType(IntEnum):
    """What the id of a recipient means."""

    PERSON = 1
    CHANNEL = 2
    GROUP = 3


class AuditEvent(IntEnum):
    """Those events of the audit log that Zulip computes from: how long it, its people and subscriptions are there."""

    USER_CREATED = 101
    USER_DEACTIVATED = 103
    REALM_CREATED = 215
    SUBSCRIPTION_CREATED = 301
    SUBSCRIPTION_DEACTIVATED = 303


class Delivery(IntEnum):
    """Why a message is not sent yet."""

    SCHEDULED = 1
    REMINDER = 2


NO_MESSAGE: Final = 2**31 - 1
"""The largest id, which no message has."""
DIRECT_TOPIC: Final = "\x07"
"""The topic of every direct message."""

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
_PRIVATE: Final = 2048
_SAME: Final = 127
"""The bits that stand for the same in both."""


def flags_out(bits: int, *, direct: bool) -> int:
    """A person's flags on a message as the archive has them."""
    mask = bits & _SAME | (_PRIVATE if direct else 0)
    if bits > _SAME:
        mask |= sum(theirs for ours, theirs in _FLAGS if ours > _SAME and bits & ours)
    return mask


def flags_in(mask: int) -> int:
    """The same back; what we do not keep falls out."""
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
"""Settings that are words here and numbers there."""

REALM_CHANNELS: Final = {
    "new_stream_announcements_stream": "new_stream_announcements_stream_id",
    "signup_announcements_stream": "signup_announcements_stream_id",
    "moderation_request_channel": "moderation_request_channel_id",
    "zulip_update_announcements_stream": "zulip_update_announcements_stream_id",
}
"""Settings that name a channel: null there, -1 here for none."""
NOT_CARRIED: Final = frozenset({"giphy_rating"})
"""Settings that Zulip has by another name from one level on, and that mean nothing here."""


def word_for(numbers: dict[str, int], number: object, otherwise: str) -> str:
    """Our word for their number."""
    return next((word for word, its_number in numbers.items() if its_number == number), otherwise)
