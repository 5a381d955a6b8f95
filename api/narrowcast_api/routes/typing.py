"""Typing notifications (TYP rows). `protocols.typing` decides when to send them."""

from __future__ import annotations

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.conversations import (
    ChannelDestination,
    Destination,
    channel_id,
    message_type,
    recipients,
    wire_topic,
)
from narrowcast_api.http.operations import Bound, Done, Operations, read, segment
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.model import NOTICES
from narrowcast_api.wire.vocabulary import TypingOperation


async def set_typing(connection: Connection, *, op: TypingOperation | str, to: Destination) -> Done:
    """POST /typing: notify a conversation that the current user started or stopped typing (TYP-01).

    The type of direct conversations is 'direct' from level 174 and 'private' before; `to` is always a list.
    The type of channels is 'channel' from 248 and 'stream' before; their id is `stream_id` from 215 and the
    only one in `to` before; below 58 nothing is sent, with a notice (TYP-12, TYP-28, TYP-31). Raises
    InvalidInput if there is nobody to notify, BadRequest for unknown users or channels.
    """
    operation = _operation(op)
    server = await connection.identified()
    if isinstance(to, ChannelDestination):
        if not server.supports(Gate.CHANNEL_TYPING):
            return _not_sent(Gate.CHANNEL_TYPING, server.level)
        params: dict[str, object] = {
            "type": message_type(server, to),
            "op": operation,
            "topic": wire_topic(connection, to.topic),
        }
        if server.supports(Gate.TYPING_CHANNEL_ID):
            params["stream_id"] = channel_id(to)
        else:
            params["to"] = [channel_id(to)]
    else:
        people = recipients(to)
        if not people:
            raise InvalidInput("there is nobody to tell that you are typing")
        params = {"type": message_type(server, to), "op": operation, "to": people}
    return read(Done, await connection.request("POST", "/typing", params))


async def set_typing_edit(connection: Connection, *, op: TypingOperation | str, message_id: int) -> Done:
    """POST /messages/{message_id}/typing: the same while editing a message; below level 361 nothing is sent."""
    operation = _operation(op)
    path = f"/messages/{segment(message_id, 'message_id')}/typing"
    server = await connection.identified()
    if not server.supports(Gate.TYPING_EDIT):
        return _not_sent(Gate.TYPING_EDIT, server.level)
    return read(Done, await connection.request("POST", path, {"op": operation}))


def _operation(op: TypingOperation | str) -> TypingOperation:
    try:
        return TypingOperation(op)
    except ValueError:
        raise InvalidInput("op must be 'start' or 'stop'") from None


def _not_sent(gate: Gate, level: int) -> Done:
    said = f"{gate.title}: not sent, needs level {gate.level}, the server has {level}"
    return Done(unknown_fields={NOTICES: [said]})


class TypingOperations(Operations):
    """Notifications that the current user is typing."""

    set = Bound(set_typing)
    set_edit = Bound(set_typing_edit)
