"""Changing and archiving channels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_api.wire.vocabulary import ChannelSetting, TopicsPolicy
from narrowcast_server.actions.realm import forget_channel
from narrowcast_server.organization.checks import check_length
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Channel, User
from narrowcast_server.queries.channels import channel_object, post_policy
from narrowcast_server.resources.channels.creation import (
    already_exists,
    emit_channel_update,
    emit_default_channels,
    name_is_taken,
    rendered_description,
)
from narrowcast_server.rules.access import who_may_know
from narrowcast_server.rules.channels import check_channel_name, require_content
from narrowcast_server.rules.permissions import outgoing_value

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def rename(organization: Organization, channel: Channel, new_name: str) -> None:
    """Renames a channel; raises CHANNEL_ALREADY_EXISTS if another channel has the name."""
    name = check_channel_name(organization, new_name)
    if name == channel.name:
        raise ServiceError("Channel already has that name.")
    if name_is_taken(organization, name, channel.id):
        raise already_exists(name)
    organization.channels.update(channel.id, name=name)
    emit_channel_update(organization, organization.channels[channel.id], channel.name, "name", name)


def check_description(organization: Organization, description: str) -> str:
    """The description as one line; raises BAD_REQUEST if it is too long."""
    check_length("description", description, organization.config.limits.max_channel_description_length)
    return description.replace("\n", " ").replace("\x00", "").strip()


def describe(organization: Organization, channel: Channel, description: str) -> None:
    text = check_description(organization, description)
    html = rendered_description(organization, text)
    if (text, html) == (channel.description, channel.rendered_description):
        return
    organization.channels.update(channel.id, description=text, rendered_description=html)
    changed = organization.channels[channel.id]
    emit_channel_update(organization, changed, changed.name, "description", text, rendered_description=html)


def set_privacy(
    organization: Organization,
    user: User,
    channel: Channel,
    *,
    private: bool,
    history_public: bool | None,
    web_public: bool,
) -> None:
    """Sets who may find and read the channel; raises ServiceError if the user cannot read it."""
    history = (not private) if history_public is None else history_public
    if web_public and (private or not history):
        raise ServiceError("Invalid parameters")
    if not private and not history:
        raise ServiceError("Invalid parameters")
    if private and channel.is_default:
        raise ServiceError("A default channel cannot be private.")
    if not private and channel.id == organization.settings["moderation_request_channel_id"]:
        raise ServiceError("Moderation request channel must be private.")
    require_content(organization, user, channel)
    if (private, history, web_public) == (channel.invite_only, channel.history_public, channel.is_web_public):
        return
    before = set(who_may_know(organization, channel))
    organization.channels.update(
        channel.id, invite_only=int(private), history_public=int(history), is_web_public=int(web_public)
    )
    changed = organization.channels[channel.id]
    _emit_create(organization, changed, before)
    emit_channel_update(
        organization, changed, changed.name, "invite_only", private,
        history_public_to_subscribers=history, is_web_public=web_public,
    )  # fmt: skip
    _emit_delete(organization, changed, before)


def _emit_create(organization: Organization, channel: Channel, before: set[int]) -> None:
    """Emits `stream` create to those who may now know of the channel."""
    if gained := set(who_may_know(organization, channel)) - before:
        organization.emit(
            {"type": "stream", "op": "create", "streams": [channel_object(organization, channel)]}, gained
        )


def _emit_delete(organization: Organization, channel: Channel, before: set[int]) -> None:
    """Emits `stream` delete to those who may no longer know of the channel."""
    if lost := before - set(who_may_know(organization, channel)):
        gone = [{"stream_id": channel.id}]
        organization.emit(
            {"type": "stream", "op": "delete", "streams": gone, "stream_ids": [channel.id]}, lost
        )


def set_permission(organization: Organization, channel: Channel, name: str, value: object) -> None:
    """Stores a checked permission of a channel and emits it, with the older properties that depend on it."""
    if channel.settings[name] == value:
        return
    before = set(who_may_know(organization, channel))
    present = organization.channels[channel.id].settings
    organization.channels.update(channel.id, settings={**present, name: value})
    changed = organization.channels[channel.id]
    _emit_create(organization, changed, before)
    emit_channel_update(organization, changed, changed.name, name, outgoing_value(organization, value))
    if name == ChannelSetting.SEND_MESSAGE:
        policy = int(post_policy(organization, changed))
        emit_channel_update(organization, changed, changed.name, "stream_post_policy", policy)
        emit_channel_update(organization, changed, changed.name, "is_announcement_only", policy == 2)
    _emit_delete(organization, changed, before)


def set_property(organization: Organization, channel: Channel, name: str, value: object) -> None:
    """Stores a checked plain property: message_retention_days, topics_policy or folder_id."""
    if getattr(channel, name) == value:
        return
    changed = organization.channels.update(channel.id, **{name: value})
    emit_channel_update(organization, changed, changed.name, name, value)


def check_topics_policy(value: str) -> str:
    """A topics policy of channels; raises BAD_REQUEST for other text."""
    if value not in set(TopicsPolicy):
        raise ServiceError("Invalid topics_policy")
    return value


def check_topics_fit_policy(organization: Organization, channel: Channel, policy: str) -> None:
    """Raises BAD_REQUEST if a policy allows only the empty topic, and the channel has messages in others."""
    named = "SELECT 1 FROM messages WHERE channel_id = ? AND topic != '' LIMIT 1"
    if policy == TopicsPolicy.EMPTY_ONLY and organization.store.one(named, channel.id) is not None:
        raise ServiceError(
            "To enable this configuration, all messages in this channel must be in the"
            f" {organization.empty_topic_name} topic. Consider renaming or deleting other topics.",
            empty_topic_display_name=organization.empty_topic_name,
        )


def set_archived(organization: Organization, channel: Channel, archived: bool) -> None:
    """Archives or unarchives a channel. Messages and subscriptions are kept."""
    if channel.is_archived == archived:
        raise ServiceError(f"Channel is {'already' if archived else 'not currently'} deactivated")
    was_default = archived and channel.is_default
    organization.channels.update(
        channel.id, is_archived=int(archived), is_default=int(channel.is_default and not archived)
    )
    changed = organization.channels[channel.id]
    described = channel_object(organization, changed)
    emit_channel_update(organization, changed, changed.name, "is_archived", archived, _channel=described)
    if was_default:
        emit_default_channels(organization)
    if archived:
        forget_channel(organization, channel.id)
