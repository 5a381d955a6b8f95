"""The last messages of a conversation or view that the switcher offers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from narrowcast.screens.main.choices import ChoiceTarget
from narrowcast.screens.messages.message_preview import ShownMessages
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Message
    from narrowcast_api.sync.session import Session

__all__ = ["LastMessages"]

READ = 8
"""Number of messages that are read."""
STAYS, RESTS = 0.06, 0.3
"""Seconds on a choice after which the cache is read, and then, if it has nothing, the server is asked."""
ALL = ("go.inbox", "go.recent")
"""The views, besides that of all messages, for which the newest of all are shown."""


class LastMessages:
    """Reads them from the cache, and only if it has none, with a single request. They do not become part of the
    state: nothing is marked as read, and no view changes.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._fetched: dict[Narrow, Sequence[Message]] = {}

    async def read(self, about: object) -> AsyncIterator[ShownMessages]:
        """Reads the last messages of a `ChoiceTarget` of this account."""
        narrow = _narrow_of(about)
        if narrow is None:
            yield ShownMessages()
            return
        session = self._session
        await session.clock.sleep(STAYS)
        messages = self._fetched.get(narrow) or await session.newest_cached(narrow, READ)
        can_fetch = session.is_live and not messages and narrow not in self._fetched
        if not can_fetch:
            yield self._shown(
                narrow, messages, "No messages yet." if session.is_live else "Nothing is cached."
            )
            return
        yield ShownMessages()
        await session.clock.sleep(RESTS)
        try:
            page = await session.client.messages.list(narrow=self._terms(narrow), num_before=READ)
        except NarrowcastError as error:
            yield ShownMessages(note=error.user_message)
            return
        self._fetched[narrow] = page.messages
        yield self._shown(narrow, page.messages, "No messages yet.")

    def _terms(self, narrow: Narrow) -> list[dict[str, object]]:
        state = self._session.state
        return narrow.to_wire(state.server, state, state.me)

    def _shown(self, narrow: Narrow, messages: Sequence[Message], note: str) -> ShownMessages:
        muted = self._session.state.users.muted
        kept = [message for message in messages if message.sender_id not in muted]
        return ShownMessages(kept, has_places=narrow.destination is None, note=note)


def _narrow_of(about: object) -> Narrow | None:
    """The view whose messages are shown; None if it has none, or is of another account."""
    if not isinstance(about, ChoiceTarget) or about.account is not None:
        return None
    return Narrow.all() if about.command in ALL else about.narrow
