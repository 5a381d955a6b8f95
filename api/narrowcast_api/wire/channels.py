"""Channels, subscriptions, topics and folders (TOP and USUB rows)."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from .base import Good, GoodList, Id, Int, Seconds, WireModel, either
from .groups import GroupSettingValue


class Channel(WireModel):
    """A channel. Permissions that the server's level does not know are None.

    ``message_retention_days``: None follows the organization, -1 is for ever. ``stream_weekly_traffic``:
    messages a week, None while the channel is young.
    """

    stream_id: Id
    name: str
    description: str = ""
    rendered_description: str = ""
    creator_id: Id | None = None
    date_created: Int | None = None
    invite_only: bool = False
    is_web_public: bool = False
    is_archived: bool = False
    is_announcement_only: bool = False
    is_recently_active: bool = True
    history_public_to_subscribers: bool = True
    stream_post_policy: Int = 1
    message_retention_days: Int | None = None
    first_message_id: Id | None = None
    folder_id: Id | None = None
    topics_policy: str = "inherit"
    stream_weekly_traffic: Int | None = None
    subscriber_count: Int | None = None
    is_default: bool | None = None
    can_add_subscribers_group: GroupSettingValue | None = None
    can_administer_channel_group: GroupSettingValue | None = None
    can_create_topic_group: GroupSettingValue | None = None
    can_delete_any_message_group: GroupSettingValue | None = None
    can_delete_own_message_group: GroupSettingValue | None = None
    can_move_messages_out_of_channel_group: GroupSettingValue | None = None
    can_move_messages_within_channel_group: GroupSettingValue | None = None
    can_remove_subscribers_group: GroupSettingValue | None = None
    can_resolve_topics_group: GroupSettingValue | None = None
    can_send_message_group: GroupSettingValue | None = None
    can_subscribe_group: GroupSettingValue | None = None


class Subscription(Channel):
    """A channel that the caller is subscribed to, with how they want to see it.

    A notification setting of None follows the user's own default. ``subscribers`` is None when not asked for.
    """

    color: str = ""
    is_muted: bool = False
    pin_to_top: bool = False
    desktop_notifications: bool | None = None
    audible_notifications: bool | None = None
    push_notifications: bool | None = None
    email_notifications: bool | None = None
    wildcard_mentions_notify: bool | None = None
    subscribers: GoodList[Id] | None = None
    partial_subscribers: GoodList[Id] | None = None

    @model_validator(mode="before")
    @classmethod
    def _muted_of_old_servers(cls, data: Any) -> Any:
        """Old servers say ``in_home_view``, the opposite of ``is_muted``."""
        if isinstance(data, dict) and "is_muted" not in data and isinstance(data.get("in_home_view"), bool):
            return {**data, "is_muted": not data["in_home_view"]}
        return data


class ChannelList(WireModel):
    """Answer of GET /streams."""

    streams: GoodList[Channel] = []


class ChannelAnswer(WireModel):
    """Answer of GET /streams/{id}."""

    stream: Channel


class ChannelId(WireModel):
    """Answer of GET /get_stream_id and of POST /channels/create."""

    stream_id: Id = Field(validation_alias=either("stream_id", "id"))


class SubscriptionList(WireModel):
    """Answer of GET /users/me/subscriptions."""

    subscriptions: GoodList[Subscription] = []


class Subscribers(WireModel):
    """Answer of GET /streams/{id}/members."""

    subscribers: GoodList[Id] = []


class SubscriptionStatus(WireModel):
    """Answer of GET /users/{id}/subscriptions/{stream_id}."""

    is_subscribed: bool


class SubscribeResult(WireModel):
    """Answer of POST /users/me/subscriptions; keys are user ids, on old servers email addresses."""

    subscribed: Good[dict[str, list[str]]] = {}
    already_subscribed: Good[dict[str, list[str]]] = {}
    unauthorized: GoodList[str] = []
    new_subscription_messages_sent: bool | None = None


class UnsubscribeResult(WireModel):
    """Answer of DELETE /users/me/subscriptions (USUB rows): names of channels."""

    removed: GoodList[str] = []
    not_removed: GoodList[str] = []


class Topic(WireModel):
    """One entry of a list of topics; ``max_id`` is the id of its last message (TOP rows)."""

    name: str
    max_id: Id


class TopicList(WireModel):
    """Answer of GET /users/me/{stream_id}/topics, most recent first."""

    topics: GoodList[Topic] = []


class DeleteTopicResult(WireModel):
    """Answer of delete_topic; below level 211 the answer has no ``complete`` (DTOP rows)."""

    complete: bool = True


class UserTopic(WireModel):
    """How the caller sees one topic; an event and an entry of the snapshot."""

    stream_id: Id
    topic_name: str
    visibility_policy: Int
    last_updated: Seconds = 0


class ChannelFolder(WireModel):
    """A folder of channels, in the organization's order."""

    id: Id
    name: str
    description: str = ""
    rendered_description: str = ""
    order: Int = 0
    date_created: Int | None = None
    creator_id: Id | None = None
    is_archived: bool = False


class ChannelFolderList(WireModel):
    """Answer of GET /channel_folders."""

    channel_folders: GoodList[ChannelFolder] = []


class CreatedChannelFolder(WireModel):
    """Answer of POST /channel_folders/create."""

    channel_folder_id: Id


class ChannelEmail(WireModel):
    """Answer of GET /streams/{id}/email_address."""

    email: str


class SubscribedChannels(WireModel):
    """Answer of GET /users/{id}/channels."""

    subscribed_channel_ids: GoodList[Id] = []
