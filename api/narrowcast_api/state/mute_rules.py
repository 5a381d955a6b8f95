"""Which unread messages and mentions count, according to what the user has muted."""

from __future__ import annotations

from narrowcast_api.state.channels import Channels
from narrowcast_api.state.topics import Topics
from narrowcast_api.wire.vocabulary import VisibilityPolicy


class MuteRules:
    """Decides from the channels and topics of a state. It holds no reference to the state, so that a replaced
    state, which is large in a large organization, is freed at once.
    """

    def __init__(self, channels: Channels, topics: Topics) -> None:
        self._channels = channels
        self._topics = topics

    def is_counted(self, channel_id: int, topic: str, inside: bool) -> bool:
        """Whether unread messages of a topic count: not those of archived channels. With `inside` (counting within
        the channel) only the topic's policy matters.
        """
        channel = self._channels.get(channel_id)
        is_archived = channel is not None and channel.is_archived
        return self.is_visible(channel_id, topic, inside) and (inside or not is_archived)

    def has_policies(self, channel_id: int) -> bool:
        """Whether a channel has topics with a policy of their own."""
        return self._topics.has_policies(channel_id)

    def is_visible(self, channel_id: int, topic: str, inside: bool) -> bool:
        """Whether a topic is not muted; with `inside`, by its own policy alone."""
        policy = self._topics.visibility(channel_id, topic)
        if policy is VisibilityPolicy.NONE and not inside:
            channel = self._channels.get(channel_id)
            return channel is not None and channel.is_subscribed and not channel.is_muted
        return policy is not VisibilityPolicy.MUTED

    def is_in_feeds(self, channel_id: int, topic: str, inside: bool) -> bool:
        """Whether the combined feed shows a topic: not if it or its channel is muted. With `inside`, whether the
        channel's feed does, for which only the topic's policy matters.
        """
        policy = self._topics.visibility(channel_id, topic)
        if policy is VisibilityPolicy.NONE and not inside:
            channel = self._channels.get(channel_id)
            return channel is None or not channel.is_muted
        return policy is not VisibilityPolicy.MUTED

    def counts_wildcards(self, channel_id: int, topic: str) -> bool:
        """Whether a wildcard mention in a topic counts as a mention of the user: not if the topic or its
        channel is muted.
        """
        return self.is_in_feeds(channel_id, topic, False)
