"""The results of a search in the cache, without a network."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Hashable, Sequence
from typing import TYPE_CHECKING

from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.screens.main.choices import ChoiceTarget
from narrowcast.screens.messages.message_preview import MessagePreview, ShownMessages
from narrowcast.text import names
from narrowcast.text.formats import excerpt, has_long_clock, moment, with_local_times
from narrowcast.widgets.empty import Empty
from narrowcast.widgets.virtual_list import VirtualList
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.sync.local_search import LocalHit, LocalResult

if TYPE_CHECKING:
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.session import Session

__all__ = ["FoundMessages", "FoundScreen", "hit_row", "place_of"]

NEIGHBOURS = 3
"""Maximum number of messages before and after one that was found."""
CUT = "…"
"""What a snippet begins with that is not the beginning of its message."""
LEAST_ROWS, MOST_ROWS = 6, 24


class FoundScreen(ManageScreen[LocalHit]):
    """Two lines per message, and beside them the selected one among its neighbours. Dismissed with the message to go
    to in its conversation.
    """

    KEYS = (("list.select", "goes to the message"),)
    EMPTY = Empty("No cached messages match", "Search again when you are connected.")
    LINES = 2

    def __init__(self, session: Session, text: str, result: LocalResult) -> None:
        super().__init__(session)
        self._text = text
        self._result = result
        self.preview = MessagePreview(session, FoundMessages(session))

    def fit(self) -> None:
        super().fit()
        wanted = (
            MOST_ROWS if self.shows_preview and self._result.hits else self.LINES * len(self._result.hits)
        )
        self.fit_preview(self.list, max(LEAST_ROWS, min(wanted, self.rows_left(self.rows_beside()))))

    def refresh_rows(self, *, select: Hashable | None = None) -> None:
        super().refresh_rows(select=select)
        self.show_preview()

    def previewed(self) -> object:
        return self.selected

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        event.stop()
        self.show_preview()

    def title_text(self) -> str:
        """The search text, and the terms that only the server can evaluate."""
        left_out = " ".join(f"{term.operator}:{term.operand}" for term in self._result.unevaluated)
        return f"Cached messages: {self._text}" + (f" (without {left_out})" if left_out else "")

    def rows(self) -> Sequence[ListRow[LocalHit]]:
        now = time.time()
        return [hit_row(self.state, hit, now) for hit in self._result.hits]

    def open(self, item: LocalHit) -> None:
        self.dismiss(place_of(self.state, item))


def hit_row(state: State, hit: LocalHit, now: float) -> ListRow[LocalHit]:
    """A message that was found: who wrote it, where and when, and its beginning, or the words that are further on."""
    message = hit.message
    where = names.destination(state, message.destination(state.me))
    long = has_long_clock(state)
    is_deep = hit.snippet.startswith(CUT)
    said = (
        with_local_times(hit.snippet, message.content, now, long=long)
        if is_deep
        else excerpt(message.content, now, long=long)
    )
    when = moment(message.timestamp, now, long=long)
    return ListRow(message.id, hit, f"{state.users.name(message.sender_id)} in {where}", when, said)


def place_of(state: State, hit: LocalHit) -> ChoiceTarget:
    """Where it is in its conversation."""
    return ChoiceTarget(Narrow.from_destination(hit.message.destination(state.me)), hit.message.id)


class FoundMessages:
    """Reads a message that was found, and its cached neighbours in the conversation, after it was selected for
    ``rests`` seconds.
    """

    def __init__(self, session: Session, *, rests: float = 0.0) -> None:
        self._session = session
        self._rests = rests

    async def read(self, about: object) -> AsyncIterator[ShownMessages]:
        """Reads what surrounds a `LocalHit`."""
        if not isinstance(about, LocalHit):
            yield ShownMessages()
            return
        if self._rests:
            await self._session.clock.sleep(self._rests)
        found = about.message
        messages = await self._session.cached_around(found, NEIGHBOURS)
        muted = self._session.state.users.muted
        kept = [message for message in messages if message is found or message.sender_id not in muted]
        yield ShownMessages(kept, found.id)
