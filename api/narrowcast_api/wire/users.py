"""Responses about people and bots: other users, the current user (USR and ME rows)."""

from __future__ import annotations

from typing import Annotated, ClassVar

from narrowcast_api.model import users as model
from narrowcast_api.model.reading import RawRecord

from .model import GoodList, Id, Seconds, WireModel, read_by

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
