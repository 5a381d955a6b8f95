"""Permissions to send, change and delete messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from narrowcast_server.markdown import RenderedMarkdown
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Channel, Message, User
from narrowcast_server.rules import access, topics
from narrowcast_server.rules.permissions import allows_in, channel_allows, realm_allows
from narrowcast_server.rules.visibility import check_sees_recipients

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


_MAX_WITHOUT_PERMISSION: Final = 15
"""Wildcard mentions in channels with more subscribers than this need a permission."""


def check_may_post(organization: Organization, sender: User, channel: Channel, topic: str) -> None:
    """Raises BAD_REQUEST if the sender may not send to the topic."""
    check_may_post_somewhere(organization, sender, channel)
    topics.check_policy(organization, channel, topic)
    check_may_begin_topic(organization, sender, channel, topic)


def check_may_post_somewhere(organization: Organization, sender: User, channel: Channel) -> None:
    """Raises BAD_REQUEST if the sender may not send to any topic of the channel."""
    if channel.is_archived or not access.may_read(organization, sender, channel):
        raise ServiceError(f"Not authorized to send to channel '{channel.name}'")
    members_only = channel.invite_only or sender.is_guest
    if members_only and not access.is_subscribed(organization, sender.id, channel.id):
        raise ServiceError(f"Not authorized to send to channel '{channel.name}'")
    if not channel_allows(organization, sender, channel, "can_send_message_group"):
        raise ServiceError("You do not have permission to post in this channel.")


def check_may_begin_topic(organization: Organization, user: User, channel: Channel, topic: str) -> None:
    """Raises BAD_REQUEST if the user sees no messages of the topic and may not create topics."""
    if channel_allows(organization, user, channel, "can_create_topic_group"):
        return
    if not access.newest_in_topic(organization, user, channel, topic, 1):
        raise ServiceError("You do not have permission to create new topics in this channel.")


def check_wildcards(
    organization: Organization, sender: User, channel: Channel, rendering: RenderedMarkdown
) -> None:
    """Raises ServiceError for a wildcard mention of many users without permission."""
    if not (rendering.channel_wildcard or rendering.topic_wildcard):
        return
    if len(access.subscriber_ids(organization, channel.id)) > _MAX_WITHOUT_PERMISSION and not realm_allows(
        organization, sender, "can_mention_many_users_group"
    ):
        kind = "STREAM" if rendering.channel_wildcard else "TOPIC"
        raise ServiceError(
            "You do not have permission to use wildcard mentions here.",
            f"{kind}_WILDCARD_MENTION_NOT_ALLOWED",
        )


def check_mentions(rendering: RenderedMarkdown) -> None:
    """Raises BAD_REQUEST for a mention of a group that the sender may not mention."""
    if rendering.refused_groups:
        raise ServiceError(f"You are not allowed to mention user group '{rendering.refused_groups[0]}'.")


def check_direct(organization: Organization, sender: User, people: Sequence[User]) -> None:
    """Raises BAD_REQUEST for deactivated or invisible recipients, and if a restriction of direct messages applies."""
    others = [user for user in people if user.id != sender.id]
    check_sees_recipients(organization, sender, others)
    for user in others:
        if not user.is_active:
            raise ServiceError(f"'{user.full_name}' is no longer using this organization.")
    if not others or sender.is_system_bot or all(user.is_bot for user in others):
        return
    if not any(realm_allows(organization, user, "direct_message_permission_group") for user in people):
        raise ServiceError("Direct messages are disabled in this organization.")
    if realm_allows(organization, sender, "direct_message_initiator_group"):
        return
    if find_conversation(organization, [user.id for user in people]) is None:
        raise ServiceError("You do not have permission to initiate direct message conversations.")


def find_conversation(organization: Organization, user_ids: Iterable[int]) -> int | None:
    """The id of the direct conversation of exactly these users; None if there is none."""
    key = ",".join(str(identity) for identity in sorted(set(user_ids)))
    return organization.store.integer("SELECT id FROM conversations WHERE members = ?", key)


LEEWAY_SECONDS: Final = 20
"""Grace period after a time limit, for edits begun before it."""


def oldest_in_time(organization: Organization, setting: str) -> int | None:
    """The earliest send time of messages that may still be changed under a time limit; None without a limit."""
    limit = organization.settings[setting]
    return organization.now() - limit - LEEWAY_SECONDS if isinstance(limit, int) and limit > 0 else None


def _is_too_old(organization: Organization, message: Message, setting: str) -> bool:
    oldest = oldest_in_time(organization, setting)
    return oldest is not None and message.timestamp < oldest


def check_may_edit(organization: Organization, user: User, message: Message) -> None:
    """Raises BAD_REQUEST if the user may not edit the text: not their own message, too late, or turned off."""
    if not organization.setting("allow_message_editing", bool):
        raise ServiceError("Your organization has turned off message editing")
    if message.sender_id != user.id:
        raise ServiceError("You don't have permission to edit this message")
    if _is_too_old(organization, message, "message_content_edit_limit_seconds"):
        raise ServiceError("The time limit for editing this message has passed")


def check_may_delete(organization: Organization, user: User, message: Message) -> None:
    """Raises BAD_REQUEST without permission to delete any message, or own ones (or those of own bots) in time."""
    channel = None if message.channel_id is None else organization.channels[message.channel_id]
    any_message, own_message = "can_delete_any_message_group", "can_delete_own_message_group"
    if allows_in(organization, user, channel, any_message, any_message):
        return
    sender = organization.users[message.sender_id]
    is_own = user.id in (sender.id, sender.bot_owner_id)
    if not is_own or not allows_in(organization, user, channel, own_message, own_message):
        raise ServiceError("You don't have permission to delete this message")
    if _is_too_old(organization, message, "message_content_delete_limit_seconds"):
        raise ServiceError("The time limit for deleting this message has passed")
