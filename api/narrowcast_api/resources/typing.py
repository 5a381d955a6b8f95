"""Typing notifications (TYP rows): which other users are typing, and where (TYP-29, TYP-30, EVT-02, EVT-03); and those
of the current user. `protocols.typing` decides when to send them.

```
hidden --start--> shown --stop, a message of theirs, or expiry--> hidden
                  shown --start--> shown, with a new expiry
```
One timer per conversation and user. The current user is never shown (EVT-09).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeVar

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.conversations import channel_id, message_type, recipients, wire_topic
from narrowcast_api.http.operations import Bound, Done, Operations, read, segment
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.wire.event import Event
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.model import NOTICES, GoodList, Id, WireModel
from narrowcast_api.wire.vocabulary import TypingOperation

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection

MAX_ENTRIES = 1000
"""The maximum number of typing notifications, and of edits, in memory, since events could name new places
indefinitely.
"""
MAX_PARTICIPANTS = 1000
"""The maximum number of participants of a direct conversation in which typing is shown."""
MAX_TOPIC_LENGTH = 1000
"""The maximum length of a topic in which typing is shown, in code points."""

_Key = tuple[tuple[object, ...], int]
_Timed = TypeVar("_Timed", _Key, tuple[int, int])


class Typing:
    """Users who are typing now. Times are seconds of the caller's monotonic clock."""

    def __init__(self, expiry_seconds: float) -> None:
        self.expiry_seconds = expiry_seconds
        self._until: dict[_Key, float] = {}
        self._destinations: dict[tuple[object, ...], Destination] = {}
        self._editors: dict[tuple[int, int], float] = {}

    def typers(self, destination: Destination) -> tuple[int, ...]:
        """Ids of the users who are typing in a conversation, in the order in which they began."""
        key = destination.key
        return tuple(user_id for (where, user_id) in self._until if where == key)

    def editors(self, message_id: int) -> tuple[int, ...]:
        """Ids of the users who are editing a message."""
        return tuple(user_id for (edited, user_id) in self._editors if edited == message_id)

    def start(self, destination: Destination, user_id: int, now: float) -> bool:
        """Records that a user is typing; returns whether that is new."""
        if _is_oversized(destination):
            return False
        key = (destination.key, user_id)
        is_new = key not in self._until
        if is_new:
            _make_room(self._until)
        self._until[key] = now + self.expiry_seconds
        self._destinations[destination.key] = destination
        if len(self._destinations) > 2 * MAX_ENTRIES:
            self._forget_quiet_places()
        return is_new

    def stop(self, destination: Destination, user_id: int) -> bool:
        """Records that a user stopped; returns whether they were typing."""
        return self._until.pop((destination.key, user_id), None) is not None

    def start_edit(self, message_id: int, user_id: int, now: float) -> bool:
        """Records that a user is editing a message; returns whether that is new."""
        key = (message_id, user_id)
        is_new = key not in self._editors
        if is_new:
            _make_room(self._editors)
        self._editors[key] = now + self.expiry_seconds
        return is_new

    def stop_edit(self, message_id: int, user_id: int) -> bool:
        """Records that a user stopped editing; returns whether they were editing."""
        return self._editors.pop((message_id, user_id), None) is not None

    def expire(self, now: float) -> tuple[list[Destination], list[int]]:
        """Removes everything that has expired; returns the affected conversations and edited messages."""
        due = [key for key, until in self._until.items() if until <= now]
        edits = [key for key, until in self._editors.items() if until <= now]
        for key in due:
            del self._until[key]
        for edit in edits:
            del self._editors[edit]
        conversations = [self._destinations[where] for where in dict.fromkeys(where for where, _ in due)]
        self._forget_quiet_places()
        return conversations, list(dict.fromkeys(message_id for message_id, _ in edits))

    def next_expiry(self) -> float | None:
        """The time of the next expiry, None if nobody is typing."""
        return min((*self._until.values(), *self._editors.values()), default=None)

    def _forget_quiet_places(self) -> None:
        busy = {where for where, _ in self._until}
        self._destinations = {where: place for where, place in self._destinations.items() if where in busy}


def _make_room(until: dict[_Timed, float]) -> None:
    """Removes the entry that expires first if there are too many."""
    if len(until) >= MAX_ENTRIES:
        del until[min(until, key=until.__getitem__)]


def _is_oversized(destination: Destination) -> bool:
    if isinstance(destination, DirectDestination):
        return len(destination.user_ids) > MAX_PARTICIPANTS
    return len(destination.topic) > MAX_TOPIC_LENGTH


# events


class TypingUser(WireModel):
    """The sender or a recipient of a typing notification."""

    user_id: Id
    email: str = ""


class TypingEvent(Event):
    """A user started or stopped typing (EVT-02, EVT-03). The current user's own events are sent too and must
    be ignored.
    """

    type: Literal["typing"] = "typing"
    op: Literal["start", "stop"]
    sender: TypingUser
    message_type: str = "direct"
    recipients: GoodList[TypingUser] = []
    stream_id: Id | None = None
    topic: str | None = None

    @property
    def is_direct(self) -> bool:
        """Whether it is about a direct conversation, rather than ``stream_id`` and ``topic``."""
        return self.message_type in ("private", "direct")


class EditRecipient(WireModel):
    """The conversation of a message being edited."""

    type: str
    channel_id: Id | None = None
    topic: str | None = None
    user_ids: list[Id] | None = None


class TypingEditMessageEvent(Event):
    """A user started or stopped editing one of their messages."""

    type: Literal["typing_edit_message"] = "typing_edit_message"
    op: Literal["start", "stop"]
    sender_id: Id
    message_id: Id
    recipient: EditRecipient


# operations


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
