"""What the parts of a session share: the account in memory and on disk, its requests, its changes and its clock."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from narrowcast_api.client import Client
from narrowcast_api.clock import Clock
from narrowcast_api.events.status import ConnectionKind, ConnectionStatus
from narrowcast_api.protocols.change_bus import ChangeBus
from narrowcast_api.state.apply import apply
from narrowcast_api.state.changes import Change, MessagesChanged, UnreadsChanged
from narrowcast_api.state.state import State
from narrowcast_api.storage.account_storage import AccountStorage
from narrowcast_api.wire.events import Event


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
        self.bus = ChangeBus(asyncio.get_running_loop())

    @property
    def is_live(self) -> bool:
        """Whether events arrive, so that what is sent now is confirmed by them."""
        return self.status.is_live

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
