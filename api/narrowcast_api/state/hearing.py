"""Which conversations one hears of: what of the unread counts, by what one has muted."""

from __future__ import annotations

from narrowcast_api.state.channels import Channels
from narrowcast_api.state.topics import Topics
from narrowcast_api.wire.vocabulary import VisibilityPolicy


class Hearing:
    """Judges by the channels and topics of a state, which it does not hold: a state that was replaced is then free
    at once, and in a large organization it is large.
    """

    def __init__(self, channels: Channels, topics: Topics) -> None:
        self._channels = channels
        self._topics = topics

    def is_counted(self, channel_id: int, topic: str, inside: bool) -> bool:
        """Whether unread messages of a topic count: inside its channel only the topic's choice matters."""
        policy = self._topics.visibility(channel_id, topic)
        if policy is VisibilityPolicy.NONE and not inside:
            channel = self._channels.get(channel_id)
            return channel is not None and channel.is_subscribed and not channel.is_muted
        return policy is not VisibilityPolicy.MUTED

    def hears_wildcards(self, channel_id: int, topic: str) -> bool:
        """Whether a mention of everybody in a topic is one of oneself: not where one has muted it."""
        policy = self._topics.visibility(channel_id, topic)
        if policy is VisibilityPolicy.NONE:
            channel = self._channels.get(channel_id)
            return channel is None or not channel.is_muted
        return policy is not VisibilityPolicy.MUTED
