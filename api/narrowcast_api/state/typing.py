"""Who else is typing, and where (contract TYP-29, TYP-30, EVT-02, EVT-03).

```
hidden --start--> shown --stop, a message of theirs, or expiry--> hidden
                  shown --start--> shown, with a new expiry
```
One timer per conversation and person. Oneself is never shown (EVT-09).
"""

from __future__ import annotations

from typing import TypeVar

from narrowcast_api.narrow.destinations import Destination, DirectDestination

MOST = 1000
"""People who type, and edits, that are remembered at once: each event could name another one for ever."""
MOST_PEOPLE = 1000
"""People of a direct conversation of which it is shown who types."""
LONGEST_TOPIC = 1000
"""Code points of a topic of which it is shown who types."""

_Key = tuple[tuple[object, ...], int]
_Timed = TypeVar("_Timed", _Key, tuple[int, int])


class Typing:
    """People who type now. Times are seconds of the caller's monotonic clock."""

    def __init__(self, expiry_seconds: float) -> None:
        self.expiry_seconds = expiry_seconds
        self._until: dict[_Key, float] = {}
        self._destinations: dict[tuple[object, ...], Destination] = {}
        self._editors: dict[tuple[int, int], float] = {}

    def typers(self, destination: Destination) -> tuple[int, ...]:
        """Ids of those who type in a conversation, in the order in which they began."""
        key = destination.key
        return tuple(user_id for (where, user_id) in self._until if where == key)

    def editors(self, message_id: int) -> tuple[int, ...]:
        """Ids of those who edit a message."""
        return tuple(user_id for (edited, user_id) in self._editors if edited == message_id)

    def start(self, destination: Destination, user_id: int, now: float) -> bool:
        """Somebody types; says whether they did not before."""
        if _is_oversized(destination):
            return False
        key = (destination.key, user_id)
        is_new = key not in self._until
        if is_new:
            _make_room(self._until)
        self._until[key] = now + self.expiry_seconds
        self._destinations[destination.key] = destination
        if len(self._destinations) > 2 * MOST:
            self._forget_quiet_places()
        return is_new

    def stop(self, destination: Destination, user_id: int) -> bool:
        """Somebody stopped; says whether they were typing."""
        return self._until.pop((destination.key, user_id), None) is not None

    def start_edit(self, message_id: int, user_id: int, now: float) -> bool:
        """Somebody edits a message; says whether they did not before."""
        key = (message_id, user_id)
        is_new = key not in self._editors
        if is_new:
            _make_room(self._editors)
        self._editors[key] = now + self.expiry_seconds
        return is_new

    def stop_edit(self, message_id: int, user_id: int) -> bool:
        """Somebody stopped editing; says whether they did."""
        return self._editors.pop((message_id, user_id), None) is not None

    def expire(self, now: float) -> tuple[list[Destination], list[int]]:
        """Hides all whose time is over; returns the conversations and the edited messages that this
        changed.
        """
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
        """When `expire` has something to do next."""
        return min((*self._until.values(), *self._editors.values()), default=None)

    def clear(self) -> None:
        """Nobody is known to type: the connection was lost."""
        self._until.clear()
        self._editors.clear()
        self._destinations.clear()

    def _forget_quiet_places(self) -> None:
        busy = {where for where, _ in self._until}
        self._destinations = {where: place for where, place in self._destinations.items() if where in busy}


def _make_room(until: dict[_Timed, float]) -> None:
    """Forget who is to end first, where there are too many."""
    if len(until) >= MOST:
        del until[min(until, key=until.__getitem__)]


def _is_oversized(destination: Destination) -> bool:
    if isinstance(destination, DirectDestination):
        return len(destination.user_ids) > MOST_PEOPLE
    return len(destination.topic) > LONGEST_TOPIC
