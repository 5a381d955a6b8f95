"""Collects newly sent messages and delivers them in batches after a delay, in which they may be read elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from narrowcast_api.model.messages import Message
from narrowcast_api.state import changes as change

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session

__all__ = ["Arrivals"]


class Arrivals:
    """Calls `on_messages` with the messages received since the last call, ordered by id, `grace` seconds
    after the first of them.

    Fetched messages are left out, and so are messages that have been deleted meanwhile.
    """

    def __init__(
        self, session: Session, grace: float, on_messages: Callable[[Sequence[Message]], None]
    ) -> None:
        self._session = session
        self._grace = grace
        self._on_messages = on_messages
        self._coming: dict[int, None] = {}
        self._due: asyncio.TimerHandle | None = None
        self._unsubscribe = session.subscribe(self._on_changes)

    @property
    def is_waiting(self) -> bool:
        """Whether messages are waiting to be delivered."""
        return self._due is not None

    def close(self) -> None:
        self._unsubscribe()
        if self._due is not None:
            self._due.cancel()

    def _on_changes(self, changes: Sequence[change.Change]) -> None:
        for item in changes:
            if isinstance(item, change.MessagesAdded) and item.live:
                self._coming.update(dict.fromkeys(item.ids))
        if self._coming and self._due is None:
            self._due = asyncio.get_running_loop().call_later(self._grace, self._deliver)

    def _deliver(self) -> None:
        self._due = None
        come, self._coming = self._coming, {}
        messages = sorted(self._session.state.messages.known(list(come)), key=lambda message: message.id)
        if messages:
            self._on_messages(messages)
