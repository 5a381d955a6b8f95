"""Responses about channels, subscriptions and topics (TOP and USUB rows).

The channels themselves are `narrowcast_api.model.channels`.
"""

from __future__ import annotations

from typing import Annotated

from narrowcast_api.model import channels, topics

from .model import Good, GoodList, Id, WireModel, either, read_by

Channel = Annotated[channels.Channel, read_by(channels.read_channel)]
Subscription = Annotated[channels.Channel, read_by(channels.read_subscribed)]
"""A channel that the current user is subscribed to, with the user's personal settings for it."""

Topic = Annotated[topics.Topic, read_by(topics.read_topic)]
Listed = Annotated[channels.Channel, read_by(channels.read_listed)]


class ChannelList(WireModel):
    """Response of GET /streams."""

    streams: GoodList[Channel] = []


class ChannelResponse(WireModel):
    """Response of GET /streams/{id}."""

    stream: Channel


class ChannelId(WireModel):
    """Response of GET /get_stream_id and of POST /channels/create."""

    stream_id: Annotated[Id, either("stream_id", "id")]


class SubscriptionList(WireModel):
    """Response of GET /users/me/subscriptions."""

    subscriptions: GoodList[Listed] = []


class Subscribers(WireModel):
    """Response of GET /streams/{id}/members."""

    subscribers: GoodList[Id] = []


class SubscriptionStatus(WireModel):
    """Response of GET /users/{id}/subscriptions/{stream_id}."""

    is_subscribed: bool


class SubscribeResult(WireModel):
    """Response of POST /users/me/subscriptions; keys are user ids, on old servers email addresses."""

    subscribed: Good[dict[str, list[str]]] = {}
    already_subscribed: Good[dict[str, list[str]]] = {}
    unauthorized: GoodList[str] = []
    new_subscription_messages_sent: bool | None = None


class UnsubscribeResult(WireModel):
    """Response of DELETE /users/me/subscriptions (USUB rows): names of channels."""

    removed: GoodList[str] = []
    not_removed: GoodList[str] = []


class TopicList(WireModel):
    """Response of GET /users/me/{stream_id}/topics, most recent first."""

    topics: GoodList[Topic] = []


class DeleteTopicResult(WireModel):
    """Response of delete_topic; below level 211 the response has no ``complete`` (DTOP rows)."""

    complete: bool = True


class ChannelEmail(WireModel):
    """Response of GET /streams/{id}/email_address."""

    email: str
