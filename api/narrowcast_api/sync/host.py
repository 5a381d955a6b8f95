"""What the parts of a session need of it, as a protocol that tests can implement too."""

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
    """What the services that send for an account need of its session."""

    @property
    def client(self) -> Client: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def state(self) -> State:
        """The current state; each snapshot replaces it by a new object."""

    @property
    def storage(self) -> AccountStorage: ...

    @property
    def is_live(self) -> bool: ...

    @property
    def read_only(self) -> bool: ...

    @property
    def present(self) -> bool:
        """Whether the user is reported as present to others."""

    @property
    def queue_id(self) -> str | None: ...

    def publish(self, *changes: Change) -> None: ...

    def apply_expected(self, event: Event) -> None:
        """Applies an event to the state before the server sends it."""

    def show_read(self, message_ids: Collection[int]) -> None:
        """Shows messages as read before the server confirms it."""

    def merge_presences(self, answer: PresenceAnswer) -> None: ...

    async def show_sent(self, message_id: int) -> None: ...
