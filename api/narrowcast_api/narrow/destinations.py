"""Where a message is sent: a topic of a channel, or a direct conversation. Quick to import."""

from __future__ import annotations

from msgspec import Struct

from narrowcast_api.model.reading import RawRecord, ids, text


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


def read_destination(row: RawRecord) -> Destination | None:
    """Reads the destination of a draft or scheduled message, including the current user; None if it has none."""
    to = row.get("to")
    people = ids([to] if type(to) is int else to)
    if row.get("type") in ("stream", "channel"):
        return ChannelDestination(people[0], text(row, "topic")) if people else None
    if row.get("type") in ("private", "direct"):
        return DirectDestination(frozenset(people)) if people else None
    return None


def others_only(destination: Destination | None, me: int) -> Destination | None:
    """The destination without the user `me`."""
    if isinstance(destination, DirectDestination):
        return DirectDestination(destination.user_ids - {me})
    return destination
