"""The history of opened views, with the selected message of each."""

from __future__ import annotations

from msgspec import Struct

from narrowcast_api.narrow.narrow import Narrow

__all__ = ["History", "VisitedView"]

MAX_ENTRIES = 100


class VisitedView(Struct, frozen=True):
    """A view, and the last selected message in it, if any."""

    narrow: Narrow
    message_id: int | None = None


class History:
    """A list of views with a current place; opening another view discards the views ahead, as in a browser."""

    def __init__(self) -> None:
        self._entries: list[VisitedView] = []
        self._here = -1

    def go(self, to: VisitedView, left: int | None) -> None:
        """Adds `to`; `left` is the message that was selected before. Going to a message in the same view adds
        an entry too.
        """
        if self._here >= 0:
            self._leave(left)
            same_view = self._entries[self._here].narrow == to.narrow
            if same_view and to.message_id in (None, left):
                return
        del self._entries[self._here + 1 :]
        self._entries.append(to)
        del self._entries[:-MAX_ENTRIES]
        self._here = len(self._entries) - 1

    def step(self, by: int, left: int | None, beside: Narrow | None = None) -> VisitedView | None:
        """Goes back (-1) or forward (1); `left` is the message that was selected before. Skips `beside`, the
        view in another conversation, which is not shown twice. None at either end.
        """
        place = self._here + by
        while 0 <= place < len(self._entries) and self._entries[place].narrow == beside:
            place += by
        if not 0 <= place < len(self._entries):
            return None
        self._leave(left)
        self._here = place
        return self._entries[place]

    def move(self, old: Narrow, new: Narrow) -> None:
        """Replaces a view everywhere, because its topic was moved; steps that lead nowhere now are removed."""
        kept: list[VisitedView] = []
        here = self._here
        for place, entry in enumerate(self._entries):
            moved = VisitedView(new, entry.message_id) if entry.narrow == old else entry
            if kept and moved == kept[-1]:
                here -= place <= self._here
            else:
                kept.append(moved)
        self._entries, self._here = kept, here

    def _leave(self, message_id: int | None) -> None:
        if message_id is not None:
            self._entries[self._here] = VisitedView(self._entries[self._here].narrow, message_id)
