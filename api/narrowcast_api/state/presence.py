"""Presence and status of users.

Presence times are the server's; ages are measured on the server's clock as it was at the snapshot or at the
last response about presence, so that a wrong local clock makes nobody appear absent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

from narrowcast_api.model.presence import Seen, read_seen
from narrowcast_api.model.reading import id_of_key, table


class Availability(StrEnum):
    """What a user's presence amounts to at a given time."""

    ACTIVE = "active"
    IDLE = "idle"
    OFFLINE = "offline"


class Presence:
    """Presence of all users who share it. A report expires after `offline_threshold` seconds."""

    def __init__(self, offline_threshold: float) -> None:
        self._offline_threshold = offline_threshold
        self._seen: dict[int, Seen] = {}
        self.server_offset: float = 0
        """Server time minus local time, in seconds."""
        self.last_update_id = -1
        """The server's number of the newest change contained here, from level 263; -1 if it is not known."""

    def seen(self, user_id: int) -> Seen | None:
        """The last presence times of a user."""
        return self._seen.get(user_id)

    def of(self, user_id: int, now: float) -> Availability:
        """A user's availability at the local UTC time `now`."""
        seen = self._seen.get(user_id)
        if seen is None:
            return Availability.OFFLINE
        oldest = now + self.server_offset - self._offline_threshold
        if seen.active >= oldest:
            return Availability.ACTIVE
        return Availability.IDLE if seen.idle >= oldest else Availability.OFFLINE

    def items(self) -> Iterator[tuple[int, Seen]]:
        """All users with presence times."""
        return iter(self._seen.items())

    def merge(self, presences: object) -> None:
        """Merges presence times in the slim form `{user id: {active_timestamp, idle_timestamp}}`."""
        for key, entry in table(presences).items():
            if type(entry) is dict and (user_id := id_of_key(key)) is not None:
                self._seen[user_id] = read_seen(entry)

    def merge_seen(self, sightings: Mapping[int, Seen]) -> tuple[int, ...]:
        """Merges presence times; returns the users whose times changed."""
        return tuple(user_id for user_id, seen in sightings.items() if self.put(user_id, seen))

    def put(self, user_id: int, seen: Seen) -> bool:
        """Merges one user's times; returns whether they changed. Never moves a time backwards, since events
        can arrive out of order.
        """
        old = self._seen.get(user_id, Seen())
        new = Seen(max(old.active, seen.active), max(old.idle, seen.idle))
        self._seen[user_id] = new
        return new != old

    def forget(self, user_id: int) -> None:
        """Removes a user's presence."""
        self._seen.pop(user_id, None)
