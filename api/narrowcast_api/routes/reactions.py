"""Emoji reactions (RXN rows). One is known by type and code, never by its name."""

from __future__ import annotations

from narrowcast_api.errors import BadRequest, InvalidInput, PermissionDenied, ReactionDoesNotExist
from narrowcast_api.http.connection import Connection
from narrowcast_api.model.messages import Reaction
from narrowcast_api.routes.common import OMIT, Bound, Done, Group, Omit, read, segment
from narrowcast_api.routes.emoji_types import wire_reaction_type
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

    To join a reaction that is there, pass code and type as the server gave them. ReactionAlreadyExists when
    one's own is there, which is a plain BadRequest below level 193; BadRequest for an unknown emoji.
    """
    path = f"/messages/{segment(message_id, 'message_id')}/reactions"
    await connection.identified()
    params = {
        "emoji_name": emoji_name,
        "emoji_code": emoji_code,
        "reaction_type": wire_reaction_type(connection.server, reaction_type),
    }
    return read(Done, await connection.request("POST", path, params))


async def remove_reaction(
    connection: Connection,
    *,
    message_id: int,
    emoji_name: str | Omit = OMIT,
    emoji_code: str | Omit = OMIT,
    reaction_type: str | Omit = OMIT,
    reaction: Reaction | None = None,
) -> Done:
    """DELETE /messages/{message_id}/reactions: take one's own reaction back (RXN-01).

    Pass the `reaction` as the server gave it (RXN-08), or name and code; one of them is needed, else
    InvalidInput. The type of a custom emoji belongs with its code: levels below 2 assume unicode_emoji
    without it (RXN-06), and so do running Zulip servers of all levels, which are asked for the other types in turn.
    ReactionDoesNotExist when it is gone already; below level 193 the server calls that
    BAD_REQUEST, and so may mean an invalid code too: `code` keeps the server's word (RXN-11).
    """
    path = f"/messages/{segment(message_id, 'message_id')}/reactions"
    if reaction is not None:
        emoji_name, emoji_code = reaction.emoji_name, reaction.emoji_code
        reaction_type = reaction.reaction_type
    if isinstance(emoji_name, Omit) and isinstance(emoji_code, Omit):
        raise InvalidInput("name the emoji to take back: emoji_name or emoji_code")
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


class Reactions(Group):
    """Emoji reactions to messages."""

    add = Bound(add_reaction)
    remove = Bound(remove_reaction)
