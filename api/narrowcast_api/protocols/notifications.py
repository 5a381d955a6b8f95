"""Whether a message causes a notification, and its text. Pure: no clock, no terminal, no network.

The rules are those of the server's own clients for "desktop" and "audible" notifications, read from the
account's settings: the general ones, those of the channel, and those of the topic.

1. Never: the user's own messages, read ones, and those of muted users.
2. Messages in a muted topic, or in a muted channel whose topic was not unmuted, do not notify, except for a
   mention by name or in a followed topic.
3. All messages of a channel notify if its own setting says so, or if it has none, if the general one does.
4. A followed topic notifies according to a separate setting.
5. Direct messages, mentions and alert words notify according to one setting; wildcard mentions according to
   the channel's setting for them, in followed topics also according to another one.

Sound follows the same steps with separate settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from narrowcast_api.characters import sanitized_line
from narrowcast_api.model.channels import Subscription
from narrowcast_api.model.messages import MENTION_FLAGS, Message
from narrowcast_api.narrow.destinations import Destination
from narrowcast_api.state.state import State
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import VisibilityPolicy

__all__ = [
    "EFFECTIVE_SETTINGS",
    "MAX_BODY_LENGTH",
    "MAX_TITLE_LENGTH",
    "Notice",
    "QuietHours",
    "Reason",
    "is_quiet",
    "notice_of",
    "popup_reason",
    "sound_reason",
    "summary_of",
    "unread_badge",
]

MAX_TITLE_LENGTH = 80
"""The maximum number of characters of a notification's title."""
MAX_BODY_LENGTH = 200
"""The maximum number of characters of a notification's text."""
MINUTES_OF_DAY = 24 * 60

EFFECTIVE_SETTINGS = frozenset(
    {
        "enable_desktop_notifications",
        "pm_content_in_desktop_notifications",
        "enable_stream_desktop_notifications",
        "enable_followed_topic_desktop_notifications",
        "enable_sounds",
        "enable_stream_audible_notifications",
        "enable_followed_topic_audible_notifications",
        "notification_sound",
        "desktop_icon_count_display",
        "wildcard_mentions_notify",
        "enable_followed_topic_wildcard_mentions_notify",
    }
)
"""The account settings that these rules read; no other notification setting has an effect here."""


class Reason(StrEnum):
    """Why a message notifies."""

    DIRECT = "direct"
    MENTION = "mention"
    WILDCARD = "wildcard"
    ALERT_WORD = "alert_word"
    FOLLOWED = "followed"
    CHANNEL = "channel"


class _Kind(Struct, frozen=True):
    """The names of the settings for one kind of notification."""

    personal: str
    channel: str
    channel_choice: str
    followed: str


_POPUP = _Kind(
    "enable_desktop_notifications",
    "enable_stream_desktop_notifications",
    "desktop_notifications",
    "enable_followed_topic_desktop_notifications",
)
_SOUND = _Kind(
    "enable_sounds",
    "enable_stream_audible_notifications",
    "audible_notifications",
    "enable_followed_topic_audible_notifications",
)


class Notice(Struct, frozen=True):
    """A notification about one message. The texts are single lines that are safe for a terminal, cut to the
    limits above.
    """

    message_id: int
    reason: Reason
    popup: bool
    sound: bool
    title: str
    body: str
    sender: str
    place: str
    """The channel and topic, or '' for a direct message."""
    destination: Destination


def popup_reason(message: Message, state: State) -> Reason | None:
    """Why `message` causes a popup; None if it does not."""
    return _reason(message, state, _POPUP)


def sound_reason(message: Message, state: State) -> Reason | None:
    """Why `message` plays a sound; None if it does not."""
    if state.settings.text("notification_sound") == "none":
        return None
    return _reason(message, state, _SOUND)


def notice_of(message: Message, state: State, when: Callable[[str], str] | None = None) -> Notice | None:
    """Returns the notification for a message that has just arrived; None if the settings allow none.

    `when` returns how a time in the message is written, as in `words_of`.
    """
    pops, sounds = popup_reason(message, state), sound_reason(message, state)
    reason = pops or sounds
    if reason is None:
        return None
    sender = sanitized_line(_sender(message, state), MAX_TITLE_LENGTH)
    place = _place(message, state)
    shows = message.channel_id is not None or state.settings.flag("pm_content_in_desktop_notifications", True)
    # Imported late: it loads Python's HTML parser, which is not needed before the first notification.
    from narrowcast_api.protocols.notice_text import words_of

    body = words_of(message.content, MAX_BODY_LENGTH, when) if shows else "wrote to you"
    if message.is_me_message and shows:
        body = f"{sender} {body}"
    return Notice(
        message_id=message.id,
        reason=reason,
        popup=pops is not None,
        sound=sounds is not None,
        title=sanitized_line(
            f"{sender} in {place}" if place else _correspondents(message, state), MAX_TITLE_LENGTH
        ),
        body=sanitized_line(body, MAX_BODY_LENGTH),
        sender=sender,
        place=place,
        destination=message.destination(state.me),
    )


def summary_of(notices: Iterable[Notice]) -> tuple[str, str]:
    """Title and text for several notifications at once."""
    told = list(notices)
    places = list(dict.fromkeys(notice.place or notice.sender for notice in told))
    title = f"{len(told)} new messages"
    return title, sanitized_line(", ".join(places), MAX_BODY_LENGTH)


