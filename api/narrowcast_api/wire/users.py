"""Responses about people and bots: other users, the current user, presence and status (USR, ME and STAT rows)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from narrowcast_api.model import users as model
from narrowcast_api.model.presence import Seen, read_seen
from narrowcast_api.model.reading import RawRecord, id_of_key, table

from .model import Good, GoodList, Id, Int, Seconds, WireModel, read_by

User = Annotated[model.User, read_by(model.read_fetched_user)]


class OwnUserResponse(WireModel):
    """Response of GET /users/me (ME rows): the user's fields are on the top level. ``max_message_id`` is deprecated."""

    user: User

    @classmethod
    def prepared(cls, row: RawRecord) -> RawRecord:
        return {"user": row}


class ChannelsOfUser(WireModel):
    """Response of GET /users/{user_id}/channels."""

    subscribed_channel_ids: GoodList[Id] = []


class UserResponse(WireModel):
    """Response of GET /users/{id}."""

    user: User


class UserList(WireModel):
    members: GoodList[User] = []


class CreatedUser(WireModel):
    user_id: Id


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


class MutedUser(WireModel):
    """A user whom the current user has muted, and when."""

    id: Id
    timestamp: Seconds = 0


class AlertWords(WireModel):
    """Response of the operations on alert words."""

    alert_words: GoodList[str] = []


class ApiKey(WireModel):
    """Response of POST /fetch_api_key. The key is plain text here; ``Account`` masks it at once."""

    api_key: str
    email: str
    user_id: Id | None = None

    hidden_fields: ClassVar[frozenset[str]] = frozenset({"api_key"})


class AvatarResponse(WireModel):
    """Response of POST and DELETE /users/me/avatar."""

    avatar_url: str
