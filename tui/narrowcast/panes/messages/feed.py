"""The items of the message list: the messages of a view, and below them one's own that are still on their way."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from narrowcast.panes.messages.rows import Lead
from narrowcast_api.errors import ApiError, NarrowcastError
from narrowcast_api.model.messages import Message
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.timeline import Gap

if TYPE_CHECKING:
    from narrowcast.panes.messages.names import StateNames
    from narrowcast_api.model.messages import Match
    from narrowcast_api.protocols.outbox_item import OutboxEntry

__all__ = ["Feed", "Key", "View"]

Key = int | str
"""The id of a message, or the local id of one that has none yet."""

RUN_SECONDS = 600
"""Messages of one sender that are closer than this share one heading."""


class View(Protocol):
    """What the list needs of a session's view of a narrow."""

    @property
    def narrow(self) -> Narrow: ...
    @property
    def ids(self) -> Sequence[int]: ...
    @property
    def gaps(self) -> Sequence[Gap]: ...
    @property
    def found_oldest(self) -> bool: ...
    @property
    def found_newest(self) -> bool: ...
    @property
    def first_unread(self) -> int | None: ...
    @property
    def matches(self) -> Mapping[int, Match]: ...
    @property
    def error(self) -> NarrowcastError | None: ...


class Feed(Struct):
    """Items by index, and what has to be said before each.

    `read` takes the ids of the view as they are; between two reads indexes stay true although events change the
    view at any time. The messages themselves come from the state when asked for.
    """

    view: View
    names: StateNames
    echoes: Sequence[OutboxEntry] = ()
    ids: Sequence[int] = ()
    mixed: bool = False
    """Whether messages of several conversations can follow each other."""

    def __post_init__(self) -> None:
        self.mixed = not self.view.narrow.is_conversation
        self.read()

    def read(self) -> None:
        self.ids = self.view.ids

    def __len__(self) -> int:
        return len(self.ids) + len(self.echoes)

    def key(self, index: int) -> Key:
        """What names the item at `index` whatever comes before it."""
        ids = self.ids
        return ids[index] if index < len(ids) else self.echoes[index - len(ids)].local_id

    def index(self, key: Key | None) -> int:
        """Where the item of `key` is, or where it would be; the end for an echo that is gone."""
        ids = self.ids
        if isinstance(key, int):
            return bisect_left(ids, key)
        for index, echo in enumerate(self.echoes):
            if echo.local_id == key:
                return len(ids) + index
        return max(0, len(self) - 1)

    def holds(self, key: Key | None) -> bool:
        """Whether the item of `key` is in the list."""
        index = self.index(key)
        return key is not None and index < len(self) and self.key(index) == key

    def message(self, index: int) -> Message | None:
        """The message at `index`; None for an echo, and for one that is gone from the state."""
        ids = self.ids
        return self.names.state.messages.get(ids[index]) if 0 <= index < len(ids) else None

    def has_unread(self, first: int, end: int) -> bool:
        """Whether one of these items is unread."""
        messages = (self.message(index) for index in range(first, end))
        return any(message is not None and not message.is_read for message in messages)

    def content(self, message: Message) -> str:
        """The HTML of a message; in a search that with the words found marked."""
        match = self.view.matches.get(message.id)
        return match.content if match is not None and match.content else message.content

    def echo(self, index: int) -> OutboxEntry | None:
        """The message on its way at `index`."""
        offset = index - len(self.ids)
        return self.echoes[offset] if 0 <= offset < len(self.echoes) else None

    def lead(self, index: int) -> Lead:
        """What has to be said before the message at `index`."""
        message = self.message(index)
        if message is None:
            return Lead()
        before = self.message(index - 1) if index > 0 else None
        gap, gap_below = self._gaps(message.id, before)
        unread = message.id == self.view.first_unread and index > 0
        if before is None:
            return Lead(gap, True, unread, self.mixed, gap_below=gap_below)
        date = self.names.local(before.timestamp).date() != self.names.local(message.timestamp).date()
        me = self.names.state.me
        moved_on = before.destination(me).key != message.destination(me).key
        continues = (
            before.sender_id == message.sender_id
            and not (gap or date or unread or moved_on)
            and message.timestamp - before.timestamp < RUN_SECONDS
            and message.edited_at is None
            and message.moved_at in (None, before.moved_at)  # what moved together stays together
            and not before.is_me_message
        )
        conversation = self.mixed and (moved_on or gap or date)
        return Lead(gap, date, unread, conversation, not continues, gap_below)

    def _gaps(self, message_id: int, before: Message | None) -> tuple[bool, str]:
        """Whether something may be missing right before a message, and why right below it."""
        above, below = False, ""
        for gap in self.view.gaps:
            if gap.before is None and gap.after == message_id:
                below = self._why_missing()
            elif gap.before is not None and gap.before <= message_id:
                above = above or before is None or before.id < gap.before
        return above, below

    def _why_missing(self) -> str:
        """What has to happen before newer messages come: the connection, unless the server has refused."""
        error = self.view.error
        if isinstance(error, ApiError):
            return f": the server refused them ({error.user_message})"
        return " until the connection is back"

    def echo_lead(self, index: int) -> Lead:
        """What has to be said before an echo: where it goes if that is not clear, and whose it is."""
        echo, before, me = (
            self.echo(index),
            self.message(index - 1) if index > 0 else None,
            self.names.state.me,
        )
        if echo is None:
            return Lead()
        above = self.echo(index - 1)
        place = (
            above.destination if above is not None else before.destination(me) if before is not None else None
        )
        elsewhere = self.mixed and (place is None or place.key != echo.destination.key)
        own = above is not None or (before is not None and before.sender_id == me)
        return Lead(conversation=elsewhere, sender=elsewhere or not own)
