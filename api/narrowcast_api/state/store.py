"""The messages that are known, with the order of direct conversations that follows from them."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator
from typing import Final

from narrowcast_api.model.messages import Message
from narrowcast_api.model.reading import ids, integer, rows

_MOST_SEEN: Final = 50
"""So many messages of a direct conversation are remembered, for the time when the last one is deleted."""


class Messages:
    """Messages by id. What is not here may exist all the same."""

    def __init__(self) -> None:
        self._by_id: dict[int, Message] = {}

    def __len__(self) -> int:
        return len(self._by_id)

    def __contains__(self, message_id: int) -> bool:
        return message_id in self._by_id

    def __iter__(self) -> Iterator[Message]:
        return iter(self._by_id.values())

    def get(self, message_id: int) -> Message | None:
        """The message with this id."""
        return self._by_id.get(message_id)

    def put(self, message: Message) -> None:
        """Adds a message, or takes a newer value of it."""
        self._by_id[message.id] = message

    def remove(self, message_ids: Iterable[int]) -> tuple[int, ...]:
        """Forgets messages; returns those that were known."""
        return tuple(i for i in message_ids if self._by_id.pop(i, None) is not None)

    def known(self, message_ids: Iterable[int]) -> list[Message]:
        """Those of the messages that are known."""
        messages = (self._by_id.get(message_id) for message_id in message_ids)
        return [message for message in messages if message is not None]


class Directs:
    """Direct conversations by their last message. A conversation is the others' ids, empty for notes to
    oneself.
    """

    def __init__(self) -> None:
        self._newest: dict[frozenset[int], int] = {}
        self._seen: dict[frozenset[int], list[int]] = {}
        """The messages since the snapshot, ascending, and the one that it named."""
        self._begun_earlier: dict[frozenset[int], int] = {}
        """Those that had messages before what is known of them, which begins with this one."""
        self._order: list[frozenset[int]] | None = None

    def load(self, value: object, me: int) -> None:
        """Takes `recent_private_conversations` of a snapshot."""
        for row in rows(value):
            others = frozenset(ids(row.get("user_ids"))) - {me}
            newest = integer(row, "max_message_id")
            self.see(others, newest)
            self._begun_earlier[others] = newest

    def see(self, others: frozenset[int], message_id: int) -> None:
        """A message is in a conversation. Of one before those that are known, others may have followed."""
        seen = self._seen.setdefault(others, [])
        if message_id in seen or message_id < self._begun_earlier.get(others, message_id):
            return
        insort(seen, message_id)
        if len(seen) > _MOST_SEEN:
            del seen[0]
            self._begun_earlier[others] = seen[0]
        if message_id > self._newest.get(others, -1):
            self._newest[others] = message_id
            self._order = None

    def lose(self, message_ids: set[int]) -> None:
        """Messages are gone, of which nothing more may be known than their ids.

        A conversation of which no message is known any more keeps its place if it may have earlier ones.
        """
        for others, newest in list(self._newest.items()):
            seen = self._seen[others]
            if message_ids.isdisjoint(seen):
                continue
            seen[:] = [message_id for message_id in seen if message_id not in message_ids]
            if seen:
                self._newest[others] = min(newest, seen[-1])
            elif others not in self._begun_earlier:
                del self._newest[others]
            self._order = None

    def is_known(self, others: frozenset[int]) -> bool:
        """Whether the last message of a conversation is known to be there still."""
        return bool(self._seen.get(others))

    def newest(self, others: frozenset[int]) -> int | None:
        """The id of the last message of a conversation."""
        return self._newest.get(others)

    def recent(self) -> list[frozenset[int]]:
        """The conversations, the one with the newest message first. Do not change the list."""
        if self._order is None:
            self._order = sorted(self._newest, key=lambda others: -self._newest[others])
        return self._order
