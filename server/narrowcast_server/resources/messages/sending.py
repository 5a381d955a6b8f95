"""Sending messages, with their events."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from narrowcast_server.actions.new_organization import notification_bot
from narrowcast_server.actions.visibility import visibility_may_change
from narrowcast_server.markdown import RenderedMarkdown, widget_for
from narrowcast_server.organization import flags
from narrowcast_server.organization.checks import check_length
from narrowcast_server.organization.config import ServedDialect
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Channel, FlagBit, Message, User
from narrowcast_server.queries.as_seen import without_sender
from narrowcast_server.queries.messages import message_objects
from narrowcast_server.queries.rendering import rendered
from narrowcast_server.resources.channels.creation import refresh_first_message
from narrowcast_server.resources.user_topics import follow_after_mentions, follow_after_sending
from narrowcast_server.rules import access, topics
from narrowcast_server.rules.messages import (
    check_direct,
    check_may_post,
    check_mentions,
    check_wildcards,
    find_conversation,
)
from narrowcast_server.rules.permissions import all_members
from narrowcast_server.rules.visibility import watchers
from narrowcast_server.uploads.attachments import claim_attachments

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

HUMAN_CLIENTS: Final = frozenset(
    {
        "website",
        "narrowcast",
        "zulipterminal",
        "zulip-terminal",
        "zulipmobile",
        "zulipdesktop",
        "zulipflutter",
    }
)
"""Programs for which sent messages are read by their sender (FLG-17)."""


@dataclass(frozen=True, slots=True)
class Origin:
    """How a message was sent: by which program, whether its sender has read it, and for which local echo."""

    client: str = "narrowcast"
    read_by_sender: bool = True
    queue_id: str | None = None
    local_id: str | None = None
    timestamp: int | None = None
    """UTC seconds, or None for the current time. For the demo world."""


@dataclass(frozen=True, slots=True)
class Sent:
    """The outcome of sending a message."""

    id: int
    visibility_policy: int | None = None
    """The visibility policy that sending set for the sender's topic, if it changed."""


_TRUNCATED: Final = "\n[message truncated]"


def is_human_client(client: str) -> bool:
    """Whether the program is one whose user sees what it sends."""
    return client.lower() in HUMAN_CLIENTS


def truncated_content(organization: Organization, content: str) -> str:
    """The text of a message or of an edit; in Zulip's dialect cut at the limit, as its servers do."""
    limit = organization.config.limits.max_message_length
    content = content.rstrip()
    if organization.config.dialect is not ServedDialect.ZULIP or len(content) <= limit:
        return content
    return content[: limit - len(_TRUNCATED)] + _TRUNCATED


def check_content(organization: Organization, content: str) -> str:
    """Message text without trailing whitespace; raises BAD_REQUEST if it may not be sent."""
    content = content.rstrip()
    if not content.strip():
        raise ServiceError("Message must not be empty")
    if "\x00" in content:
        raise ServiceError("Message must not contain null bytes")
    check_length("Message", content, organization.config.limits.max_message_length)
    return content


def send_to_channel(
    organization: Organization,
    sender: User,
    channel: Channel,
    topic: str,
    content: str,
    origin: Origin = Origin(),
) -> Sent:
    """Sends to a topic, which `topics.checked` returned. Raises ServiceError if the sender may not post there."""
    content = check_content(organization, content)
    check_may_post(organization, sender, channel, topic)
    rendering = rendered(organization, sender, content)
    check_mentions(rendering)
    check_wildcards(organization, sender, channel, rendering)
    is_new_topic = not topics.exists(organization, channel.id, topic)
    recipients = set(access.subscriber_ids(organization, channel.id)) | {sender.id}
    message = _insert(organization, sender, content, rendering, origin, channel_id=channel.id, topic=topic)
    bits = _mention_bits(organization, message, rendering, recipients)
    stored = _deliver(organization, message, recipients, bits, origin)
    if channel.first_message_id is None:
        refresh_first_message(organization, channel.id)
    policy = follow_after_sending(organization, sender, channel.id, topic, initiates=is_new_topic)
    mentioned = [user_id for user_id, flag in bits.items() if flag & flags.MENTIONS]
    follow_after_mentions(organization, mentioned, channel.id, topic)
    _emit(organization, message, sender, stored, origin, public=not channel.invite_only)
    return Sent(message.id, policy)


