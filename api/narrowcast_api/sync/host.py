"""What a view needs of its session, as a protocol that tests can implement too."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.narrow.page import Anchor, Page
from narrowcast_api.state.changes import ViewChanged
from narrowcast_api.state.state import State

if TYPE_CHECKING:
    from datetime import datetime

    from narrowcast_api.model.messages import Match, Message


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
