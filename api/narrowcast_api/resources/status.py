"""Users' statuses: a text and an emoji (STAT rows)."""

from __future__ import annotations

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import (
    OMIT,
    Bound,
    Done,
    Group,
    Omit,
    drop_unsupported,
    given,
    read,
    segment,
)
from narrowcast_api.routes.emoji_types import wire_reaction_type
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.users import UserStatus, UserStatusResponse
from narrowcast_api.wire.vocabulary import MAX_STATUS_TEXT

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
    text = params.get("status_text")
    if isinstance(text, str) and len(text) > MAX_STATUS_TEXT:
        raise InvalidInput(f"status_text is too long (limit: {MAX_STATUS_TEXT} characters)")
    if "emoji_name" not in params and ("emoji_code" in params or "reaction_type" in params):
        raise InvalidInput("an emoji's code and type need its name")
    notices = drop_unsupported(server, Gate.STATUS_EMOJI, params, *_EMOJI)
    if not params:
        server.require(Gate.STATUS_EMOJI)
    if "away" in params and server.supports(Gate.AWAY_DEPRECATED):
        notices.append("away is deprecated: it only turns the setting presence_enabled off or on")
    return notices


class Statuses(Group):
    """Statuses of the current user and of others."""

    set = Bound(set_status)
    clear = Bound(clear_status)
    set_of = Bound(set_status_of)
    get = Bound(get_status)
