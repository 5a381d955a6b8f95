"""People and bots: users, oneself, profiles, presence and status (USR, ME and STAT rows)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pydantic import Field, model_validator

from .base import Good, GoodList, Id, Int, Seconds, WireModel


class ProfileValue(WireModel):
    """One custom profile field of a user; ``rendered_value`` is HTML, to be treated as message content is."""

    value: str
    rendered_value: str | None = None


class User(WireModel):
    """A user as the service tells of others (USR-06 ff.).

    ``avatar_url`` is None both when absent and when null; ``was_sent("avatar_url")`` tells them apart: null
    means that the picture is the third-party one of the address, absent means ask for it when it is needed
    (USR-23, 24). ``delivery_email`` is None when the caller may not see it, and may be absent before level
    163 (USR-09).
    """

    user_id: Id
    full_name: str
    email: str = ""
    delivery_email: str | None = None
    is_active: bool = True
    is_owner: bool = False
    is_admin: bool = False
    is_guest: bool = False
    is_bot: bool = False
    bot_type: Int | None = None
    bot_owner_id: Id | None = None
    role: Int = 400
    timezone: str = ""
    date_joined: str = ""
    avatar_url: str | None = None
    avatar_version: Int = 0
    is_system_bot: bool = False
    profile_data: Good[dict[int, ProfileValue]] | None = None

    @model_validator(mode="before")
    @classmethod
    def _role_of_old_servers(cls, data: Any) -> Any:
        """Servers before roles only say the booleans."""
        if not isinstance(data, dict) or data.get("role") is not None:
            return data
        role = 400
        for key, code in (("is_guest", 600), ("is_admin", 200), ("is_owner", 100)):
            if data.get(key) is True:
                role = code
        return {**data, "role": role}

    @property
    def joined(self) -> datetime | None:
        """When the account was made, where ``date_joined`` can be understood (USR-30).

        UTC if it names no zone.
        """
        try:
            moment = datetime.fromisoformat(self.date_joined)
        except ValueError:
            return None
        return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


class OwnUser(User):
    """The caller's own user (ME rows). ``max_message_id`` is deprecated."""

    max_message_id: Int | None = None


class UserAnswer(WireModel):
    """Answer of GET /users/{id}."""

    user: User


class UserList(WireModel):
    """Answer of GET /users."""

    members: GoodList[User] = []


class CreatedUser(WireModel):
    """Answer of POST /users."""

    user_id: Id


class Presence(WireModel):
    """When a user was last seen, in the modern form; seconds since 1970, zero or absent for never."""

    active_timestamp: Seconds = 0
    idle_timestamp: Seconds = 0


class ClientPresence(WireModel):
    """What one client said of its user, in the legacy form."""

    status: str
    timestamp: Seconds
    client: str = ""
    pushable: bool = False


def modern_presence(clients: dict[str, ClientPresence]) -> Presence:
    """The modern form of a legacy presence: the newest time of each kind."""
    active = max((c.timestamp for c in clients.values() if c.status == "active"), default=0)
    idle = max((c.timestamp for c in clients.values() if c.status in ("active", "idle")), default=0)
    return Presence(active_timestamp=active, idle_timestamp=idle)


class PresenceAnswer(WireModel):
    """Answer of POST /users/me/presence.

    ``presences`` is by user id in the slim form and by email in the legacy one, so keys stay text; absent
    when the request was a mere ping.
    """

    presences: Good[dict[str, Presence | dict[str, ClientPresence]]] = {}
    server_timestamp: Seconds | None = None
    presence_last_update_id: Int | None = None

    def by_user_id(self) -> dict[int, Presence]:
        """The entries of the slim form; legacy entries are keyed by email and left out."""
        return {
            int(key): value
            for key, value in self.presences.items()
            if isinstance(value, Presence) and key.lstrip("-").isascii() and key.lstrip("-").isdigit()
        }


class RealmPresences(WireModel):
    """Answer of GET /realm/presence: legacy presences by email."""

    presences: Good[dict[str, dict[str, ClientPresence]]] = {}
    server_timestamp: Seconds | None = None


class UserPresence(WireModel):
    """Answer of GET /users/{id}/presence: legacy presence by client."""

    presence: Good[dict[str, ClientPresence]] = {}


class UserStatus(WireModel):
    """A status as registration and GET /users/{id}/status tell it; empty texts mean none."""

    status_text: str = ""
    emoji_name: str = ""
    emoji_code: str = ""
    reaction_type: str = ""
    away: bool = False


class UserStatusAnswer(WireModel):
    """Answer of GET /users/{id}/status."""

    status: UserStatus


class MutedUser(WireModel):
    """Someone whom the caller muted, and when."""

    id: Id
    timestamp: Seconds = 0


class AlertWords(WireModel):
    """Answer of the operations on alert words."""

    alert_words: GoodList[str] = []


class ApiKey(WireModel):
    """Answer of POST /fetch_api_key. The key is a plain text here; ``Account`` wraps it at once."""

    api_key: str = Field(repr=False)
    email: str
    user_id: Id | None = None


class AvatarAnswer(WireModel):
    """Answer of POST and DELETE /users/me/avatar."""

    avatar_url: str


class Bot(WireModel):
    """A bot of the caller. The list says ``username`` for the address."""

    user_id: Id | None = None
    username: str | None = None
    full_name: str = ""
    api_key: str | None = Field(default=None, repr=False)
    avatar_url: str | None = None
    bot_type: Int | None = None
    is_active: bool = True
    owner_id: Id | None = None
    default_sending_stream: str | None = None
    default_events_register_stream: str | None = None
    default_all_public_streams: bool = False


class BotList(WireModel):
    """Answer of GET /bots."""

    bots: GoodList[Bot] = []