def post_notice(
    organization: Organization,
    channel: Channel,
    topic: str,
    content: str,
    origin: Origin,
    readers: Iterable[int] = (),
) -> int:
    """Posts a notice of the bot, regardless of permissions; returns its id. It is read already for `readers`."""
    sender = notification_bot(organization)
    rendering = rendered(organization, sender, content)
    recipients = set(access.subscriber_ids(organization, channel.id))
    message = _insert(organization, sender, content, rendering, origin, channel_id=channel.id, topic=topic)
    read = {user_id: int(FlagBit.READ) for user_id in readers}
    stored = _deliver(organization, message, recipients, read, origin)
    if channel.first_message_id is None:
        refresh_first_message(organization, channel.id)
    _emit(organization, message, sender, stored, origin, public=not channel.invite_only)
    return message.id


def send_direct(
    organization: Organization,
    sender: User,
    recipients: Iterable[User],
    content: str,
    origin: Origin = Origin(),
) -> Sent:
    """Sends to users; the sender is added, and is the only recipient of a note to self."""
    content = check_content(organization, content)
    people = {user.id: user for user in recipients} | {sender.id: sender}
    check_direct(organization, sender, list(people.values()))
    rendering = rendered(organization, sender, content)
    check_mentions(rendering)
    with visibility_may_change(organization):
        conversation_id = conversation_of(organization, people)
    message = _insert(organization, sender, content, rendering, origin, conversation_id=conversation_id)
    active = {user.id for user in people.values() if user.is_active and not user.is_system_bot}
    bits = _mention_bits(organization, message, rendering, active)
    stored = _deliver(organization, message, active, bits, origin)
    _emit(organization, message, sender, stored, origin, public=False)
    return Sent(message.id)


def conversation_of(organization: Organization, user_ids: Iterable[int]) -> int:
    """The id of the conversation of these users, created if there is none."""
    members = sorted(set(user_ids))
    existing = find_conversation(organization, members)
    if existing is not None:
        return existing
    key = ",".join(str(identity) for identity in members)
    conversation_id = organization.store.insert("INSERT INTO conversations (members) VALUES (?)", key)
    organization.store.execute_many(
        "INSERT INTO conversation_members (conversation_id, user_id) VALUES (?, ?)",
        [(conversation_id, user_id) for user_id in members],
    )
    return conversation_id


def _insert(
    organization: Organization,
    sender: User,
    content: str,
    rendering: RenderedMarkdown,
    origin: Origin,
    *,
    channel_id: int | None = None,
    topic: str = "",
    conversation_id: int | None = None,
) -> Message:
    timestamp = organization.now() if origin.timestamp is None else origin.timestamp
    message_id = organization.store.insert(
        "INSERT INTO messages (sender_id, channel_id, topic, conversation_id, content, rendered, timestamp, client,"
        " is_me, has_link, has_image, has_attachment) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        sender.id,
        channel_id,
        topic,
        conversation_id,
        content,
        rendering.html,
        timestamp,
        origin.client,
        rendering.is_me_message,
        rendering.has_link,
        rendering.has_image,
        rendering.has_attachment,
    )
    organization.store.execute(
        "INSERT INTO message_words (rowid, content, topic) VALUES (?, ?, ?)", message_id, content, topic
    )
    widget = widget_for(content)
    if widget is not None:
        organization.store.insert(
            "INSERT INTO submessages (message_id, sender_id, msg_type, content) VALUES (?, ?, 'widget', ?)",
            message_id,
            sender.id,
            json.dumps(widget),
        )
    message = access.find_message(organization, message_id)
    assert message is not None
    claim_attachments(organization, sender, message, rendering.attachments)
    return message


