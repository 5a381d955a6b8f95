"""The topics of channels, and what one has chosen for them.

A channel's list of topics comes from the server when somebody looks at it; until then, and between, the
topics that messages were seen in are known. Topics are compared without regard to case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from narrowcast_api.model.topics import Topic
from narrowcast_api.narrow.destinations import fold_topic
from narrowcast_api.wire.vocabulary import VisibilityPolicy


class Topics:
    """What is known of topics, by channel."""

    def __init__(self) -> None:
        self._known: dict[int, dict[str, Topic]] = {}
        self._loaded: set[int] = set()
        self._policies: dict[tuple[int, str], tuple[str, int]] = {}
        self._chosen: frozenset[int] | None = None

    def of(self, channel_id: int) -> list[Topic]:
        """The topics known of a channel, the most recent first."""
        return sorted(self._known.get(channel_id, {}).values(), key=lambda topic: -topic.max_id)

    def is_loaded(self, channel_id: int) -> bool:
        """Whether `of` has all topics, as opposed to those that happened to be seen."""
        return channel_id in self._loaded

    def name(self, channel_id: int, topic: str) -> str:
        """The spelling that messages in the topic have; `topic` itself if none is known."""
        seen = self._known.get(channel_id, {}).get(fold_topic(topic))
        return seen.name if seen is not None else topic

    def load(self, channel_id: int, topics: Iterable[Topic]) -> None:
        """Takes the whole list as the server answered it."""
        newest = self._known.get(channel_id, {})
        table = {fold_topic(topic.name): topic for topic in topics}
        # a message that came while the answer travelled is newer than the answer
        last = max((topic.max_id for topic in table.values()), default=0)
        table.update((key, topic) for key, topic in newest.items() if topic.max_id > last)
        self._known[channel_id] = table
        self._loaded.add(channel_id)

    def see(self, channel_id: int, topic: str, message_id: int) -> bool:
        """A message is in a topic; says whether that changed the list."""
        table = self._known.setdefault(channel_id, {})
        key = fold_topic(topic)
        old = table.get(key)
        if old is not None and old.max_id >= message_id:
            return False
        table[key] = Topic(topic, message_id)
        return True

    def lose(self, channel_id: int, topic: str, message_ids: Iterable[int]) -> None:
        """Messages left a topic. If its last one did, what is left of it is for the server to say."""
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
        """What one has chosen for a topic."""
        entry = self._policies.get((channel_id, fold_topic(topic)))
        return VisibilityPolicy(entry[1]) if entry is not None else VisibilityPolicy.NONE

    def set_visibility(self, channel_id: int, topic: str, policy: int) -> None:
        """Takes a choice; NONE, or one that this client does not know, forgets it."""
        key = (channel_id, fold_topic(topic))
        if policy in (VisibilityPolicy.MUTED, VisibilityPolicy.UNMUTED, VisibilityPolicy.FOLLOWED):
            self._policies[key] = (topic, policy)
        else:
            self._policies.pop(key, None)
        self._chosen = None

    def has_choices(self, channel_id: int) -> bool:
        """Whether one has chosen anything for a topic of the channel."""
        if self._chosen is None:
            self._chosen = frozenset(chosen for chosen, _ in self._policies)
        return channel_id in self._chosen

    def policies(self) -> Iterator[tuple[int, str, VisibilityPolicy]]:
        """Every choice: channel, topic, which."""
        for (channel_id, _), (topic, policy) in self._policies.items():
            yield channel_id, topic, VisibilityPolicy(policy)

    def clear_muted(self) -> None:
        """Forgets which topics are muted, before the whole list of an old server's `muted_topics` comes."""
        self._policies = {
            key: entry for key, entry in self._policies.items() if entry[1] != VisibilityPolicy.MUTED
        }
        self._chosen = None
