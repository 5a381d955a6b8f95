"""The known messages, and the order of direct conversations by their last message."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator
from typing import Final

from narrowcast_api.model.messages import Message
from narrowcast_api.model.reading import ids, integer, rows

_MAX_KNOWN: Final = 50
"""The number of messages remembered per direct conversation, in case the last ones are deleted."""


class Messages:
    """Messages by id. Messages that are not here may exist on the server."""

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
        """Adds a message, or replaces it by a newer version."""
        self._by_id[message.id] = message

    def remove(self, message_ids: Iterable[int]) -> tuple[int, ...]:
        """Removes messages; returns those that were known."""
        return tuple(i for i in message_ids if self._by_id.pop(i, None) is not None)

    def known(self, message_ids: Iterable[int]) -> list[Message]:
        """Those of the messages that are known."""
        messages = (self._by_id.get(message_id) for message_id in message_ids)
        return [message for message in messages if message is not None]


class Directs:
    """Direct conversations by their last message. The key is the ids of the others, empty for messages to the
    current user.
    """

    def __init__(self) -> None:
        self._newest: dict[frozenset[int], int] = {}
        self._known: dict[frozenset[int], list[int]] = {}
        """The known messages of each conversation, ascending: those since the snapshot, and the one that it
        contained.
        """
        self._begun_earlier: dict[frozenset[int], int] = {}
        """The id of the first known message of each conversation that may have earlier ones."""
        self._order: list[frozenset[int]] | None = None

    def load(self, value: object, me: int) -> None:
        """Takes `recent_private_conversations` of a snapshot."""
        for row in rows(value):
            others = frozenset(ids(row.get("user_ids"))) - {me}
            newest = integer(row, "max_message_id")
            self.add_message(others, newest)
            self._begun_earlier[others] = newest

    def add_message(self, others: frozenset[int], message_id: int) -> None:
        """Adds a message to a conversation. One before the first known is ignored, because unknown ones may
        have followed.
        """
        seen = self._known.setdefault(others, [])
        if message_id in seen or message_id < self._begun_earlier.get(others, message_id):
            return
        insort(seen, message_id)
        if len(seen) > _MAX_KNOWN:
            del seen[0]
            self._begun_earlier[others] = seen[0]
        if message_id > self._newest.get(others, -1):
            self._newest[others] = message_id
            self._order = None

    def remove_messages(self, message_ids: set[int]) -> None:
        """Removes deleted messages, of which only the ids may be known.

        A conversation without known messages keeps its place if it may have earlier ones.
        """
        for others, newest in list(self._newest.items()):
            seen = self._known[others]
            if message_ids.isdisjoint(seen):
                continue
            seen[:] = [message_id for message_id in seen if message_id not in message_ids]
            if seen:
                self._newest[others] = min(newest, seen[-1])
            elif others not in self._begun_earlier:
                del self._newest[others]
            self._order = None

    def newest(self, others: frozenset[int]) -> int | None:
        """The id of the last message of a conversation; of a deleted one if no other is known."""
        return self._newest.get(others)

    def recent(self) -> list[frozenset[int]]:
        """The conversations, the one with the newest message first. Do not change the list."""
        if self._order is None:
            self._order = sorted(self._newest, key=lambda others: -self._newest[others])
        return self._order