def _reason(message: Message, state: State, kind: _Kind) -> Reason | None:
    if message.sender_id == state.me or message.is_read or message.sender_id in state.users.muted:
        return None
    settings = state.settings
    personal = settings.flag(kind.personal, True)
    if message.channel_id is None:
        return Reason.DIRECT if personal else None
    channel = state.channels.get(message.channel_id)
    subscription = channel.subscription if channel is not None else None
    chosen = state.topics.visibility(message.channel_id, message.topic or "")
    followed = chosen is VisibilityPolicy.FOLLOWED
    by_name = "mentioned" in message.flags
    if not (by_name or followed) and _is_muted(subscription, chosen):
        return None
    # Checked first, so that a mention in a followed topic or in a channel that notifies of everything is
    # reported as a mention.
    if by_name and personal:
        return Reason.MENTION
    if subscription is not None and _choice(subscription, kind.channel_choice, settings.flag(kind.channel)):
        return Reason.CHANNEL
    if followed and settings.flag(kind.followed, True):
        return Reason.FOLLOWED
    if not personal:
        return None
    if "has_alert_word" in message.flags:
        return Reason.ALERT_WORD
    if not MENTION_FLAGS.isdisjoint(message.flags) and _wildcards_notify(state, subscription, followed):
        return Reason.WILDCARD
    return None


def _is_muted(subscription: Subscription | None, chosen: VisibilityPolicy) -> bool:
    if chosen is VisibilityPolicy.NONE:
        return subscription is not None and subscription.is_muted
    return chosen is VisibilityPolicy.MUTED


def _choice(subscription: Subscription, name: str, general: bool) -> bool:
    """Returns the channel's setting, or the general one if it has none."""
    chosen: bool | None = getattr(subscription, name)
    return general if chosen is None else chosen


def _wildcards_notify(state: State, subscription: Subscription | None, followed: bool) -> bool:
    settings = state.settings
    if followed and settings.flag("enable_followed_topic_wildcard_mentions_notify", True):
        return True
    general = settings.flag("wildcard_mentions_notify", True)
    if subscription is None:
        return general
    return _choice(subscription, "wildcard_mentions_notify", general)


def _sender(message: Message, state: State) -> str:
    user = state.users.get(message.sender_id)
    return (user.full_name if user is not None else "") or message.sender_name or "Somebody"


def _correspondents(message: Message, state: State) -> str:
    """The sender and the other recipients."""
    others = (message.direct_user_ids or frozenset()) - {state.me, message.sender_id}
    if not others:
        return _sender(message, state)
    names = sorted(
        user.full_name for other in list(others)[:50] if (user := state.users.get(other)) is not None
    )
    return f"{_sender(message, state)} to you and {', '.join(names) or len(others)}"


def _place(message: Message, state: State) -> str:
    if message.channel_id is None:
        return ""
    name = state.channels.name(message.channel_id) or "a channel"
    topic = message.topic or state.limits.empty_topic_name
    return sanitized_line(f"#{name} › {topic}", MAX_TITLE_LENGTH)


def unread_badge(state: State) -> tuple[int, int]:
    """Returns how many unread messages to show beside the app's name, as the user's settings count them, and
    how many mentions.
    """
    unreads = state.unreads
    mentions = unreads.count_mentions()
    counted = state.settings.number("desktop_icon_count_display", 1)
    if counted == 1:
        return unreads.count_all(), mentions
    if not state.supports(Gate.UNREAD_COUNT_FOLLOWED):
        counted += 1  # 2 was direct messages and mentions, 3 was none
    if counted not in (2, 3):
        return 0, 0
    ids = set(unreads.mentions)
    for others, _, _ in unreads.directs():
        ids.update(unreads.direct_ids(others))
    if counted == 2:
        for channel_id, topic, choice in state.topics.policies():
            if choice is VisibilityPolicy.FOLLOWED:
                ids.update(unreads.topic_ids(channel_id, topic))
    return len(ids), mentions


class QuietHours(Struct, frozen=True):
    """A part of each day, from `start` to `end`, in minutes since midnight; it spans midnight if `end` is earlier."""

    start: int
    end: int

    @classmethod
    def parse(cls, text: str) -> QuietHours:
        """From `22:00-07:30`. Raises ValueError saying what is wrong."""
        first, dash, last = text.replace("–", "-").partition("-")
        if not dash:
            raise ValueError(f"{text!r} is not a time range such as 22:00-07:00")
        return cls(_minutes(first), _minutes(last))

    def contain(self, minute: int) -> bool:
        """Whether a minute of the local day is quiet. An equal `start` and `end` mean the whole day."""
        if self.start < self.end:
            return self.start <= minute < self.end
        return minute >= self.start or minute < self.end


def is_quiet(parts: Iterable[QuietHours], local: datetime) -> bool:
    """Whether a local time is within one of these parts of the day."""
    return any(hours.contain(local.hour * 60 + local.minute) for hours in parts)


def _minutes(text: str) -> int:
    hours, colon, minutes = text.strip().partition(":")
    good = hours.isascii() and hours.isdigit() and (not colon or (minutes.isascii() and minutes.isdigit()))
    if not good or len(hours) > 2 or len(minutes) > 2 or int(hours) > 24 or int(minutes or 0) > 59:
        raise ValueError(f"{text.strip()!r} is not a time of day such as 22:00")
    return (int(hours) * 60 + int(minutes or 0)) % MINUTES_OF_DAY
