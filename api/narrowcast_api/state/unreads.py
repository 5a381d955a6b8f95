"""Unread messages, as sets of ids and not as counters, so that counts cannot drift or become negative.

Only messages, their edits, deletions and flags change them. Topics are compared without regard to case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from narrowcast_api.model.messages import MENTION_FLAGS, PERSONAL_MENTION
from narrowcast_api.model.reading import RawRecord, boolean, id_of_key, ids, integer, rows, text
from narrowcast_api.narrow.destinations import fold_topic
from narrowcast_api.state.mute_rules import MuteRules


class TopicPlace(NamedTuple):
    """The place of an unread channel message, with the topic case-folded."""

    channel_id: int
    topic: str


DirectPlace = frozenset[int]
"""The place of an unread direct message: the other participants, empty for a message to the current user."""

Place = TopicPlace | DirectPlace


class Unreads:
    """Ids of unread messages by conversation.

    In a channel without topics that have a policy, all count inside, and the rules are only asked once for the
    overall count.
    """

    def __init__(self, rules: MuteRules) -> None:
        self._rules = rules
        self._topics: dict[int, dict[str, set[int]]] = {}
        self._directs: dict[DirectPlace, set[int]] = {}
        self._places: dict[int, Place] = {}
        self._counts: dict[int, tuple[int, int]] = {}
        self._oldest_told = 0
        self._personal: set[int] = set()
        self._wildcards: set[int] = set()
        self.old_missing = False
        """Whether the server left out the oldest ones, so that a message that is not here may be unread
        nevertheless.
        """

    def load(self, row: RawRecord, me: int) -> None:
        """Loads `unread_msgs` of a snapshot."""
        for entry in rows(row.get("streams")):
            place = TopicPlace(integer(entry, "stream_id"), fold_topic(text(entry, "topic")))
            self._add(place, ids(entry.get("unread_message_ids")))
        for entry in rows(row.get("pms")):
            other = integer(entry, "other_user_id", integer(entry, "sender_id", me))
            self._add(frozenset({other} - {me}), ids(entry.get("unread_message_ids")))
        for entry in rows(row.get("huddles")):
            people = {
                user_id
                for part in text(entry, "user_ids_string").split(",")
                if (user_id := id_of_key(part.strip())) is not None
            }
            self._add(frozenset(people - {me}), ids(entry.get("unread_message_ids")))
        self._personal = set(ids(row.get("mentions"))) & self._places.keys()
        self.old_missing = boolean(row, "old_unreads_missing")
        self._oldest_told = min(self._places, default=0)

    def __contains__(self, message_id: int) -> bool:
        return message_id in self._places

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[int]:
        return iter(self._places)

    def is_unread(self, message_id: int) -> bool | None:
        """Whether a message is unread; None if it is older than the messages that the server reported."""
        if message_id in self._places:
            return True
        return None if self.old_missing and message_id < self._oldest_told else False

    def place(self, message_id: int) -> Place | None:
        """The place of an unread message."""
        return self._places.get(message_id)

    def _add(self, place: Place, message_ids: Iterable[int]) -> None:
        added = list(message_ids)
        if not added:
            return
        if isinstance(place, TopicPlace):
            channel = self._topics.get(place.channel_id)
            if channel is None:
                channel = self._topics[place.channel_id] = {}
            unread = channel.get(place.topic)
            self._counts.pop(place.channel_id, None)
            if unread is None:
                channel[place.topic] = set(added)
            else:
                unread.update(added)
        else:
            self._directs.setdefault(place, set()).update(added)
        for message_id in added:
            self._places[message_id] = place

    def add_topic(self, channel_id: int, topic: str, message_ids: Iterable[int]) -> None:
        """Adds unread messages of a topic."""
        added = list(message_ids)
        self._take(added)
        self._add(TopicPlace(channel_id, fold_topic(topic)), added)

    def add_direct(self, others: Collection[int], message_ids: Iterable[int]) -> None:
        """Adds unread messages of a direct conversation; `others` without the current user."""
        added = list(message_ids)
        self._take(added)
        self._add(frozenset(others), added)

    @property
    def mentions(self) -> set[int]:
        """Unread messages that mention the user; wildcard mentions do not count if the topic or its channel
        is muted.
        """
        counted = {
            message_id for message_id in self._wildcards if self._mention_counts(self._places[message_id])
        }
        return self._personal | counted

    def mentions_by_place(self) -> Counter[Place]:
        """The number of unread mentions in each conversation that has some."""
        return Counter(self._places[message_id] for message_id in self.mentions)

    def _mention_counts(self, place: Place) -> bool:
        return not isinstance(place, TopicPlace) or self._rules.counts_wildcards(
            place.channel_id, place.topic
        )

    def mention(self, message_id: int, flags: Collection[str]) -> bool:
        """Records whether an unread message mentions the user, by `MENTION_FLAGS` in `flags`; returns whether
        that changed.
        """
        is_unread = message_id in self._places
        personal = is_unread and PERSONAL_MENTION in flags
        wildcard = is_unread and not personal and not MENTION_FLAGS.isdisjoint(flags)
        changed = False
        for mentioned, kind in ((personal, self._personal), (wildcard, self._wildcards)):
            if mentioned is not (message_id in kind):
                (kind.add if mentioned else kind.discard)(message_id)
                changed = True
        return changed

    def remove(self, message_ids: Iterable[int]) -> bool:
        """Removes messages that were read or deleted; returns whether any was unread."""
        taken = self._take(message_ids)
        self._personal.difference_update(taken)
        self._wildcards.difference_update(taken)
        return bool(taken)

    def move(self, message_ids: Iterable[int], channel_id: int, topic: str) -> bool:
        """Moves messages to another topic; returns whether any was unread. Mentions are kept."""
        taken = self._take(message_ids)
        self._add(TopicPlace(channel_id, fold_topic(topic)), taken)
        return bool(taken)

    def clear(self) -> bool:
        """Marks everything as read; returns whether anything was unread."""
        changed = bool(self._places) or self.old_missing
        self._topics.clear()
        self._directs.clear()
        self._places.clear()
        self._counts.clear()
        self._personal.clear()
        self._wildcards.clear()
        self.old_missing = False
        return changed

    def remove_channel(self, channel_id: int) -> bool:
        """Removes the messages of a channel that was deleted or unsubscribed from; returns whether any was unread."""
        topics = self._topics.get(channel_id, {})
        return self.remove([message_id for ids_ in topics.values() for message_id in ids_])

    def _take(self, message_ids: Iterable[int]) -> list[int]:
        taken = []
        for message_id in message_ids:
            place = self._places.pop(message_id, None)
            if place is None:
                continue
            taken.append(message_id)
            if isinstance(place, TopicPlace):
                self._take_from_topic(place, message_id)
            else:
                conversation = self._directs[place]
                conversation.discard(message_id)
                if not conversation:
                    del self._directs[place]
        return taken

    def _take_from_topic(self, place: TopicPlace, message_id: int) -> None:
        topics = self._topics[place.channel_id]
        topics[place.topic].discard(message_id)
        if not topics[place.topic]:
            del topics[place.topic]
            if not topics:
                del self._topics[place.channel_id]
        self._counts.pop(place.channel_id, None)

    def recount(self, channel_id: int | None = None) -> None:
        """Discards cached counts of a channel after muting or unmuting; None means of all channels."""
        if channel_id is None:
            self._counts.clear()
        else:
            self._counts.pop(channel_id, None)

    def _count(self, channel_id: int) -> tuple[int, int]:
        """Counts of one channel: within the channel, and as part of the overall count."""
        counts = self._counts.get(channel_id)
        if counts is None:
            topics = self._topics.get(channel_id, {})
            inside = overall = 0
            if not self._rules.has_policies(channel_id):
                inside = sum(map(len, topics.values()))
                overall = inside if self._rules.is_counted(channel_id, "", False) else 0
            else:
                for topic, message_ids in topics.items():
                    inside += len(message_ids) if self._rules.is_counted(channel_id, topic, True) else 0
                    overall += len(message_ids) if self._rules.is_counted(channel_id, topic, False) else 0
            counts = self._counts[channel_id] = (inside, overall)
        return counts

    def count_channel(self, channel_id: int) -> int:
        """The number of unread messages in a channel, without muted topics."""
        return self._count(channel_id)[0] if channel_id in self._topics else 0

    def count_topic(self, channel_id: int, topic: str) -> int:
        """The number of unread messages in a topic, muted or not."""
        return len(self._topics.get(channel_id, {}).get(fold_topic(topic), ()))

    def count_direct(self, user_ids: frozenset[int]) -> int:
        """The number of unread messages in a direct conversation; `user_ids` are the others."""
        return len(self._directs.get(user_ids, ()))

    def count_directs(self) -> int:
        """The number of unread messages in all direct conversations."""
        return sum(len(message_ids) for message_ids in self._directs.values())

    def count_mentions(self) -> int:
        """The number of unread messages that mention the user."""
        return len(self.mentions)

    def count_all(self) -> int:
        """The number of all unread messages, without muted channels and topics."""
        return self.count_directs() + sum(self._count(channel_id)[1] for channel_id in self._topics)

    def topic_ids(self, channel_id: int, topic: str) -> list[int]:
        """The unread messages of a topic, oldest first."""
        return sorted(self._topics.get(channel_id, {}).get(fold_topic(topic), ()))

    def direct_ids(self, user_ids: frozenset[int]) -> list[int]:
        """The unread messages of a direct conversation, oldest first."""
        return sorted(self._directs.get(user_ids, ()))

    def topics(self) -> Iterator[tuple[int, str, int, int]]:
        """Every topic with unread messages: channel, folded topic, count, newest id."""
        for channel_id, topics in self._topics.items():
            for topic, message_ids in topics.items():
                yield channel_id, topic, len(message_ids), max(message_ids)

    def topics_of(self, channel_id: int) -> Iterator[tuple[str, int, int]]:
        """The topics of a channel with unread messages: folded topic, count, newest id."""
        for topic, message_ids in self._topics.get(channel_id, {}).items():
            yield topic, len(message_ids), max(message_ids)

    def directs(self) -> Iterator[tuple[frozenset[int], int, int]]:
        """Every direct conversation with unread messages: the others, count, newest id."""
        for others, message_ids in self._directs.items():
            yield others, len(message_ids), max(message_ids)
