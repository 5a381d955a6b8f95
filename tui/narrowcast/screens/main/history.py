"""The way back: the views that were open, and the message that one stood on in each."""

from __future__ import annotations

from msgspec import Struct

from narrowcast_api.narrow.narrow import Narrow

__all__ = ["Entry", "History"]

LONGEST = 100


class Entry(Struct, frozen=True):
    """A view, and a message in it: None where one has not stood yet."""

    narrow: Narrow
    message_id: int | None = None


class History:
    """Goes on at its end; what lay ahead is forgotten when one goes elsewhere, as in a browser."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._here = -1

    def go(self, to: Entry, left: int | None) -> None:
        """One goes to `to` and leaves the message `left`. A link within a view is a step of its own."""
        if self._here >= 0:
            self._leave(left)
            same_view = self._entries[self._here].narrow == to.narrow
            if same_view and to.message_id in (None, left):
                return
        del self._entries[self._here + 1 :]
        self._entries.append(to)
        del self._entries[:-LONGEST]
        self._here = len(self._entries) - 1

    def step(self, by: int, left: int | None) -> Entry | None:
        """Back (negative) or forward, leaving the message `left`; None where there is nothing."""
        if not 0 <= self._here + by < len(self._entries):
            return None
        self._leave(left)
        self._here += by
        return self._entries[self._here]

    def _leave(self, message_id: int | None) -> None:
        if message_id is not None:
            self._entries[self._here] = Entry(self._entries[self._here].narrow, message_id)
