"""When users were last active (outside the contract).

Presence times are the server's; ages are measured on the server's clock as it was at the snapshot or at the
last response about presence, so that a wrong local clock makes nobody appear absent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from narrowcast_api.http.operations import OMIT, Bound, Omit, Operations, read, segment
from narrowcast_api.model.reading import MAX_INT64, BadRow, RawRecord, id_of_key, number, table
from narrowcast_api.wire.event import Event
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.model import Good, Id, Int, Seconds, WireModel, read_by
from narrowcast_api.wire.vocabulary import PresenceStatus

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection


class Seen(NamedTuple):
    """When a user was last active and last connected, in the server's UTC seconds; 0 means never."""

    active: float = 0
    idle: float = 0


def read_seen(row: RawRecord) -> Seen:
    """Reads a presence with two times."""
    active, idle = row.get("active_timestamp"), row.get("idle_timestamp")
    if type(active) is not int or type(idle) is not int or not 0 <= active <= idle <= MAX_INT64:  # rare
        active, idle = number(row, "active_timestamp", 0), number(row, "idle_timestamp", 0)
    return Seen(active, idle if idle > active else active)


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


# events


class ClientPresence(WireModel):
    """What one client reported about its user, in the legacy form."""

    status: str
    timestamp: Seconds
    client: str = ""
    pushable: bool = False


def seen_by_clients(clients: dict[str, ClientPresence]) -> Seen:
    """The presence in the modern form: the newest times of activity and of connection."""
    active = max((c.timestamp for c in clients.values() if c.status == "active"), default=0)
    idle = max((c.timestamp for c in clients.values() if c.status in ("active", "idle")), default=0)
    return Seen(active, idle)


def _read_presence(row: RawRecord) -> Seen | dict[str, ClientPresence]:
    """One entry in either form: the legacy one contains an object for each client, the modern one times."""
    if any(isinstance(value, Mapping) for value in row.values()):
        return {name: ClientPresence.read(value) for name, value in row.items()}
    return read_seen(row)


class PresenceEvent(Event):
    """When users were last active: in the modern form for any number of users, or in the legacy form for one."""

    type: Literal["presence"] = "presence"
    presences: Good[dict[int, Annotated[Seen, read_by(read_seen)]]] = {}
    user_id: Id | None = None
    email: str | None = None
    presence: Good[dict[str, ClientPresence]] | None = None
    server_timestamp: Seconds | None = None

    @classmethod
    def prepared(cls, row: RawRecord) -> RawRecord:
        if "presences" not in row and row.get("presence") is None:
            raise BadRow("neither presences nor presence")
        return row

    def by_user_id(self) -> dict[int, Seen]:
        """The modern form of the event, converted if necessary."""
        if self.presence is not None and self.user_id is not None:
            return {self.user_id: seen_by_clients(self.presence)}
        return dict(self.presences)


# operations


class PresenceResponse(WireModel):
    """Response of POST /users/me/presence.

    ``presences`` is keyed by user id in the slim form and by email in the legacy one, so keys stay text; it
    is absent if the request was only a ping.
    """

    presences: Good[dict[str, Annotated[Seen | dict[str, ClientPresence], read_by(_read_presence)]]] = {}
    server_timestamp: Seconds | None = None
    presence_last_update_id: Int | None = None

    def by_user_id(self) -> dict[int, Seen]:
        """The entries of the slim form, by user id; legacy entries are keyed by email and left out."""
        return {
            user_id: seen
            for key, seen in self.presences.items()
            if isinstance(seen, Seen) and (user_id := id_of_key(key)) is not None
        }


class RealmPresences(WireModel):
    """Response of GET /realm/presence: legacy presences by email."""

    presences: Good[dict[str, dict[str, ClientPresence]]] = {}
    server_timestamp: Seconds | None = None


class UserPresence(WireModel):
    """Response of GET /users/{id}/presence: by client in the legacy form, `modern` in the modern one. Servers from
    level 487 to 496 send only the modern form, later ones both.
    """

    presence: Good[dict[str, ClientPresence]] = {}
    modern: Annotated[Seen | None, read_by(read_seen)] = None

    @classmethod
    def prepared(cls, row: RawRecord) -> RawRecord:
        sent = table(row.get("presence"))
        clients = {name: value for name, value in sent.items() if isinstance(value, Mapping)}
        modern = {"modern": sent} if "active_timestamp" in sent else {}
        return {**row, "presence": clients, **modern}

    @property
    def seen(self) -> Seen:
        """The modern form, converted if necessary."""
        return self.modern or seen_by_clients(self.presence)


async def update_presence(
    connection: Connection,
    *,
    status: PresenceStatus,
    new_user_input: bool = False,
    ping_only: bool = False,
    last_update_id: int | Omit = OMIT,
) -> PresenceResponse:
    """POST /users/me/presence: report the current user's presence; returns that of other users.

    With `ping_only` nothing is returned. From level 263 `last_update_id` (-1 at first, then the last response's
    `presence_last_update_id`) requests only what changed since; below, all users are returned each time.
    """
    server = await connection.identified()
    params: dict[str, object] = {
        "status": status,
        "new_user_input": new_user_input,
        "ping_only": ping_only,
        "slim_presence": True,
    }
    if server.supports(Gate.PRESENCE_BY_UPDATE):
        params["last_update_id"] = last_update_id
    return read(PresenceResponse, await connection.request("POST", "/users/me/presence", params))


async def get_realm_presence(connection: Connection) -> RealmPresences:
    """GET /realm/presence: the presence of all users, by email address and client."""
    return read(RealmPresences, await connection.request("GET", "/realm/presence"))


async def get_user_presence(connection: Connection, *, user_id: int) -> UserPresence:
    """GET /users/{user_id}/presence: one user's presence: `seen` on every server, `presence` by client on
    most. Raises BadRequest for bots and unknown users.
    """
    path = f"/users/{segment(user_id, 'user_id')}/presence"
    return read(UserPresence, await connection.request("GET", path))


class PresenceOperations(Operations):
    """Which users are active, and when users were last active."""

    update = Bound(update_presence)
    list = Bound(get_realm_presence)
    get = Bound(get_user_presence)
