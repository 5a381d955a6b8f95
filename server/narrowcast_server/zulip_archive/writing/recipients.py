"""Recipients of messages in an archive: one for each user, channel and group of users."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from narrowcast_server.zulip_archive.numbers import RecipientType
from narrowcast_server.zulip_archive.writing.source import Source


@dataclass(frozen=True, slots=True)
class DirectGroup:
    """A direct conversation with its own recipient."""

    id: int
    recipient_id: int
    members: tuple[int, ...]


class RecipientWriter:
    """Assigns recipients. Without `direct_groups` a conversation of two has none: its messages go to the
    other user's.
    """

    def __init__(self, source: Source, *, direct_groups: bool) -> None:
        self._ids = count(1)
        self._all_groups = direct_groups
        self._people = {user.id: next(self._ids) for user in source.users.values()}
        self._channels = {channel.id: next(self._ids) for channel in source.channels}
        self._system_bots = {user.id for user in source.system_bots}
        self._groups: dict[tuple[int, ...], DirectGroup] = {}
        self._conversations = source.conversations
        for members in self._conversations.values():
            if self._has_group(members):
                self._group(members)

    @property
    def groups(self) -> list[DirectGroup]:
        """The direct conversations with their own recipient."""
        return list(self._groups.values())

    def person(self, user_id: int) -> int:
        """The recipient of a user."""
        return self._people[user_id]

    def channel(self, channel_id: int) -> int:
        """The recipient of a channel."""
        return self._channels[channel_id]

    def conversation(self, conversation_id: int, sender_id: int) -> int:
        """The recipient of a sender's messages in a direct conversation."""
        return self.direct(self._conversations[conversation_id], sender_id)

    def direct(self, user_ids: Iterable[int], sender_id: int) -> int:
        """The recipient of a message from the sender to these users."""
        members = tuple(sorted({*user_ids, sender_id}))
        if self._has_group(members):
            return self._group(members).recipient_id
        others = [user_id for user_id in members if user_id != sender_id]
        return self._people[others[0] if others else sender_id]

    def _has_group(self, members: tuple[int, ...]) -> bool:
        return self._all_groups or len(members) > 2

    def _group(self, members: tuple[int, ...]) -> DirectGroup:
        group = self._groups.get(members)
        if group is None:
            group = self._groups[members] = DirectGroup(len(self._groups) + 1, next(self._ids), members)
        return group

    def subscribed_people(self) -> Iterator[tuple[int, int]]:
        """(user id, recipient id) of all users with their own recipient."""
        if not self._all_groups:
            for user_id, recipient_id in self._people.items():
                if user_id not in self._system_bots:
                    yield user_id, recipient_id

    def rows(self) -> Iterator[dict[str, object]]:
        """All recipients except those of system bots, which each server has itself."""
        for user_id, recipient_id in self.subscribed_people():
            yield {"id": recipient_id, "type": int(RecipientType.PERSON), "type_id": user_id}
        for channel_id, recipient_id in self._channels.items():
            yield {"id": recipient_id, "type": int(RecipientType.CHANNEL), "type_id": channel_id}
        for group in self._groups.values():
            yield {"id": group.recipient_id, "type": int(RecipientType.GROUP), "type_id": group.id}
