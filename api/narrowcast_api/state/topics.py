"""The topics of channels, and the user's policies for them.

A channel's list of topics is fetched from the server when needed; otherwise only topics of messages seen so
far are known. Topics are compared without regard to case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from narrowcast_api.model.topics import Topic
from narrowcast_api.narrow.destinations import fold_topic
from narrowcast_api.wire.vocabulary import VisibilityPolicy


class Topics:
    """The known topics, by channel."""

    def __init__(self) -> None:
        self._known: dict[int, dict[str, Topic]] = {}
        self._loaded: set[int] = set()
        self._policies: dict[tuple[int, str], tuple[str, int]] = {}
        self._chosen: frozenset[int] | None = None
        self.departures = 0
        """How often messages have left a topic. A list that was requested before that may be outdated."""

    def of(self, channel_id: int) -> list[Topic]:
        """The known topics of a channel, the most recent first."""
        return sorted(self._known.get(channel_id, {}).values(), key=lambda topic: -topic.max_id)

    def is_loaded(self, channel_id: int) -> bool:
        """Whether `of` returns all topics, not only those of messages seen so far."""
        return channel_id in self._loaded

    def name(self, channel_id: int, topic: str) -> str:
        """The spelling of a topic in its messages; `topic` itself if none is known."""
        seen = self._known.get(channel_id, {}).get(fold_topic(topic))
        return seen.name if seen is not None else topic

    def load(self, channel_id: int, topics: Iterable[Topic], since: int) -> None:
        """Replaces the list of a channel by the server's response, except for topics of messages after `since`,
        the newest message that was known when the request was made: the response may lack them.
        """
        table = {fold_topic(topic.name): topic for topic in topics}
        for key, topic in self._known.get(channel_id, {}).items():
            if topic.max_id > max(since, table[key].max_id if key in table else 0):
                table[key] = topic
        self._known[channel_id] = table
        self._loaded.add(channel_id)

    def add_message(self, channel_id: int, topic: str, message_id: int) -> bool:
        """Records a message in a topic; returns whether that changed the list."""
        table = self._known.setdefault(channel_id, {})
        key = fold_topic(topic)
        old = table.get(key)
        if old is not None and old.max_id >= message_id:
            return False
        table[key] = Topic(topic, message_id)
        return True

    def remove_messages(self, channel_id: int, topic: str, message_ids: Iterable[int]) -> None:
        """Records that messages left a topic. If its newest one did, the topic is removed and the list must
        be loaded again.
        """
        self.departures += 1
        table = self._known.get(channel_id, {})
        key = fold_topic(topic)
        old = table.get(key)
        if old is not None and old.max_id in set(message_ids):
            self._loaded.discard(channel_id)
            del table[key]

    def forget(self, channel_id: int) -> None:
        self._known.pop(channel_id, None)
        self._loaded.discard(channel_id)

    def visibility(self, channel_id: int, topic: str) -> VisibilityPolicy:
        """The user's policy for a topic."""
        entry = self._policies.get((channel_id, fold_topic(topic)))
        return VisibilityPolicy(entry[1]) if entry is not None else VisibilityPolicy.NONE

    def set_visibility(self, channel_id: int, topic: str, policy: int) -> None:
        """Sets the policy of a topic; NONE or an unknown value removes it."""
        key = (channel_id, fold_topic(topic))
        if policy in (VisibilityPolicy.MUTED, VisibilityPolicy.UNMUTED, VisibilityPolicy.FOLLOWED):
            self._policies[key] = (topic, policy)
        else:
            self._policies.pop(key, None)
        self._chosen = None

    def has_policies(self, channel_id: int) -> bool:
        """Whether the user has a policy for any topic of the channel."""
        if self._chosen is None:
            self._chosen = frozenset(chosen for chosen, _ in self._policies)
        return channel_id in self._chosen

    def policies(self) -> Iterator[tuple[int, str, VisibilityPolicy]]:
        """All policies: channel, topic, policy."""
        for (channel_id, _), (topic, policy) in self._policies.items():
            yield channel_id, topic, VisibilityPolicy(policy)

    def clear_muted(self) -> None:
        """Removes the policies of all muted topics, before an old server's full list in `muted_topics` is loaded."""
        self._policies = {
            key: entry for key, entry in self._policies.items() if entry[1] != VisibilityPolicy.MUTED
        }
        self._chosen = None
