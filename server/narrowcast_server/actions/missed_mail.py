"""Messages that a user has missed, and one email about them: once the first has waited as long as the user chose."""

from __future__ import annotations

import shlex
import zoneinfo
from datetime import UTC, datetime, tzinfo
from itertools import groupby
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import VisibilityPolicy
from narrowcast_server.actions.mail import send_mail
from narrowcast_server.mail.messages import is_address
from narrowcast_server.markdown.context import LinkedChannel
from narrowcast_server.markdown.mentions import channel_url
from narrowcast_server.organization.models import FlagBit, Message, User
from narrowcast_server.organization.personal import setting, switched_on
from narrowcast_server.queries.as_seen import UNKNOWN_NAME
from narrowcast_server.queries.messages import member_ids
from narrowcast_server.queries.narrow import muted_condition
from narrowcast_server.queries.users import presence_row
from narrowcast_server.rules.access import may_see
from narrowcast_server.rules.visibility import visible_ids

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_SWITCHES: Final = ("enable_offline_email_notifications", "enable_stream_email_notifications")
_MAX_SHOWN: Final = 10
_MAX_SHOWN_LENGTH: Final = 1000
_WHY: Final = (
    "You receive this email because you had not read these messages. In the app, under My settings, Email, you can"
    " choose what is sent by email and when, or turn it off."
)
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


def marks(organization: Organization) -> dict[int, int]:
    """User id -> id of the newest message that was considered for email."""
    return {row["user_id"]: row["message_id"] for row in organization.store.all("SELECT * FROM mail_marks")}


def wants_mail(user: User) -> bool:
    """Whether the user receives any email about missed messages."""
    return not user.is_bot and user.is_active and any(switched_on(user, name) for name in _SWITCHES)


def email_missed(organization: Organization, user: User, mark: int | None) -> None:
    """Emails a user about messages missed since their mark, if it is time. Opens its own transaction.

    Without a mark, email has just been turned on: the mark is set, and earlier unread messages are not
    mentioned.
    """
    if not wants_mail(user):
        if mark is not None:
            organization.store.execute("DELETE FROM mail_marks WHERE user_id = ?", user.id)
        return
    if mark is None:
        _set_mark(organization, user, _newest(organization))
        return
    unread = missed(organization, user, mark)
    if not unread:
        return
    since = _last_here(organization, user)
    unmentioned = [message for message in unread if message.timestamp > since]
    wait = setting(user, "email_notifications_batching_period_seconds")
    assert isinstance(wait, int)
    if unmentioned and unmentioned[0].timestamp > organization.now() - wait:
        return
    with organization.transaction():
        _set_mark(organization, user, unread[-1].id)
        if unmentioned and is_address(user.delivery_email):
            send_mail(organization, user.delivery_email, *_subject_and_body(organization, user, unmentioned))


def _set_mark(organization: Organization, user: User, message_id: int) -> None:
    organization.store.execute(
        "INSERT INTO mail_marks (user_id, message_id) VALUES (?, ?)"
        " ON CONFLICT DO UPDATE SET message_id = excluded.message_id",
        user.id,
        message_id,
    )


def _newest(organization: Organization) -> int:
    return organization.store.integer("SELECT max(id) FROM messages") or 0


def _last_here(organization: Organization, user: User) -> int:
    """When the user was last active at a client, and so could see the messages sent before."""
    row = presence_row(organization, user)
    return 0 if row is None else row["active_timestamp"] or 0


def _subject_and_body(organization: Organization, user: User, messages: list[Message]) -> tuple[str, str]:
    names = _Names(organization, user)
    senders = list(dict.fromkeys(names.of(message.sender_id) for message in messages))
    who = ", ".join(senders[:3]) + (" and others" if len(senders) > 3 else "")
    count = "a message" if len(messages) == 1 else f"{len(messages)} messages"
    subject = f"{count[0].upper()}{count[1:]} from {who}"
    shows_text = switched_on(user, "message_content_in_email_notifications") and organization.setting(
        "message_content_allowed_in_email_notifications", bool
    )
    if not shows_text:
        return f"{count[0].upper()}{count[1:]} for you", "\n\n".join(
            (
                f"There is {count} for you at {organization.url}.",
                "Your settings, or those of the organization, keep message texts out of emails.",
                _WHY,
            )
        )
    parts = []
    for place, group in groupby(
        messages[:_MAX_SHOWN], lambda message: _place(organization, names, user, message)
    ):
        own = list(group)
        parts.append(place)
        parts += [f"{names.of(m.sender_id)}, {_time(user, m.timestamp)}:\n\n{_quoted(m)}" for m in own]
        parts.append(f"narrowcast open {shlex.quote(_link(organization, own[-1]))}")
    if len(messages) > _MAX_SHOWN:
        parts.append(f"There are {len(messages) - _MAX_SHOWN} more for you at {organization.url}.")
    return subject, "\n\n".join((*parts, "-- ", _WHY))


class _Names:
    """Names of users, as the reader may know them."""

    def __init__(self, organization: Organization, reader: User) -> None:
        self._organization = organization
        self._seen = visible_ids(organization, reader)

    def of(self, user_id: int) -> str:
        if self._seen is not None and user_id not in self._seen:
            return UNKNOWN_NAME
        return self._organization.users[user_id].full_name


def _place(organization: Organization, names: _Names, user: User, message: Message) -> str:
    if message.channel_id is not None:
        return f"#{organization.channels[message.channel_id].name} > {message.topic or organization.empty_topic_name}"
    assert message.conversation_id is not None
    others = [names.of(who) for who in member_ids(organization, message.conversation_id) if who != user.id]
    return f"Direct messages with {', '.join(others)}"


def _quoted(message: Message) -> str:
    text = message.content
    if len(text) > _MAX_SHOWN_LENGTH:
        text = f"{text[:_MAX_SHOWN_LENGTH]} …"
    return "\n".join(f"> {line}" for line in text.splitlines())


def _time(user: User, timestamp: int) -> str:
    return datetime.fromtimestamp(timestamp, _zone(user)).strftime("%Y-%m-%d %H:%M %Z")


def _zone(user: User) -> tzinfo:
    """The user's time zone; UTC if it is unknown to this machine."""
    try:
        return zoneinfo.ZoneInfo(user.timezone) if user.timezone else UTC
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        return UTC


def _link(organization: Organization, message: Message) -> str:
    if message.channel_id is not None:
        channel = organization.channels[message.channel_id]
        path = channel_url(LinkedChannel(channel.id, channel.name), message.topic, "near", message.id)
    else:
        assert message.conversation_id is not None
        people = ",".join(map(str, member_ids(organization, message.conversation_id)))
        path = f"/#narrow/dm/{people}-dm/near/{message.id}"
    return organization.url + path
