"""The messages that are known, with the order of direct conversations that follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from narrowcast_api.model.messages import Message
from narrowcast_api.model.reading import ids, integer, rows


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
        self._order: list[frozenset[int]] | None = None

    def load(self, value: object, me: int) -> None:
        """Takes `recent_private_conversations` of a snapshot."""
        for row in rows(value):
            self.see(frozenset(ids(row.get("user_ids"))) - {me}, integer(row, "max_message_id"))

    def see(self, others: frozenset[int], message_id: int) -> None:
        """A message is in a conversation."""
        if message_id > self._newest.get(others, -1):
            self._newest[others] = message_id
            self._order = None

    def lose(self, others: frozenset[int], message_ids: Iterable[int], remaining: int | None) -> None:
        """Messages of a conversation are gone; `remaining` is the newest one known to be left."""
        if self._newest.get(others) in set(message_ids):
            if remaining is None:
                del self._newest[others]
            else:
                self._newest[others] = remaining
            self._order = None

    def newest(self, others: frozenset[int]) -> int | None:
        """The id of the last message of a conversation."""
        return self._newest.get(others)

    def recent(self) -> list[frozenset[int]]:
        """The conversations, the one with the newest message first. Do not change the list."""
        if self._order is None:
            self._order = sorted(self._newest, key=lambda others: -self._newest[others])
        return self._order
