"""Where a message is sent: a topic of a channel, or a direct conversation. Quick to import."""

from __future__ import annotations

from msgspec import Struct


def fold_topic(topic: str) -> str:
    """The form in which topics are compared, which ignores case."""
    return topic.lower()


class ChannelDestination(Struct, frozen=True, array_like=True, tag="channel"):
    """A topic of a channel. Topics that differ only in case are the same conversation: compare `key`."""

    channel_id: int
    topic: str

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for all spellings of one conversation."""
        return ("channel", self.channel_id, fold_topic(self.topic))


class DirectDestination(Struct, frozen=True, array_like=True, tag="direct"):
    """A direct conversation: the ids of the other users, without the current user. Empty means a note to self."""

    user_ids: frozenset[int]

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for all destinations of one conversation."""
        return ("direct", self.user_ids)


Destination = ChannelDestination | DirectDestination


def same_conversation(one: Destination | None, other: Destination | None) -> bool:
    """Whether both are destinations, and of the same conversation."""
    return one is not None and other is not None and one.key == other.key
