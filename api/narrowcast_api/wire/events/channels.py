"""Events about channels, subscriptions and topics."""

from __future__ import annotations

from typing import Any, Literal

from narrowcast_api.model.reading import RawRecord
from narrowcast_api.wire.channels import Channel, Subscription
from narrowcast_api.wire.event import Event
from narrowcast_api.wire.model import GoodList, Id, Seconds, WireModel


def _channel_ids(items: object) -> object:
    """The channel ids in a list of ids, or of whole channels as old servers send them."""
    if not isinstance(items, list):
        return items
    return [item.get("stream_id") if isinstance(item, dict) else item for item in items]


class StreamEvent(Event):
    """Base class of channel events."""

    type: Literal["stream"] = "stream"


class StreamCreateEvent(StreamEvent):
    """The current user can now see these channels."""

    op: Literal["create"] = "create"
    streams: GoodList[Channel]


class StreamDeleteEvent(StreamEvent):
    """The current user can no longer see these channels."""

    op: Literal["delete"] = "delete"
    stream_ids: list[Id]

    @classmethod
    def prepared(cls, row: RawRecord) -> RawRecord:
        return row if "stream_ids" in row else {**row, "stream_ids": _channel_ids(row.get("streams"))}


class StreamUpdateEvent(StreamEvent):
    """One property of a channel changed to ``value``; ``name`` is the channel's name before the event.

    ``rendered_description``, or ``history_public_to_subscribers`` and ``is_web_public``, are included if the
    change affects them too.
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
        """All fields of the channel that this event changes, by wire name."""
        values = {self.property: self.value}
        for name in ("rendered_description", "history_public_to_subscribers", "is_web_public"):
            if self.was_sent(name):
                values[name] = getattr(self, name)
        return values


class SubscriptionEvent(Event):
    """Base class of subscription events."""

    type: Literal["subscription"] = "subscription"


class SubscriptionAddEvent(SubscriptionEvent):
    """The current user is now subscribed to these channels."""

    op: Literal["add"] = "add"
    subscriptions: GoodList[Subscription]


class RemovedSubscription(WireModel):
    """A channel that the current user unsubscribed from."""

    stream_id: Id
    name: str = ""


class SubscriptionRemoveEvent(SubscriptionEvent):
    """The current user is no longer subscribed to these channels."""

    op: Literal["remove"] = "remove"
    subscriptions: GoodList[RemovedSubscription]


class SubscriptionUpdateEvent(SubscriptionEvent):
    """The current user's personal settings for a channel changed.

    ``in_home_view`` is the older opposite of ``is_muted``; servers send an event for each.
    """

    op: Literal["update"] = "update"
    stream_id: Id
    property: str
    value: Any = None


class SubscriptionPeerEvent(SubscriptionEvent):
    """Other users joined or left channels."""

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
    """Other users joined channels."""

    op: Literal["peer_add"] = "peer_add"


class SubscriptionPeerRemoveEvent(SubscriptionPeerEvent):
    """Other users left channels."""

    op: Literal["peer_remove"] = "peer_remove"


class UserTopicEvent(Event):
    """The current user's visibility policy for one topic; policy 0 means the same as the channel."""

    type: Literal["user_topic"] = "user_topic"
    stream_id: Id
    topic_name: str
    visibility_policy: int
    last_updated: Seconds = 0


class MutedTopicsEvent(Event):
    """The older form of ``user_topic``: all muted topics, each [channel name, topic, time]. Sent in addition to it."""

    type: Literal["muted_topics"] = "muted_topics"
    muted_topics: GoodList[list[Any]]


class DefaultStreamsEvent(Event):
    """The channels that new users are subscribed to; old servers send whole channels."""

    type: Literal["default_streams"] = "default_streams"
    default_streams: list[Id]

    @classmethod
    def prepared(cls, row: RawRecord) -> RawRecord:
        return {**row, "default_streams": _channel_ids(row.get("default_streams"))}
