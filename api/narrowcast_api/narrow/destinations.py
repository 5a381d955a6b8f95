"""Where a message goes: a topic of a channel, or a group of people. Cheap to import."""

from __future__ import annotations

from msgspec import Struct


def fold_topic(topic: str) -> str:
    """The spelling under which topics are compared: case does not tell two of them apart."""
    return topic.lower()


class ChannelDestination(Struct, frozen=True, array_like=True, tag="channel"):
    """A topic of a channel. Topics that differ in case only are the same conversation: compare `key`s."""

    channel_id: int
    topic: str

    @property
    def key(self) -> tuple[object, ...]:
        """The same for every spelling of one conversation."""
        return ("channel", self.channel_id, fold_topic(self.topic))


class DirectDestination(Struct, frozen=True, array_like=True, tag="direct"):
    """A direct conversation: the ids of the others, without oneself. Empty means a note to oneself."""

    user_ids: frozenset[int]

    @property
    def key(self) -> tuple[object, ...]:
        """The same for every spelling of one conversation."""
        return ("direct", self.user_ids)


Destination = ChannelDestination | DirectDestination
