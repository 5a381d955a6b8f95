"""What the parts of a session need of it, as protocols that tests can implement too."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from narrowcast_api.clock import Clock
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.narrow.page import Anchor, Page
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.state.changes import Change, ViewChanged
from narrowcast_api.state.state import State
from narrowcast_api.storage.account_storage import AccountStorage

if TYPE_CHECKING:
    from datetime import datetime

    from narrowcast_api.client import Client
    from narrowcast_api.model.messages import Match, Message


class ServiceHost(Protocol):
    """What the services that send for an account need of its session."""

    @property
    def context(self) -> SessionContext: ...

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

    async def show_sent(self, message_id: int) -> None: ...


class ViewHost(Protocol):
    """What a view needs of its session."""

    @property
    def state(self) -> State: ...

    async def fetch(
        self, narrow: Narrow, anchor: Anchor | datetime, before: int, after: int, *, include_anchor: bool
    ) -> Page:
        """Fetches a page from the server into the state. Raises `NarrowcastError`."""

    async def match(self, narrow: Narrow, message_ids: Sequence[int]) -> Mapping[int, Match]:
        """Asks the server which messages belong to a narrow. Raises `NarrowcastError`."""

    def cached(self, narrow: Narrow, before: int | None) -> Sequence[Message]:
        """Returns the newest cached page of a narrow before an id, and adds it to the state."""

    def view_changed(self, change: ViewChanged) -> None:
        """Notifies listeners that a view changed."""

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Runs a request in the background; an exception in it is logged under its name."""
