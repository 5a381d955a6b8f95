"""Which other users are typing, and where (contract TYP-29, TYP-30, EVT-02, EVT-03).

```
hidden --start--> shown --stop, a message of theirs, or expiry--> hidden
                  shown --start--> shown, with a new expiry
```
One timer per conversation and user. The current user is never shown (EVT-09).
"""

from __future__ import annotations

from typing import TypeVar

from narrowcast_api.narrow.destinations import Destination, DirectDestination

MAX_ENTRIES = 1000
"""The maximum number of typing notifications, and of edits, in memory, since events could name new places
indefinitely.
"""
MAX_PARTICIPANTS = 1000
"""The maximum number of participants of a direct conversation in which typing is shown."""
MAX_TOPIC_LENGTH = 1000
"""The maximum length of a topic in which typing is shown, in code points."""

_Key = tuple[tuple[object, ...], int]
_Timed = TypeVar("_Timed", _Key, tuple[int, int])


class Typing:
    """Users who are typing now. Times are seconds of the caller's monotonic clock."""

    def __init__(self, expiry_seconds: float) -> None:
        self.expiry_seconds = expiry_seconds
        self._until: dict[_Key, float] = {}
        self._destinations: dict[tuple[object, ...], Destination] = {}
        self._editors: dict[tuple[int, int], float] = {}

    def typers(self, destination: Destination) -> tuple[int, ...]:
        """Ids of the users who are typing in a conversation, in the order in which they began."""
        key = destination.key
        return tuple(user_id for (where, user_id) in self._until if where == key)

    def editors(self, message_id: int) -> tuple[int, ...]:
        """Ids of the users who are editing a message."""
        return tuple(user_id for (edited, user_id) in self._editors if edited == message_id)

    def start(self, destination: Destination, user_id: int, now: float) -> bool:
        """Records that a user is typing; returns whether that is new."""
        if _is_oversized(destination):
            return False
        key = (destination.key, user_id)
        is_new = key not in self._until
        if is_new:
            _make_room(self._until)
        self._until[key] = now + self.expiry_seconds
        self._destinations[destination.key] = destination
        if len(self._destinations) > 2 * MAX_ENTRIES:
            self._forget_quiet_places()
        return is_new

    def stop(self, destination: Destination, user_id: int) -> bool:
        """Records that a user stopped; returns whether they were typing."""
        return self._until.pop((destination.key, user_id), None) is not None

    def start_edit(self, message_id: int, user_id: int, now: float) -> bool:
        """Records that a user is editing a message; returns whether that is new."""
        key = (message_id, user_id)
        is_new = key not in self._editors
        if is_new:
            _make_room(self._editors)
        self._editors[key] = now + self.expiry_seconds
        return is_new

    def stop_edit(self, message_id: int, user_id: int) -> bool:
        """Records that a user stopped editing; returns whether they were editing."""
        return self._editors.pop((message_id, user_id), None) is not None

    def expire(self, now: float) -> tuple[list[Destination], list[int]]:
        """Removes everything that has expired; returns the affected conversations and edited messages."""
        due = [key for key, until in self._until.items() if until <= now]
        edits = [key for key, until in self._editors.items() if until <= now]
        for key in due:
            del self._until[key]
        for edit in edits:
            del self._editors[edit]
        conversations = [self._destinations[where] for where in dict.fromkeys(where for where, _ in due)]
        self._forget_quiet_places()
        return conversations, list(dict.fromkeys(message_id for message_id, _ in edits))

    def next_expiry(self) -> float | None:
        """The time of the next expiry, None if nobody is typing."""
        return min((*self._until.values(), *self._editors.values()), default=None)

    def _forget_quiet_places(self) -> None:
        busy = {where for where, _ in self._until}
        self._destinations = {where: place for where, place in self._destinations.items() if where in busy}


def _make_room(until: dict[_Timed, float]) -> None:
    """Removes the entry that expires first if there are too many."""
    if len(until) >= MAX_ENTRIES:
        del until[min(until, key=until.__getitem__)]


def _is_oversized(destination: Destination) -> bool:
    if isinstance(destination, DirectDestination):
        return len(destination.user_ids) > MAX_PARTICIPANTS
    return len(destination.topic) > MAX_TOPIC_LENGTH
