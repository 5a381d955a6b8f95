"""What the parts of a session share: the account in memory and on disk, its requests, its changes and its clock."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from secrets import token_hex
from typing import TYPE_CHECKING, Protocol

from narrowcast_api.client import Client
from narrowcast_api.clock import Clock
from narrowcast_api.events.status import ConnectionKind, ConnectionStatus
from narrowcast_api.protocols.change_bus import ChangeBus
from narrowcast_api.state.apply import apply
from narrowcast_api.state.changes import Change, MessagesChanged, UnreadsChanged
from narrowcast_api.state.state import State
from narrowcast_api.storage.account_storage import AccountStorage
from narrowcast_api.storage.journal import JournalChanges
from narrowcast_api.tasks import Tasks
from narrowcast_api.wire.events import Event

if TYPE_CHECKING:
    from narrowcast_api.events.stream import EventStream


class JournalReader(Protocol):
    """A part that shares rows of the journal with those of other windows."""

    def on_journal(self, changes: JournalChanges) -> None:
        """Takes in what other windows have written to the journal or left behind."""


class SessionContext:
    """Made by a session, and passed to its parts. They read `state` and `status` anew each time: a snapshot
    replaces the one, the connection the other.
    """

    def __init__(self, storage: AccountStorage, state: State, client: Client, clock: Clock) -> None:
        self.storage = storage
        self.journal = storage.journal
        self.state = state
        self.client = client
        self.clock = clock
        self.status = ConnectionStatus(ConnectionKind.CONNECTING, clock.now())
        self.tasks = Tasks()
        """What runs in the background until the session is closed."""
        self.bus = ChangeBus(asyncio.get_running_loop())
        self.stream: EventStream | None = None
        """The session's events; its queue is replaced when it is lost."""
        self._journal_readers: list[JournalReader] = []

    @property
    def is_live(self) -> bool:
        """Whether events arrive, so that what is sent now is confirmed by them."""
        return self.status.is_live

    @property
    def queue_id(self) -> str | None:
        """The id of the event queue, if there is one."""
        queue = None if self.stream is None else self.stream.queue
        return None if queue is None else queue.queue_id

    def new_id(self) -> str:
        """A name for a new row of the journal."""
        return token_hex(8)

    def follow_journal(self, part: JournalReader) -> None:
        """Passes everything that is read from the journal to this part, too."""
        self._journal_readers.append(part)

    def take_in(self, changes: JournalChanges) -> None:
        """Passes what other windows have written to all parts: one reading may have changes for each of them."""
        for part in self._journal_readers:
            part.on_journal(changes)

    def publish(self, *changes: Change) -> None:
        """Adds changes to the batch that the listeners receive at the next turn of the loop."""
        self.bus.publish(*changes)

    def apply_expected(self, event: Event) -> None:
        """Applies an event to the state before the server sends it."""
        self.publish(*apply(self.state, event))

    def show_read(self, message_ids: Collection[int]) -> None:
        """Shows messages as read before the server confirms it."""
        if changed := self.state.show_read(message_ids):
            self.publish(MessagesChanged(changed), UnreadsChanged())
