"""Users' statuses: a text and an emoji (STAT rows)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.emoji_types import wire_reaction_type
from narrowcast_api.http.operations import (
    OMIT,
    Bound,
    Done,
    Omit,
    Operations,
    drop_unsupported,
    given,
    read,
    segment,
)
from narrowcast_api.model.reading import RawRecord, boolean, text
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.event import Event
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.model import Id, WireModel
from narrowcast_api.wire.vocabulary import MAX_STATUS_TEXT

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection


class Status(NamedTuple):
    """A user's status; every part may be empty. `away` is from servers below level 148; later ones use it to say that
    presence is turned off, and not in every event.
    """

    text: str = ""
    emoji_name: str = ""
    emoji_code: str = ""
    reaction_type: str = ""
    away: bool = False


class Statuses:
    """The statuses that are not empty (contract STAT rows). `keeps_away`: `away` is a part of them (STAT-13)."""

    def __init__(self, *, keeps_away: bool = False) -> None:
        self._keeps_away = keeps_away
        self._by_id: dict[int, Status] = {}

    def get(self, user_id: int) -> Status | None:
        """A user's status, if there is one."""
        return self._by_id.get(user_id)

    def items(self) -> Iterator[tuple[int, Status]]:
        """All users with a status, and the status."""
        return iter(self._by_id.items())

    def update(self, user_id: int, row: RawRecord) -> None:
        """Changes only the parts in `row`, which is from a `user_status` event or the snapshot."""
        old = self._by_id.get(user_id, Status())
        new = Status(
            text=text(row, "status_text", old.text),
            emoji_name=text(row, "emoji_name", old.emoji_name),
            emoji_code=text(row, "emoji_code", old.emoji_code),
            reaction_type=text(row, "reaction_type", old.reaction_type),
            away=self._keeps_away and boolean(row, "away", old.away),
        )
        if not new.emoji_name:
            new = Status(text=new.text, away=new.away)
        if new == Status():
            self.forget(user_id)
        else:
            self._by_id[user_id] = new

    def forget(self, user_id: int) -> None:
        """Removes a user's status."""
        self._by_id.pop(user_id, None)


# events


class UserStatusEvent(Event):
    """A user's status changed.

    Only fields that were sent have changed: None means unchanged, an empty text means cleared.
    """

    type: Literal["user_status"] = "user_status"
    user_id: Id
    status_text: str | None = None
    emoji_name: str | None = None
    emoji_code: str | None = None
    reaction_type: str | None = None
    away: bool | None = None

    def changes(self) -> dict[str, object]:
        """The new values by name."""
        parts = ("status_text", "emoji_name", "emoji_code", "reaction_type", "away")
        return {name: value for name in parts if (value := getattr(self, name)) is not None}


# operations


class UserStatus(WireModel):
    """A status in registration and GET /users/{id}/status; empty texts mean none."""

    status_text: str = ""
    emoji_name: str = ""
    emoji_code: str = ""
    reaction_type: str = ""
    away: bool = False


class UserStatusResponse(WireModel):
    """Response of GET /users/{id}/status."""

    status: UserStatus


_EMOJI = ("emoji_name", "emoji_code", "reaction_type")


async def set_status(
    connection: Connection,
    *,
    status_text: str | Omit = OMIT,
    emoji_name: str | Omit = OMIT,
    emoji_code: str | Omit = OMIT,
    reaction_type: str | Omit = OMIT,
    away: bool | Omit = OMIT,
) -> Done:
    """POST /users/me/status: change only what is given (STAT-01).

    `status_text` has at most 60 code points; '' clears it, `emoji_name=''` clears the emoji. Code and type
    need a name. Below level 86 the emoji is left out, with a notice; raises Unsupported if nothing is left to
    send. `away` is deprecated from level 148 on, where a notice says so (STAT-13). Raises InvalidInput for
    values that the server would reject; BadRequest for an unknown emoji.
    """
    params = given(status_text=status_text, emoji_name=emoji_name, emoji_code=emoji_code, away=away)
    server = await connection.identified()
    notices = _prepare(server, params, reaction_type)
    return read(Done, await connection.request("POST", "/users/me/status", params), notices)


async def clear_status(connection: Connection) -> Done:
    """POST /users/me/status with an empty text and, from level 86, an empty emoji (STAT-04, STAT-21)."""
    server = await connection.identified()
    params = {"status_text": ""}
    if server.supports(Gate.STATUS_EMOJI):
        params["emoji_name"] = ""
    return read(Done, await connection.request("POST", "/users/me/status", params))


async def set_status_of(
    connection: Connection,
    *,
    user_id: int,
    status_text: str | Omit = OMIT,
    emoji_name: str | Omit = OMIT,
    emoji_code: str | Omit = OMIT,
    reaction_type: str | Omit = OMIT,
) -> Done:
    """POST /users/{user_id}/status: set another user's status, as an administrator; level 407, else Unsupported."""
    path = f"/users/{segment(user_id, 'user_id')}/status"
    server = await connection.identified()
    server.require(Gate.STATUS_OF_OTHERS)
    params = given(status_text=status_text, emoji_name=emoji_name, emoji_code=emoji_code)
    notices = _prepare(server, params, reaction_type)
    return read(Done, await connection.request("POST", path, params), notices)


async def get_status(connection: Connection, *, user_id: int) -> UserStatus:
    """GET /users/{user_id}/status; level 262, else Unsupported (outside the contract, STAT-23)."""
    path = f"/users/{segment(user_id, 'user_id')}/status"
    (await connection.identified()).require(Gate.USER_STATUS)
    return read(UserStatusResponse, await connection.request("GET", path)).status


def _prepare(server: ServerInfo, params: dict[str, object], reaction_type: str | Omit) -> list[str]:
    if not isinstance(reaction_type, Omit):
        params["reaction_type"] = wire_reaction_type(server, reaction_type)
    if not params:
        raise InvalidInput("Client did not pass any new values.")
    content = params.get("status_text")
    if isinstance(content, str) and len(content) > MAX_STATUS_TEXT:
        raise InvalidInput(f"status_text is too long (limit: {MAX_STATUS_TEXT} characters)")
    if "emoji_name" not in params and ("emoji_code" in params or "reaction_type" in params):
        raise InvalidInput("an emoji's code and type need its name")
    notices = drop_unsupported(server, Gate.STATUS_EMOJI, params, *_EMOJI)
    if not params:
        server.require(Gate.STATUS_EMOJI)
    if "away" in params and server.supports(Gate.AWAY_DEPRECATED):
        notices.append("away is deprecated: it only turns the setting presence_enabled off or on")
    return notices


class StatusOperations(Operations):
    """Statuses of the current user and of others."""

    set = Bound(set_status)
    clear = Bound(clear_status)
    set_of = Bound(set_status_of)
    get = Bound(get_status)
