"""Emoji reactions (RXN rows). A reaction is identified by type and code, never by its name."""

from __future__ import annotations

from narrowcast_api.errors import (
    BadRequest,
    InvalidInput,
    PermissionDenied,
    ReactionAlreadyExists,
    ReactionDoesNotExist,
)
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.emoji_types import wire_reaction_type
from narrowcast_api.http.operations import OMIT, Bound, Done, Omit, Operations, read, segment
from narrowcast_api.model.messages import Reaction
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ReactionType


async def add_reaction(
    connection: Connection,
    *,
    message_id: int,
    emoji_name: str,
    emoji_code: str | Omit = OMIT,
    reaction_type: str | Omit = OMIT,
) -> Done:
    """POST /messages/{message_id}/reactions: react with an emoji (outside the contract, RXN-15).

    To join an existing reaction, pass code and type as the server sent them. Raises ReactionAlreadyExists if
    the current user already reacted with it; below level 193 the server reports that as BAD_REQUEST, which is
    then `code`. Raises BadRequest for an unknown emoji.
    """
    path = f"/messages/{segment(message_id, 'message_id')}/reactions"
    server = await connection.identified()
    params = {
        "emoji_name": emoji_name,
        "emoji_code": emoji_code,
        "reaction_type": wire_reaction_type(server, reaction_type),
    }
    try:
        return read(Done, await connection.request("POST", path, params))
    except BadRequest as error:
        if server.supports(Gate.REACTION_MISSING_CODE) or "already exists" not in error.msg:
            raise
        exists = ReactionAlreadyExists(error.code, error.msg, error.status, error.extra)
    raise exists


async def remove_reaction(
    connection: Connection,
    *,
    message_id: int,
    emoji_name: str | Omit = OMIT,
    emoji_code: str | Omit = OMIT,
    reaction_type: str | Omit = OMIT,
    reaction: Reaction | None = None,
) -> Done:
    """DELETE /messages/{message_id}/reactions: remove the current user's own reaction (RXN-01).

    Pass the `reaction` as the server sent it (RXN-08), or name and code; raises InvalidInput without either.
    The code of a custom emoji needs its type: without it, servers below level 2 assume unicode_emoji
    (RXN-06), and so do current Zulip servers of all levels, which are sent the other types in turn. Raises
    ReactionDoesNotExist if the reaction is already removed; below level 193 the server reports that as
    BAD_REQUEST, which may also mean an invalid code: `code` is the server's (RXN-11).
    """
    path = f"/messages/{segment(message_id, 'message_id')}/reactions"
    if reaction is not None:
        emoji_name, emoji_code = reaction.emoji_name, reaction.emoji_code
        reaction_type = reaction.reaction_type
    if isinstance(emoji_name, Omit) and isinstance(emoji_code, Omit):
        raise InvalidInput("emoji_name or emoji_code is required")
    server = await connection.identified()
    params = {"emoji_name": emoji_name, "emoji_code": emoji_code}
    given = wire_reaction_type(server, reaction_type)
    others = (ReactionType.REALM, server.dialect.extra_emoji) if isinstance(given, Omit) else ()
    gone: list[ReactionDoesNotExist] = []
    for kind in (given, *others):
        try:
            return read(Done, await connection.request("DELETE", path, {**params, "reaction_type": kind}))
        except ReactionDoesNotExist as error:
            gone.append(error)
        except BadRequest as error:
            if server.supports(Gate.REACTION_MISSING_CODE) or isinstance(error, PermissionDenied):
                raise
            gone.append(ReactionDoesNotExist(error.code, error.msg, error.status, error.extra))
    raise gone[0]


class ReactionOperations(Operations):
    """Emoji reactions to messages."""

    add = Bound(add_reaction)
    remove = Bound(remove_reaction)
