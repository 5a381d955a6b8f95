"""What the parts of a session need of it; the session is one, and so may be what a test makes up."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Protocol

from narrowcast_api.clock import Clock
from narrowcast_api.state.changes import Change
from narrowcast_api.state.state import State
from narrowcast_api.storage.account_storage import AccountStorage

if TYPE_CHECKING:
    from narrowcast_api.client import Client
    from narrowcast_api.wire.events import Event
    from narrowcast_api.wire.users import PresenceAnswer


class ServiceHost(Protocol):
    """What sends on behalf of an account asks of its session."""

    @property
    def client(self) -> Client: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def state(self) -> State:
        """The state now: another one after each snapshot."""

    @property
    def storage(self) -> AccountStorage: ...

    @property
    def is_live(self) -> bool: ...

    @property
    def read_only(self) -> bool: ...

    @property
    def present(self) -> bool:
        """Whether others are told that the account's user is here."""

    @property
    def queue_id(self) -> str | None: ...

    def publish(self, *changes: Change) -> None: ...

    def foretell(self, event: Event) -> None:
        """Shows now what an event will say."""

    def show_read(self, message_ids: Collection[int]) -> None:
        """Shows messages as read before the server knows."""

    def others_are_present(self, answer: PresenceAnswer) -> None: ...

    async def show_sent(self, message_id: int) -> None: ...
