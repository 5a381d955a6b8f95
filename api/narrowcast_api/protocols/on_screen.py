"""Which messages have been on the screen for a moment, so that they count as seen (FLG rows)."""

from __future__ import annotations

from collections.abc import Collection, Hashable

from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.settings import Settings

MOMENT = 0.3
"""Seconds without a break for which the end of a message is on the screen before the message counts as seen."""


ALWAYS, IN_CONVERSATIONS = 1, 2
"""Values of the setting `web_mark_read_on_scroll_policy`; any other is 'never'."""


def marks_read(narrow: Narrow, settings: Settings) -> bool:
    """Whether messages on the screen are marked as read in a view: where it shows all messages of a place, as far as
    the user's setting for all devices allows.
    """
    policy = settings.number("web_mark_read_on_scroll_policy", ALWAYS)
    return (policy == ALWAYS and narrow.marks_read) or (policy == IN_CONVERSATIONS and narrow.is_conversation)


class OnScreen:
    """The messages on the screen, by pane. Each counts once while it stays there, also if it is marked as unread
    meanwhile. The time is passed in.
    """

    def __init__(self) -> None:
        self._since: dict[Hashable, dict[int, float]] = {}
        self._counted: dict[Hashable, set[int]] = {}
        self._seen: list[int] = []

    def show(self, pane: Hashable, ids: Collection[int], now: float) -> None:
        """Replaces the messages of a pane: those whose ends are on its screen now; none if it is not looked at."""
        since = self._since.get(pane, {})
        if since.keys() == set(ids):
            return
        self._count(pane, now)
        counted = self._counted.get(pane, set())
        self._since[pane] = {message_id: since.get(message_id, now) for message_id in ids}
        self._counted[pane] = counted.intersection(ids)
        if not ids:
            del self._since[pane], self._counted[pane]

    def take_seen(self, now: float) -> list[int]:
        """The messages that have been on the screen for `MOMENT` since the last call."""
        for pane in self._since:
            self._count(pane, now)
        seen, self._seen = self._seen, []
        return seen

    def pass_over(self) -> None:
        """What is on the screen now does not count any more, as long as it stays there."""
        self._counted = {pane: set(messages) for pane, messages in self._since.items()}
        self._seen.clear()

    def due(self) -> float | None:
        """When the next message counts as seen; None if all on the screen have been counted."""
        times = [
            since + MOMENT
            for pane, messages in self._since.items()
            for message_id, since in messages.items()
            if message_id not in self._counted[pane]
        ]
        return min(times, default=None)

    def _count(self, pane: Hashable, now: float) -> None:
        counted = self._counted.setdefault(pane, set())
        for message_id, since in self._since.get(pane, {}).items():
            if message_id not in counted and now >= since + MOMENT:  # rounded as in `due`
                counted.add(message_id)
                self._seen.append(message_id)
