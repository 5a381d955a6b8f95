"""Events about channels, subscriptions, topics and folders."""

from __future__ import annotations

from typing import Any, Literal

from narrowcast_api.model.reading import RawRecord
from narrowcast_api.wire.channels import Channel, ChannelFolder, Subscription
from narrowcast_api.wire.model import GoodList, Id, Seconds, WireModel

from .base import Event


def _channel_ids(items: object) -> object:
    """The ids in a list of ids, or of channels as old servers send them."""
    if not isinstance(items, list):
        return items
    return [item.get("stream_id") if isinstance(item, dict) else item for item in items]


class StreamEvent(Event):
    """Root of what happens to channels."""

    type: Literal["stream"] = "stream"


class StreamCreateEvent(StreamEvent):
    """The caller can see these channels now."""

    op: Literal["create"] = "create"
    streams: GoodList[Channel]


class StreamDeleteEvent(StreamEvent):
    """The caller cannot see these channels any more."""

    op: Literal["delete"] = "delete"
    stream_ids: list[Id]

    @classmethod
    def prepared(cls, row: RawRecord) -> RawRecord:
        return row if "stream_ids" in row else {**row, "stream_ids": _channel_ids(row.get("streams"))}


class StreamUpdateEvent(StreamEvent):
    """One property of a channel changed to ``value``; ``name`` is the channel's name before the event.

    Comes with ``rendered_description``, or with ``history_public_to_subscribers`` and ``is_web_public``,
    where those change along.
    """

    op: Literal["update"] = "update"
    stream_id: Id
    property: str
    value: Any = None
    name: str = ""
    rendered_description: str | None = None
    history_public_to_subscribers: bool | None = None
    is_web_public: bool | None = None

    def changes(self) -> dict[str, Any]:
        """Every field of the channel that this event changes, by its name on the wire."""
        values = {self.property: self.value}
        for name in ("rendered_description", "history_public_to_subscribers", "is_web_public"):
            if self.was_sent(name):
                values[name] = getattr(self, name)
        return values


class SubscriptionEvent(Event):
    """Root of what happens to subscriptions."""

    type: Literal["subscription"] = "subscription"


class SubscriptionAddEvent(SubscriptionEvent):
    """The caller is subscribed to these channels now."""

    op: Literal["add"] = "add"
    subscriptions: GoodList[Subscription]


class RemovedSubscription(WireModel):
    """A channel that was left."""

    stream_id: Id
    name: str = ""


class SubscriptionRemoveEvent(SubscriptionEvent):
    """The caller is no longer subscribed to these channels."""

    op: Literal["remove"] = "remove"
    subscriptions: GoodList[RemovedSubscription]


class SubscriptionUpdateEvent(SubscriptionEvent):
    """How the caller sees a channel changed.

    ``in_home_view`` is the old opposite of ``is_muted``; both come.
    """

    op: Literal["update"] = "update"
    stream_id: Id
    property: str
    value: Any = None


class SubscriptionPeerEvent(SubscriptionEvent):
    """Other people joined or left channels."""

    stream_ids: list[Id]
    user_ids: list[Id]

    @classmethod
    def prepared(cls, row: RawRecord) -> RawRecord:
        modern = dict(row)
        for many, one in (("stream_ids", "stream_id"), ("user_ids", "user_id")):
            if many not in modern and one in modern:
                modern[many] = [modern[one]]
        return modern


class SubscriptionPeerAddEvent(SubscriptionPeerEvent):
    """Other people joined channels."""

    op: Literal["peer_add"] = "peer_add"


class SubscriptionPeerRemoveEvent(SubscriptionPeerEvent):
    """Other people left channels."""

    op: Literal["peer_remove"] = "peer_remove"


class UserTopicEvent(Event):
    """How the caller sees one topic; policy 0 means: as the channel."""

    type: Literal["user_topic"] = "user_topic"
    stream_id: Id
    topic_name: str
    visibility_policy: int
    last_updated: Seconds = 0


class MutedTopicsEvent(Event):
    """The old form of ``user_topic``: all muted topics, each [channel name, topic, time]. Sent beside it."""

    type: Literal["muted_topics"] = "muted_topics"
    muted_topics: GoodList[list[Any]]


class DefaultStreamsEvent(Event):
    """The channels that newcomers join; old servers send whole channels."""

    type: Literal["default_streams"] = "default_streams"
    default_streams: list[Id]

    @classmethod
    def prepared(cls, row: RawRecord) -> RawRecord:
        return {**row, "default_streams": _channel_ids(row.get("default_streams"))}


class DefaultChannelGroupsEvent(Event):
    """The groups of channels that newcomers choose from, all of them."""

    type: Literal["default_stream_groups"] = "default_stream_groups"
    default_stream_groups: list[dict[str, Any]]


class ChannelFolderEvent(Event):
    """Root of what happens to channel folders."""

    type: Literal["channel_folder"] = "channel_folder"


class ChannelFolderAddEvent(ChannelFolderEvent):
    """A channel folder was created."""

    op: Literal["add"] = "add"
    channel_folder: ChannelFolder


class ChannelFolderUpdateEvent(ChannelFolderEvent):
    """Fields of a folder changed; ``data`` holds the new values by name."""

    op: Literal["update"] = "update"
    channel_folder_id: Id
    data: dict[str, Any]


class ChannelFolderReorderEvent(ChannelFolderEvent):
    """The order of all folders."""

    op: Literal["reorder"] = "reorder"
    order: list[Id]
