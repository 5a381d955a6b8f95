"""The edit history of a message, newest change first: bounds on its length, and what of it a user may know.

Only users who may read a message in an earlier place may know that it was there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from narrowcast_server.organization.models import Channel, FlagBit, Message, User
from narrowcast_server.rules import access

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

Entry = dict[str, Any]
"""In its stored and sent form: the values from before its change. Dropping one merges two changes into one."""

MAX_ENTRIES: Final = 100
MAX_CHARACTERS: Final = 60_000
"""Of all earlier texts together, including rendered ones; those of the newest and the oldest change are
always kept.
"""
_SHOWN_CHARACTERS: Final = 20_000
"""The same limit in lists of messages; fetching the history of one message returns all."""
_TEXTS: Final = ("prev_content", "prev_rendered_content", "prev_rendered_content_version")


def bounded(entries: Sequence[Mapping[str, Any]]) -> list[Entry]:
    """Drops entries and texts beyond the limits; always keeps the newest and the oldest."""
    kept = [dict(entry) for entry in entries]
    room = MAX_CHARACTERS
    texts = [entry for entry in kept if "prev_content" in entry]
    for entry in texts[1:-1]:
        room -= _size(entry)
        if room < 0:
            for key in _TEXTS:
                entry.pop(key, None)
    changes = [entry for entry in kept if any(key.startswith("prev_") for key in entry)]
    return changes if len(changes) <= MAX_ENTRIES else [*changes[: MAX_ENTRIES - 1], changes[-1]]


def shown(entries: Sequence[Entry]) -> list[Entry]:
    """The newest entries that fit into a list of messages, at least one."""
    room = _SHOWN_CHARACTERS
    result: list[Entry] = []
    for entry in entries:
        room -= _size(entry)
        if room < 0 and result:
            break
        result.append(entry)
    return result


def _size(entry: Mapping[str, Any]) -> int:
    return len(entry.get("prev_content", "")) + len(entry.get("prev_rendered_content", ""))


class EditHistoryFilter:
    """A user's view of the edit history of messages; for one response only, since it caches access to channels."""

    def __init__(self, organization: Organization, user: User) -> None:
        self._organization = organization
        self._user = user
        self._readable: dict[int, bool] = {}

    def visible_entries(self, message_id: int, entries: Sequence[Entry]) -> list[Entry]:
        """The part of an edit history, newest first, since the last move from a place that the user may not
        read.

        That move is left out, since it names the old place, and so are the earlier changes, which happened
        there.
        """
        for number, entry in enumerate(entries):
            channel_id = entry.get("prev_stream")
            if channel_id is not None and not self._knows(message_id, channel_id):
                return list(entries[:number])
        return list(entries)

    @cached_property
    def _subscribed(self) -> set[int]:
        return access.subscribed_ids(self._organization, self._user.id)

    def _knows(self, message_id: int, channel_id: int) -> bool:
        channel = self._organization.channels.get(channel_id)
        if channel is None:
            return False
        if channel_id not in self._readable:
            self._readable[channel_id] = access.may_read(
                self._organization, self._user, channel, self._subscribed
            )
        if not self._readable[channel_id]:
            return False
        return not access.history_is_protected(channel) or _was_delivered(
            self._organization, self._user.id, message_id
        )


def _was_delivered(organization: Organization, user_id: int, message_id: int) -> bool:
    """Whether the user received the message when it was sent, not after a move."""
    row = organization.store.one(
        "SELECT 1 FROM user_messages WHERE user_id = ? AND message_id = ? AND flags & ? = 0",
        user_id,
        message_id,
        int(FlagBit.HISTORICAL),
    )
    return row is not None


def all_readers_may_know(
    organization: Organization, here: Channel, there: Channel, messages: Sequence[Message]
) -> bool:
    """Whether all who may read `here` may know that `messages` are, or were, in a topic of `there`."""
    if access.history_is_protected(there):
        ids = [message.id for message in messages]
        return all(
            access.delivered_ids(organization, user_id, ids)
            for user_id in access.who_may_read(organization, here)
        )
    if here.id == there.id:
        return True
    if here.is_web_public and not there.is_web_public:
        return False
    return set(access.who_may_read(organization, here)) <= set(access.who_may_read(organization, there))
