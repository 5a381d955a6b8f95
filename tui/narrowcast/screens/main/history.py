"""The way back: the views that were open, and the message that one stood on in each."""

from __future__ import annotations

from msgspec import Struct

from narrowcast_api.narrow.narrow import Narrow

__all__ = ["Stop", "Trail"]

LONGEST = 100


class Stop(Struct, frozen=True):
    """A view, and a message in it: None where one has not stood yet."""

    narrow: Narrow
    message_id: int | None = None


class Trail:
    """Goes on at its end; what lay ahead is forgotten when one goes elsewhere, as in a browser."""

    def __init__(self) -> None:
        self._stops: list[Stop] = []
        self._here = -1

    def go(self, to: Stop, left: int | None) -> None:
        """One goes to `to` and leaves the message `left`. A link within a view is a step of its own."""
        if self._here >= 0:
            self._leave(left)
            same_view = self._stops[self._here].narrow == to.narrow
            if same_view and to.message_id in (None, left):
                return
        del self._stops[self._here + 1 :]
        self._stops.append(to)
        del self._stops[:-LONGEST]
        self._here = len(self._stops) - 1

    def step(self, by: int, left: int | None) -> Stop | None:
        """Back (negative) or forward, leaving the message `left`; None where there is nothing."""
        if not 0 <= self._here + by < len(self._stops):
            return None
        self._leave(left)
        self._here += by
        return self._stops[self._here]

    def _leave(self, message_id: int | None) -> None:
        if message_id is not None:
            self._stops[self._here] = Stop(self._stops[self._here].narrow, message_id)