def _mention_bits(
    organization: Organization, message: Message, rendering: RenderedMarkdown, recipients: set[int]
) -> dict[int, int]:
    """Flags that follow from the text, for those who have any; only for `recipients`."""
    bits: dict[int, int] = {}

    def give(user_ids: Iterable[int], flag: FlagBit) -> None:
        for user_id in user_ids:
            if user_id in recipients:
                bits[user_id] = bits.get(user_id, 0) | int(flag)

    give(rendering.user_ids, FlagBit.MENTIONED)
    for group_id in rendering.group_ids:
        give(all_members(organization, group_id), FlagBit.GROUP_MENTIONED)
    if rendering.channel_wildcard:
        give(recipients, FlagBit.CHANNEL_WILDCARD)
    if rendering.topic_wildcard:
        give(topic_participants(organization, message), FlagBit.TOPIC_WILDCARD)
    give(rendering.alert_user_ids, FlagBit.ALERT_WORD)
    return bits


def topic_participants(organization: Organization, message: Message) -> set[int]:
    """Users who wrote or reacted in the message's topic; for a direct message, everyone in the conversation."""
    if message.channel_id is None:
        return set(
            organization.store.integers(
                "SELECT user_id FROM conversation_members WHERE conversation_id = ?", message.conversation_id
            )
        )
    writers = organization.store.integers(
        "SELECT DISTINCT sender_id FROM messages WHERE channel_id = ? AND topic = ?",
        message.channel_id,
        message.topic,
    )
    reactors = organization.store.integers(
        "SELECT DISTINCT r.user_id FROM reactions r JOIN messages m ON m.id = r.message_id"
        " WHERE m.channel_id = ? AND m.topic = ?",
        message.channel_id,
        message.topic,
    )
    return set(writers) | set(reactors)


def mention_bits(
    organization: Organization, message: Message, rendering: RenderedMarkdown, recipients: set[int]
) -> dict[int, int]:
    """Flags that follow from an edited text, by recipient."""
    return _mention_bits(organization, message, rendering, recipients)


def _deliver(
    organization: Organization, message: Message, recipients: set[int], bits: dict[int, int], origin: Origin
) -> dict[int, int]:
    """Adds the message to the recipients' histories; returns the flags of each."""
    muters = set(
        organization.store.integers("SELECT user_id FROM muted_users WHERE muted_id = ?", message.sender_id)
    )
    stored: dict[int, int] = {}
    for user_id in recipients:
        own = bits.get(user_id, 0)
        if user_id in muters or (user_id == message.sender_id and origin.read_by_sender):
            own |= int(FlagBit.READ)
        stored[user_id] = own
    organization.store.execute_many(
        "INSERT INTO user_messages (user_id, message_id, flags) VALUES (?, ?, ?)",
        [(user_id, message.id, own) for user_id, own in stored.items()],
    )
    return stored


def _emit(
    organization: Organization,
    message: Message,
    sender: User,
    stored: dict[int, int],
    origin: Origin,
    *,
    public: bool,
) -> None:
    local = None
    if origin.queue_id is not None and origin.local_id is not None:
        local = (origin.queue_id, origin.local_id)
    shown = message_objects(organization, [message])[0]
    per_user = {user_id: flags.fields(own, organization.level) for user_id, own in stored.items()}
    seeing = set(watchers(organization, sender, stored))
    if blind := stored.keys() - seeing:
        hidden = without_sender(organization, shown, sender.id)
        organization.emit({"type": "message", "message": hidden, "flags": []}, blind, per_user=per_user)
    organization.emit(
        {"type": "message", "message": shown, "flags": []},
        seeing,
        per_user=per_user,
        public_channel=public,
        local=local,
    )
